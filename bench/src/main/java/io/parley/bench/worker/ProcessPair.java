package io.parley.bench.worker;

import io.parley.bench.contender.Contender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The runner's handle on the two connected processes of a contender. After a {@link WorkerException} the pair is
 * unusable and must be closed. Not thread-safe.
 */
public final class ProcessPair implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration CONNECT_TIMEOUT = Duration.ofMinutes(2);

    private final Deque<AutoCloseable> parts;
    private final WorkerProcess server;
    private final WorkerProcess client;
    private final String details;
    private final @Nullable ByteCountingProxy serverTap;
    private final @Nullable ByteCountingProxy clientTap;

    private ProcessPair(
            Deque<AutoCloseable> parts,
            WorkerProcess server,
            WorkerProcess client,
            String details,
            @Nullable ByteCountingProxy serverTap,
            @Nullable ByteCountingProxy clientTap) {
        this.parts = parts;
        this.server = server;
        this.client = client;
        this.details = details;
        this.serverTap = serverTap;
        this.clientTap = clientTap;
    }

    /** Starts and connects both processes, with logs and homes under {@code folder}. */
    public static ProcessPair start(Contender contender, Path folder)
            throws IOException, WorkerException, InterruptedException {
        return start(contender, folder, false);
    }

    /** Starts both processes as {@link #start} does, with a byte-counting proxy in front of each listening port. */
    public static ProcessPair startTapped(Contender contender, Path folder)
            throws IOException, WorkerException, InterruptedException {
        return start(contender, folder, true);
    }

    private static ProcessPair start(Contender contender, Path folder, boolean tapped)
            throws IOException, WorkerException, InterruptedException {
        Path logs = Files.createDirectories(folder);
        Deque<AutoCloseable> parts = new ArrayDeque<>();
        try {
            ByteCountingProxy serverTap = tapped ? ByteCountingProxy.open() : null;
            ByteCountingProxy clientTap = tapped ? ByteCountingProxy.open() : null;
            if (serverTap != null && clientTap != null) {
                parts.push(serverTap);
                parts.push(clientTap);
            }
            WorkerProcess server = WorkerProcess.start(
                    contender,
                    logs.resolve(contender.name() + "-serve.log"),
                    List.of(WorkerMain.SERVE, contender.name(), port(serverTap), home(parts)));
            parts.push(server);
            WorkerProcess.Ready served = server.ready();
            if (serverTap != null) {
                serverTap.target(served.port());
            }
            WorkerProcess client = WorkerProcess.start(
                    contender,
                    logs.resolve(contender.name() + "-connect.log"),
                    List.of("connect", contender.name(), port(clientTap), home(parts), served.address()));
            parts.push(client);
            WorkerProcess.Ready connected = client.ready();
            if (clientTap != null) {
                clientTap.target(connected.port());
            }
            return new ProcessPair(parts, server, client, connected.details(), serverTap, clientTap);
        } catch (IOException | WorkerException | InterruptedException | RuntimeException failed) {
            closeAll(parts);
            throw failed;
        }
    }

    private static String port(@Nullable ByteCountingProxy tap) {
        return Integer.toString(tap == null ? 0 : tap.port());
    }

    private static String home(Deque<AutoCloseable> parts) throws IOException {
        Path home = Files.createTempDirectory("parley-bench");
        parts.addLast(() -> TemporaryDirectories.delete(home));
        return home.toString();
    }

    /** Returns the choices of the contender at run time. */
    public String details() {
        return details;
    }

    /** Prepares messages of {@code bytes} bytes. */
    public void prepare(int bytes) throws WorkerException, InterruptedException {
        prepare(bytes, 1);
    }

    /**
     * Prepares messages of {@code bytes} bytes in {@code elements} elements. If these are several, the client must be one with
     * elements.
     */
    public void prepare(int bytes, int elements) throws WorkerException, InterruptedException {
        client.request("prepare %d %d".formatted(bytes, elements), TIMEOUT);
    }

    /** Measures round trips for {@code duration}, but at most {@code maxRoundTrips}. */
    public RoundTrips roundTrips(WaitMode form, Duration duration, long maxRoundTrips)
            throws WorkerException, InterruptedException {
        String command = "round-trips %s %d %d".formatted(form, duration.toNanos(), maxRoundTrips);
        String[] reply = client.request(command, duration.plus(TIMEOUT)).split(" ", 2);
        return new RoundTrips(Long.parseLong(reply[0]), HistogramCodec.decode(reply[1]));
    }

    /**
     * The round trips of a turn.
     *
     * @param count the number of all
     * @param times the times in nanoseconds, without the first one if a benchmark thread started it and others followed
     */
    public record RoundTrips(long count, Histogram times) {}

    /** Makes the connecting process have {@code count} connections, if it has not. */
    public void connections(int count) throws WorkerException, InterruptedException {
        client.request("connections " + count, CONNECT_TIMEOUT);
    }

    /**
     * Measures round trips on all connections at the same time for {@code duration}, but at most {@code maxRoundTrips} on each.
     */
    public SimultaneousRoundTrips allRoundTrips(Duration duration, long maxRoundTrips)
            throws WorkerException, InterruptedException {
        return simultaneous("all-round-trips %d %d".formatted(duration.toNanos(), maxRoundTrips), duration);
    }

    /** Keeps {@code pending} requests pending for {@code duration}. The contender must have a request client. */
    public SimultaneousRoundTrips requests(int pending, Duration duration)
            throws WorkerException, InterruptedException {
        return simultaneous("requests %d %d".formatted(pending, duration.toNanos()), duration);
    }

    private SimultaneousRoundTrips simultaneous(String command, Duration duration)
            throws WorkerException, InterruptedException {
        String[] reply = client.request(command, duration.plus(TIMEOUT)).split(" ", 2);
        return new SimultaneousRoundTrips(Duration.ofNanos(Long.parseLong(reply[0])), HistogramCodec.decode(reply[1]));
    }

    /** The round trips of several connections, and the time in which all of them took place. */
    public record SimultaneousRoundTrips(Duration elapsed, Histogram times) {}

    /** Sends {@code messages} messages one way, {@code perSecond} in each second. */
    public PacedLatency paced(long perSecond, long messages) throws WorkerException, InterruptedException {
        Duration planned = Duration.ofMillis(1000 * messages / perSecond);
        String[] reply = client.request("paced %d %d".formatted(perSecond, messages), planned.plus(TIMEOUT))
                .split(" ", 2);
        server.request("check", TIMEOUT);
        return new PacedLatency(
                HistogramCodec.decode(server.request("latencies", TIMEOUT)),
                HistogramCodec.decode(reply[1]),
                Double.parseDouble(reply[0]));
    }

    /**
     * Sends messages of {@code bytes} bytes one way, {@code perSecond} in each second, which may be lost. The contender must have a
     * client that drops messages.
     */
    public LossCount attempt(int bytes, long perSecond, long messages) throws WorkerException, InterruptedException {
        Duration planned = Duration.ofMillis(1000 * messages / perSecond);
        double sentPerSecond = Double.parseDouble(
                client.request("attempt %d %d %d".formatted(bytes, perSecond, messages), planned.plus(TIMEOUT)));
        long arrived = Long.parseLong(server.request("settled", TIMEOUT));
        server.request("check", TIMEOUT);
        return new LossCount(messages, arrived, sentPerSecond);
    }

    /**
     * The messages that were sent, and those that arrived.
     *
     * @param sentPerSecond the rate at which the messages were sent
     */
    public record LossCount(long sent, long arrived, double sentPerSecond) {

        /** Returns the share of the lost messages in percent. */
        public double percent() {
            return 100.0 * (sent - arrived) / sent;
        }
    }

    /**
     * Sends messages one way, as fast as back-pressure allows, and counts those that arrive in {@code duration} from the
     * first one. Then kills both processes, so that the pair must be closed.
     */
    public ArrivalCount arrivalsIn(Duration duration) throws WorkerException, InterruptedException {
        String count = "await-arrivals " + duration.toNanos();
        server.send(count);
        client.request("flood-forever", TIMEOUT);
        ArrivalCount arrivals = ArrivalCount.parse(server.awaitReply(count, duration.plus(TIMEOUT)));
        server.request("check", TIMEOUT);
        client.kill();
        server.kill();
        return arrivals;
    }

    /** Sends {@code messages} messages one way. Returns the time until the receiver had all of them. */
    public Duration flood(long messages) throws WorkerException, InterruptedException {
        return flood("flood", messages);
    }

    /** Sends {@code messagesEach} messages one way on each connection at the same time, as {@link #flood} does. */
    public Duration allFlood(long messagesEach) throws WorkerException, InterruptedException {
        return flood("all-flood", messagesEach);
    }

    private Duration flood(String command, long messages) throws WorkerException, InterruptedException {
        try {
            Duration elapsed = Duration.ofNanos(Long.parseLong(client.request(command + " " + messages, TIMEOUT)));
            server.request("check", TIMEOUT);
            return elapsed;
        } catch (WorkerException failed) {
            throw new WorkerException(
                    "%s; %s of %d messages had arrived".formatted(failed.getMessage(), arrived(), messages));
        }
    }

    private String arrived() throws InterruptedException {
        try {
            return server.request("arrived", Duration.ofSeconds(2));
        } catch (WorkerException unavailable) {
            return "an unknown number";
        }
    }

    /** Returns the heap bytes that the serving process has allocated so far. */
    public long serverAllocated() throws WorkerException, InterruptedException {
        return Long.parseLong(server.request("allocated", TIMEOUT));
    }

    /** Returns the heap bytes that the connecting process has allocated so far. */
    public long clientAllocated() throws WorkerException, InterruptedException {
        return Long.parseLong(client.request("allocated", TIMEOUT));
    }

    /** Returns the processor time that both processes have used so far. */
    public CpuTime cpuTime() throws WorkerException, InterruptedException {
        return new CpuTime(
                Long.parseLong(client.request("cpu", TIMEOUT)), Long.parseLong(server.request("cpu", TIMEOUT)));
    }

    /**
     * Returns the bytes on the wire from client to server so far. The pair must have been started with {@link
     * #startTapped}.
     */
    public long bytesToServer() {
        ByteCountingProxy.Bytes atServer = tap(serverTap).bytes();
        return atServer.toTarget() + tap(clientTap).bytes().fromTarget();
    }

    /**
     * Returns the bytes on the wire from server to client so far. The pair must have been started with {@link
     * #startTapped}.
     */
    public long bytesToClient() {
        ByteCountingProxy.Bytes atServer = tap(serverTap).bytes();
        return atServer.fromTarget() + tap(clientTap).bytes().toTarget();
    }

    private static ByteCountingProxy tap(@Nullable ByteCountingProxy tap) {
        if (tap == null) {
            throw new IllegalStateException("process pair: no byte-counting proxy; start the pair with startTapped");
        }
        return tap;
    }

    @Override
    public void close() {
        closeAll(parts);
    }

    private static void closeAll(Deque<AutoCloseable> parts) {
        for (AutoCloseable part : parts) {
            try {
                part.close();
            } catch (Exception ignored) {
                // the child process has already ended
            }
        }
    }
}
