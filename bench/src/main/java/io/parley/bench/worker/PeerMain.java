package io.parley.bench.worker;

import io.parley.bench.operation.MeasuredPeer;
import io.parley.bench.operation.Operation;
import io.parley.bench.operation.PeerLocation;
import io.parley.bench.operation.PeerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A process of one peer.
 *
 * <pre>
 *   fill STACK HOME - ADVERTISEMENTS
 *   rendezvous STACK HOME - ADVERTISED_PORT
 *   other STACK HOME RENDEZVOUS MULTICAST_PORT
 *   subject STACK HOME - 0
 * </pre>
 *
 * The other answers {@code arrived} with the time at which a message has arrived. The subject answers {@code run TEMPLATE
 * RENDEZVOUS MULTICAST_PORT OPERATION...}, with a copy of that home, with how long each operation took, and when the last
 * one began; then {@code stop} with how long that took. Times of day are nanoseconds since 1970.
 */
public final class PeerMain {

    static final String FILL = "fill";
    static final String SERVE = "rendezvous";
    static final String OTHER = "other";
    static final String SUBJECT = "subject";

    /** In the place of an address. */
    static final String NONE = "-";

    private static final long PATIENCE_SECONDS = 20;

    private final WorkerConsole console;
    private final PeerStack stack;
    private final PeerLocation place;

    private PeerMain(WorkerConsole console, PeerStack stack, PeerLocation place) {
        this.console = console;
        this.stack = stack;
        this.place = place;
    }

    /** Runs until standard input ends. */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> {
            PeerLocation place = place(Path.of(args[2]), args[3], args[4]);
            new PeerMain(console, PeerStackRegistry.named(args[1]), place).run(args[0]);
        });
    }

    private static PeerLocation place(Path home, String rendezvous, String port) {
        return new PeerLocation(home, rendezvous.equals(NONE) ? "" : rendezvous, Integer.parseInt(port));
    }

    private void run(String role) throws Exception {
        switch (role) {
            case FILL -> {
                stack.fill(place.home(), place.port());
                ready(0);
            }
            case SERVE -> {
                try (PeerStack.Rendezvous rendezvous = stack.rendezvous(place)) {
                    ready(rendezvous.port());
                    obeyNothing();
                }
            }
            case OTHER -> {
                BlockingQueue<Long> arrivals = new LinkedBlockingQueue<>();
                try (AutoCloseable other = stack.other(place, () -> arrivals.add(now()))) {
                    ready(0);
                    console.obey(command -> String.valueOf(arrivals.poll(PATIENCE_SECONDS, TimeUnit.SECONDS)));
                }
            }
            default -> subject();
        }
    }

    private void ready(int port) {
        console.ready(port, NONE, "");
    }

    private void obeyNothing() throws IOException {
        console.obey(command -> {
            throw WorkerConsole.unknown(command);
        });
    }

    /** One peer after the other. */
    private void subject() throws IOException {
        ready(0);
        SubjectRunner runs = new SubjectRunner();
        console.obey(command -> switch (command[0]) {
            case "run" -> runs.run(command);
            case "stop" -> runs.stop();
            default -> throw WorkerConsole.unknown(command);
        });
    }

    private static List<Operation> operations(String[] command) {
        return Stream.of(command).skip(4).map(Operation::valueOf).toList();
    }

    private static long now() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    private final class SubjectRunner {

        private @Nullable MeasuredPeer current;
        private @Nullable Path home;

        String run(String[] command) throws Exception {
            Path copy = Files.createTempDirectory(place.home(), "run");
            TemporaryDirectories.copy(Path.of(command[1]), copy);
            MeasuredPeer subject = stack.subject(place(copy, command[2], command[3]));
            current = subject;
            home = copy;
            List<Long> nanos = new ArrayList<>();
            long begun = 0;
            for (Operation operation : operations(command)) {
                begun = now();
                nanos.add(time(operation, subject));
            }
            nanos.add(begun);
            return nanos.stream().map(String::valueOf).collect(Collectors.joining(" "));
        }

        String stop() throws Exception {
            MeasuredPeer subject = current;
            Path used = home;
            if (subject == null || used == null) {
                throw new IllegalStateException("nothing runs");
            }
            current = null;
            long nanos = time(Operation.SHUT_DOWN, subject);
            TemporaryDirectories.delete(used);
            return Long.toString(nanos);
        }

        private static long time(Operation operation, MeasuredPeer subject) throws Exception {
            long start = System.nanoTime();
            operation.run(subject);
            return System.nanoTime() - start;
        }
    }
}
