package io.parley.bench.worker;

import io.parley.bench.operation.MeasuredPeer;
import io.parley.bench.operation.Operation;
import io.parley.bench.operation.PeerLocation;
import io.parley.bench.operation.PeerStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The main class of a process that runs one peer.
 *
 * <pre>
 *   fill STACK HOME - ADVERTISEMENTS
 *   rendezvous STACK HOME - ADVERTISED_PORT
 *   other STACK HOME RENDEZVOUS MULTICAST_PORT
 *   subject STACK HOME - 0
 * </pre>
 *
 * The other peer replies to {@code arrived} with the arrival time of a message. The subject replies to {@code run
 * TEMPLATE RENDEZVOUS MULTICAST_PORT OPERATION...}, which uses a copy of that home, with the duration of each operation
 * and the start time of the last one. It then replies to {@code stop} with the duration of the shutdown. Durations are
 * in nanoseconds; times are in nanoseconds since the epoch.
 */
public final class PeerMain {

    static final String FILL = "fill";
    static final String SERVE = "rendezvous";
    static final String OTHER = "other";
    static final String SUBJECT = "subject";

    /** The placeholder for an absent address. */
    static final String NONE = "-";

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final WorkerConsole console;
    private final PeerStack stack;
    private final PeerLocation location;

    private PeerMain(WorkerConsole console, PeerStack stack, PeerLocation location) {
        this.console = console;
        this.stack = stack;
        this.location = location;
    }

    /** Runs until standard input ends. */
    public static void main(String[] args) {
        WorkerConsole console = WorkerConsole.take();
        console.runAndHalt(() -> {
            PeerLocation location = location(Path.of(args[2]), args[3], args[4]);
            new PeerMain(console, PeerStackRegistry.named(args[1]), location).run(args[0]);
        });
    }

    private static PeerLocation location(Path home, String rendezvous, String port) {
        return new PeerLocation(home, rendezvous.equals(NONE) ? "" : rendezvous, Integer.parseInt(port));
    }

    private void run(String role) throws Exception {
        switch (role) {
            case FILL -> {
                stack.fill(location.home(), location.port());
                ready(0);
            }
            case SERVE -> {
                try (PeerStack.Rendezvous rendezvous = stack.rendezvous(location)) {
                    ready(rendezvous.port());
                    rejectCommands();
                }
            }
            case OTHER -> {
                BlockingQueue<Long> arrivals = new LinkedBlockingQueue<>();
                try (AutoCloseable other = stack.other(location, () -> arrivals.add(now()))) {
                    ready(0);
                    console.obey(command -> arrival(arrivals, TIMEOUT));
                }
            }
            default -> subject();
        }
    }

    /** Waits for the time of the next arrival. */
    static String arrival(BlockingQueue<Long> arrivals, Duration timeout)
            throws InterruptedException, TimeoutException {
        Long arrival = arrivals.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        if (arrival == null) {
            throw new TimeoutException("message: not received within " + DurationFormatter.text(timeout));
        }
        return arrival.toString();
    }

    private void ready(int port) {
        console.ready(port, NONE, "");
    }

    private void rejectCommands() throws InterruptedException {
        console.obey(command -> {
            throw WorkerConsole.unknown(command);
        });
    }

    /** Runs the measured peers, one after the other. */
    private void subject() throws InterruptedException {
        ready(0);
        SubjectRunner runner = new SubjectRunner();
        console.obey(command -> switch (command[0]) {
            case "run" -> runner.run(command);
            case "stop" -> runner.stop();
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
            Path copy = Files.createTempDirectory(location.home(), "run");
            TemporaryDirectories.copy(Path.of(command[1]), copy);
            MeasuredPeer subject = stack.subject(location(copy, command[2], command[3]));
            current = subject;
            home = copy;
            List<Long> nanos = new ArrayList<>();
            long lastStart = 0;
            for (Operation operation : operations(command)) {
                lastStart = now();
                nanos.add(time(operation, subject));
            }
            nanos.add(lastStart);
            return nanos.stream().map(String::valueOf).collect(Collectors.joining(" "));
        }

        String stop() throws Exception {
            MeasuredPeer subject = current;
            Path used = home;
            if (subject == null || used == null) {
                throw new IllegalStateException("stop: no peer is running; send run first");
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
