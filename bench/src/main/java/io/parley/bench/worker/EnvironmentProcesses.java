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

/** The peers in the environment of a {@link MeasuredPeerProcess}, each in a process of its own. Not thread-safe. */
public final class EnvironmentProcesses implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final String NO_ADDRESS = PeerMain.NONE;

    private final PeerStack stack;
    private final String label;
    private final Path logs;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final Path folder;
    private final Path template;
    private final List<String> rendezvousArguments;
    private final WorkerProcess other;

    private EnvironmentProcesses(PeerStack stack, PeerEnvironment environment, Path logs)
            throws IOException, WorkerException, InterruptedException {
        this.stack = stack;
        this.label = stack.name() + "-" + environment.label();
        this.logs = Files.createDirectories(logs);
        this.folder = Files.createTempDirectory("parley-bench");
        parts.push(() -> TemporaryDirectories.delete(folder));
        try {
            this.template = newHome();
            try (WorkerProcess filler = start(PeerMain.FILL, template, NO_ADDRESS, environment.cached())) {
                filler.ready();
            }
            this.rendezvousArguments = environment.hasRendezvous()
                    ? rendezvous(environment.roundTrip())
                    : List.of(NO_ADDRESS, NO_ADDRESS, Integer.toString(freePort()));
            this.other = start(
                    PeerMain.OTHER,
                    newHome(),
                    rendezvousArguments.get(0),
                    Integer.parseInt(rendezvousArguments.get(2)));
            parts.push(other);
            other.ready();
        } catch (IOException | WorkerException | InterruptedException | RuntimeException failed) {
            close();
            throw failed;
        }
    }

    /** Starts all peers except the measured one. */
    static EnvironmentProcesses start(PeerStack stack, PeerEnvironment environment, Path logs)
            throws IOException, WorkerException, InterruptedException {
        return new EnvironmentProcesses(stack, environment, logs);
    }

    /** Starts a rendezvous. Returns its direct address, the address for the subject, and 0 for the multicast port. */
    private List<String> rendezvous(Duration roundTrip) throws IOException, WorkerException, InterruptedException {
        if (roundTrip.isZero()) {
            String address = address(rendezvousPort(0));
            return List.of(address, address, "0");
        }
        DelayProxy proxy = DelayProxy.open(roundTrip);
        parts.push(proxy);
        int port = rendezvousPort(proxy.port());
        proxy.target(port);
        return List.of(address(port), address(proxy.port()), "0");
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

    /** Returns the arguments for the subject: the home to copy, the rendezvous address and the multicast port. */
    List<String> arguments() {
        return List.of(template.toString(), rendezvousArguments.get(1), rendezvousArguments.get(2));
    }

    /**
     * Waits until a message has arrived at the other peer, and returns the arrival time in nanoseconds since the epoch.
     */
    long arrived() throws WorkerException, InterruptedException {
        return Long.parseLong(other.request("arrived", TIMEOUT));
    }

    @Override
    public void close() {
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception ignored) {
                // the child process has already ended
            }
        }
    }
}
