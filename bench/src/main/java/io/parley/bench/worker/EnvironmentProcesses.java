package io.parley.bench.worker;

import io.parley.bench.operation.PeerStack;
import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The peers around a {@link MeasuredPeerProcess}, each in a process of its own. Not thread-safe. */
public final class EnvironmentProcesses implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String NO_ADDRESS = PeerMain.NONE;

    private final PeerStack stack;
    private final String label;
    private final Path logs;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final Path folder;
    private final Path template;
    private final List<String> where;
    private final WorkerProcess other;

    private EnvironmentProcesses(PeerStack stack, PeerEnvironment surroundings, Path logs)
            throws IOException, WorkerException, InterruptedException {
        this.stack = stack;
        this.label = stack.name() + "-" + surroundings.label();
        this.logs = Files.createDirectories(logs);
        this.folder = Files.createTempDirectory("parley-bench");
        parts.push(() -> TemporaryDirectories.delete(folder));
        try {
            this.template = newHome();
            try (WorkerProcess filling = start(PeerMain.FILL, template, NO_ADDRESS, surroundings.cached())) {
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
    static EnvironmentProcesses start(PeerStack stack, PeerEnvironment surroundings, Path logs)
            throws IOException, WorkerException, InterruptedException {
        return new EnvironmentProcesses(stack, surroundings, logs);
    }

    /** The address that is near it, the one that the subject gets, and no port. */
    private List<String> rendezvous(Duration roundTrip) throws IOException, WorkerException, InterruptedException {
        if (roundTrip.isZero()) {
            String address = address(rendezvousPort(0));
            return List.of(address, address, "0");
        }
        DelayProxy way = DelayProxy.open(roundTrip);
        parts.push(way);
        int port = rendezvousPort(way.port());
        way.target(port);
        return List.of(address(port), address(way.port()), "0");
    }

    private int rendezvousPort(int advertised) throws IOException, WorkerException, InterruptedException {
        WorkerProcess rendezvous = start(PeerMain.SERVE, newHome(), NO_ADDRESS, advertised);
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

    private WorkerProcess start(String role, Path home, String rendezvous, int number) throws IOException {
        return WorkerProcess.start(
                stack, label, logs, List.of(role, stack.name(), home.toString(), rendezvous, Integer.toString(number)));
    }

    /** What the subject has to know: a home to copy, and what it finds there. */
    List<String> words() {
        return List.of(template.toString(), where.get(1), where.get(2));
    }

    /** When a message has arrived at the other, in nanoseconds since 1970; waits for it. */
    long arrived() throws WorkerException, InterruptedException {
        return Long.parseLong(other.ask("arrived", PATIENCE));
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
}
