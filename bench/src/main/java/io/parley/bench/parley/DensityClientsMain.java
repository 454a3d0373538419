package io.parley.bench.parley;

import io.parley.bench.worker.WorkerConsole;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.transport.PeerAddress;
import io.parley.transport.TransportSecurity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A process with many endpoints that connect to one peer and then do nothing.
 *
 * <pre>
 *   connect COUNT    starts COUNT endpoints, each with one connection to the peer
 *   channels COUNT   opens COUNT channels on the first connection
 * </pre>
 */
public final class DensityClientsMain {

    private static final Duration TIMEOUT = Duration.ofMinutes(4);

    /** The connections that are made at the same time: fewer than a transport accepts of one host. */
    private static final int MAX_PENDING = 16;

    private final PeerAddress peer;
    private final TransportSecurity security;
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final List<Messenger> messengers = new ArrayList<>();

    private DensityClientsMain(PeerAddress peer, TransportSecurity security) {
        this.peer = peer;
        this.security = security;
    }

    /**
     * Runs until standard input ends.
     *
     * @param args the address of the peer and the {@link TransportSecurity}
     */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> {
            DensityClientsMain program =
                    new DensityClientsMain(PeerAddress.parse(args[0]), TransportSecurity.valueOf(args[1]));
            console.ready(0, "-", "");
            console.obey(command -> switch (command[0]) {
                case "connect" -> program.connect(Integer.parseInt(command[1]));
                case "channels" -> program.channels(Integer.parseInt(command[1]));
                default -> throw WorkerConsole.unknown(command);
            });
        });
    }

    private String connect(int count) throws InterruptedException {
        Semaphore pending = new Semaphore(MAX_PENDING);
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < count && failures.isEmpty(); i++) {
            pending.acquire();
            Endpoint endpoint = Endpoint.builder()
                    .identity(Identity.generate())
                    .security(security)
                    .limits(DensityMain.LIMITS)
                    .start();
            endpoints.add(endpoint);
            endpoint.addPeerAddress(peer);
            endpoint.connect(peer.peer()).whenComplete((connected, failure) -> {
                if (failure != null) {
                    failures.add(failure);
                }
                pending.release();
            });
        }
        pending.acquire(MAX_PENDING);
        if (!failures.isEmpty()) {
            throw new IllegalStateException("connection " + endpoints.size() + " of " + count, failures.peek());
        }
        return "";
    }

    private String channels(int count) throws Exception {
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Messenger messenger = endpoints.get(0).messenger(peer.peer(), DensityMain.SERVICE);
            messengers.add(messenger);
            sent.add(messenger.send(Message.of("text", "opens the channel")));
        }
        CompletableFuture.allOf(sent.toArray(CompletableFuture<?>[]::new)).get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        return "";
    }
}
