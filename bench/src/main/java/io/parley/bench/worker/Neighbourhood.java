package io.parley.bench.worker;

import io.parley.bench.operation.Operation;
import io.parley.bench.operation.Stack;
import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The peers around one whose operations are timed, each in a process of its own, and the processes of that one. Not
 * thread-safe.
 */
public final class Neighbourhood implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String NO_ADDRESS = PeerMain.NONE;

    private final Stack stack;
    private final String label;
    private final Path logs;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final Path folder;
    private final Path template;
    private final List<String> where;
    private final Worker other;

    private Neighbourhood(Stack stack, Surroundings surroundings, Path logs)
            throws IOException, WorkerException, InterruptedException {
        this.stack = stack;
        this.label = stack.name() + "-" + surroundings.label();
        this.logs = Files.createDirectories(logs);
        this.folder = Files.createTempDirectory("parley-bench");
        parts.push(() -> Folders.delete(folder));
        try {
            this.template = newHome();
            try (Worker filling = start(PeerMain.FILL, template, NO_ADDRESS, surroundings.cached())) {
                filling.ready();
            }
            this.where = surroundings.hasRendezvous()
                    ? rendezvous(surroundings.roundTrip())
                    : List.of(NO_ADDRESS, NO_ADDRESS, Integer.toString(freePort()));
            this.other = start(PeerMain.OTHER, newHome(), where.get(0), Integer.parseInt(where.get(2)));
            parts.push(other);
            other.ready();
        } catch (IOException | WorkerException | InterruptedException | RuntimeException failed) {
            close();
            throw failed;
        }
    }

    /** Starts all but the one that is timed. */
    public static Neighbourhood start(Stack stack, Surroundings surroundings, Path logs)
            throws IOException, WorkerException, InterruptedException {
        return new Neighbourhood(stack, surroundings, logs);
    }

    /** The address that is near it, the one that the subject gets, and no port. */
    private List<String> rendezvous(Duration roundTrip) throws IOException, WorkerException, InterruptedException {
        if (roundTrip.isZero()) {
            String address = address(rendezvousPort(0));
            return List.of(address, address, "0");
        }
        LongWay way = LongWay.open(roundTrip);
        parts.push(way);
        int port = rendezvousPort(way.port());
        way.target(port);
        return List.of(address(port), address(way.port()), "0");
    }

    private int rendezvousPort(int advertised) throws IOException, WorkerException, InterruptedException {
        Worker rendezvous = start(PeerMain.SERVE, newHome(), NO_ADDRESS, advertised);
        parts.push(rendezvous);
        return rendezvous.ready().port();
    }

    private static String address(int port) {
        return "tcp://127.0.0.1:" + port;
    }

    private static int freePort() throws IOException {
        try (DatagramSocket probe = new DatagramSocket()) {
            return probe.getLocalPort();
        }
    }

    private Path newHome() throws IOException {
        return Files.createTempDirectory(folder, "home");
    }

    private Worker start(String role, Path home, String rendezvous, int number) throws IOException {
        List<String> command = new ArrayList<>(Jvm.command(stack.ownJars()));
        command.add(PeerMain.class.getName());
        command.addAll(List.of(role, stack.name(), home.toString(), rendezvous, Integer.toString(number)));
        return Worker.start(label + " " + role, logs.resolve(label + "-" + role + ".log"), command);
    }

    /** A new process for the one that is timed. */
    public Resident resident() throws IOException, WorkerException, InterruptedException {
        Worker worker = start(PeerMain.SUBJECT, newHome(), where.get(1), Integer.parseInt(where.get(2)));
        try {
            worker.ready();
            return new Resident(worker);
        } catch (WorkerException | InterruptedException failed) {
            worker.close();
            throw failed;
        }
    }

    @Override
    public void close() {
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception ignored) {
                // a child that is gone already is what we want
            }
        }
    }

    /** The process of the one that is timed. */
    public final class Resident implements AutoCloseable {

        private final Worker worker;

        private Resident(Worker worker) {
            this.worker = worker;
        }

        /**
         * A peer's whole life.
         *
         * @param operations which of them
         * @return milliseconds, in order; stopping is always among them
         */
        public Map<Operation, Double> live(Set<Operation> operations) throws WorkerException, InterruptedException {
            List<Operation> done = operations.stream()
                    .filter(operation -> operation != Operation.SHUT_DOWN)
                    .sorted()
                    .toList();
            StringBuilder command = new StringBuilder("run ").append(template);
            done.forEach(operation -> command.append(' ').append(operation));
            String[] answer = worker.ask(command.toString(), PATIENCE).split(" ");
            Map<Operation, Double> millis = new EnumMap<>(Operation.class);
            for (int i = 0; i < done.size(); i++) {
                millis.put(done.get(i), millis(Long.parseLong(answer[i])));
            }
            if (done.contains(Operation.FIRST_MESSAGE)) {
                long sent = Long.parseLong(answer[done.size()]);
                long arrived = Long.parseLong(other.ask("arrived", PATIENCE));
                millis.put(Operation.FIRST_MESSAGE, millis(arrived - sent));
            }
            millis.put(Operation.SHUT_DOWN, millis(Long.parseLong(worker.ask("stop", PATIENCE))));
            return millis;
        }

        private static double millis(long nanos) {
            return (double) nanos / TimeUnit.MILLISECONDS.toNanos(1);
        }

        @Override
        public void close() {
            worker.close();
        }
    }
}
