package io.parley.bench.compression;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.bench.worker.DelayProxy;
import io.parley.bench.worker.WorkerConsole;
import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.TransportSecurity;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A process with a receiving peer, and a sending peer for each link to it. Each message has one element with an employee file.
 *
 * <pre>
 *   transit LINK SCHEME RECORDS MILLIS   sends messages for that time, each after the arrival of the one before; SCHEME may be "uncoded";
 *                                        responds with the median of the nanoseconds from sending a message until the listener has it, and
 *                                        the number of messages
 * </pre>
 */
public final class TransitMain {

    /** The name of pipes without a scheme. */
    public static final String UNCODED = "uncoded";

    private static final PipeId PIPE = PipeId.ofName(GroupId.NET, "bench-transit");
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Peer receiver;
    private final Map<TransitLink, Map<String, OutputPipe>> pipes = new EnumMap<>(TransitLink.class);
    private final Map<Integer, Message> messages = new HashMap<>();
    private volatile CompletableFuture<Arrival> arrival = new CompletableFuture<>();

    private TransitMain(Peer receiver) {
        this.receiver = receiver;
    }

    /** Runs until standard input ends. */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> {
            TransitMain program =
                    new TransitMain(builder().listen("tcp://127.0.0.1:0").start());
            program.listen();
            for (TransitLink link : TransitLink.values()) {
                program.connect(link);
            }
            console.ready(0, "-", "");
            console.obey(command -> program.transit(
                    TransitLink.labelled(command[1]),
                    command[2],
                    Integer.parseInt(command[3]),
                    Long.parseLong(command[4])));
        });
    }

    /** Plain text, as in the paper. */
    private static PeerBuilder builder() {
        return Peer.builder().multicast(false).security(TransportSecurity.PLAINTEXT);
    }

    private void listen() {
        EncodingScheme[] schemes = Arrays.stream(CompressionScheme.values())
                .map(CompressionScheme::scheme)
                .toArray(EncodingScheme[]::new);
        Pipes.of(receiver)
                .withDecoding(schemes)
                .listen(PIPE, received -> arrival.complete(new Arrival(System.nanoTime(), received)), Runnable::run);
    }

    private void connect(TransitLink link) throws IOException, InterruptedException {
        EndpointAddress direct = receiver.address().addresses().get(0);
        DelayProxy proxy = link.open(direct.port());
        EndpointAddress address = proxy == null ? direct : direct.withPort(proxy.port());
        Peer sender = builder().start();
        sender.endpoint().addPeerAddress(PeerAddress.of(receiver.id(), address));
        Map<String, OutputPipe> outputs = new HashMap<>();
        outputs.put(UNCODED, Pipes.of(sender).connect(receiver.id(), PIPE, TIMEOUT));
        for (CompressionScheme scheme : CompressionScheme.values()) {
            EncodingPolicy policy = EncodingPolicy.of(scheme.scheme()).withRequiredSchemes();
            outputs.put(scheme.label(), Pipes.of(sender).withEncoding(policy).connect(receiver.id(), PIPE, TIMEOUT));
        }
        pipes.put(link, outputs);
    }

    private String transit(TransitLink link, String scheme, int records, long millis) {
        OutputPipe output = pipes.getOrDefault(link, Map.of()).get(scheme);
        if (output == null) {
            throw new IllegalArgumentException(
                    "scheme: %s (expected: %s or one of %s)".formatted(scheme, UNCODED, CompressionScheme.labels()));
        }
        Message message = messages.computeIfAbsent(records, TransitMain::message);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        List<Long> nanos = new ArrayList<>();
        do {
            nanos.add(transit(output, message));
        } while (System.nanoTime() - end < 0);
        Collections.sort(nanos);
        return nanos.get(nanos.size() / 2) + " " + nanos.size();
    }

    private long transit(OutputPipe output, Message message) {
        CompletableFuture<Arrival> arrived = new CompletableFuture<>();
        arrival = arrived;
        long start = System.nanoTime();
        output.send(message);
        Arrival end = arrived.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
        if (!end.received.message().equals(message)) {
            throw new IllegalStateException("message: differs from the one that was sent");
        }
        return end.nanos - start;
    }

    private static Message message(int records) {
        return Message.of(CompressionScheme.element(records));
    }

    private record Arrival(long nanos, PipeMessage received) {}
}
