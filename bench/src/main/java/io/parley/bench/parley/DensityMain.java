package io.parley.bench.parley;

import io.parley.Peer;
import io.parley.bench.worker.ProcessMemory;
import io.parley.bench.worker.WorkerConsole;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.transport.TransportSecurity;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A process whose memory is measured: it has one peer with a service that consumes messages, and more peers on command.
 *
 * <pre>
 *   memory              responds with the memory and the threads after a full collection
 *   files COUNT         fails if the process may open fewer files
 *   connections COUNT   fails if the first peer has another number of connections
 *   peers COUNT         starts or closes peers until COUNT peers run
 * </pre>
 */
public final class DensityMain {

    /** The service of the first peer. */
    static final ServiceAddress SERVICE = new ServiceAddress("bench", "density");

    /** Enough for the connections and channels that the suite opens; the defaults are for peers with fewer. */
    public static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS.toBuilder()
            .maxConnections(16_384)
            .maxChannels(16_384)
            // All clients have one address, and without TLS they connect faster than one host may by default.
            .handshakesPerSecond(10_000)
            .build();

    private final Deque<Peer> peers = new ArrayDeque<>();
    private final TransportSecurity security;

    private DensityMain(TransportSecurity security) {
        this.security = security;
    }

    /**
     * Runs until standard input ends.
     *
     * @param args the {@link TransportSecurity}
     */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> {
            DensityMain program = new DensityMain(TransportSecurity.valueOf(args[0]));
            Peer first = program.start();
            first.endpoint()
                    .listen(
                            SERVICE,
                            ServiceOptions.DEFAULTS.withWindowBytes(EndpointLimits.MIN_WINDOW_BYTES),
                            received -> {});
            console.ready(0, first.address().toString(), "");
            console.obey(command -> switch (command[0]) {
                case "memory" -> ProcessMemory.measure().toText();
                case "files" -> requireFiles(Long.parseLong(command[1]));
                case "connections" -> requireConnections(first, Integer.parseInt(command[1]));
                case "peers" -> program.peers(Integer.parseInt(command[1]));
                default -> throw WorkerConsole.unknown(command);
            });
        });
    }

    private static String requireFiles(long count) throws IOException {
        long limit = ProcessMemory.maxOpenFiles();
        if (limit < count) {
            throw new IllegalStateException(
                    "open files: " + limit + " (expected: >= " + count + "); raise the limit with ulimit -n");
        }
        return "";
    }

    private static String requireConnections(Peer peer, int count) {
        int open = peer.endpoint().connectedPeers().size();
        if (open != count) {
            throw new IllegalStateException("open connections: " + open + " (expected: " + count + ")");
        }
        return "";
    }

    private Peer start() {
        Peer peer = Peer.loopback().security(security).limits(LIMITS).start();
        peers.addLast(peer);
        return peer;
    }

    private String peers(int count) {
        while (peers.size() < count) {
            start();
        }
        while (peers.size() > count) {
            peers.removeLast().close();
        }
        return "";
    }
}
