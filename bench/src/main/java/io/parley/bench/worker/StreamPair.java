package io.parley.bench.worker;

import io.parley.bench.stream.StreamContender;
import io.parley.bench.stream.StreamExchange;
import io.parley.bench.stream.StreamTiming;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The runner's handle on the two processes of a stream contender. After a {@link WorkerException} the pair is unusable and must be closed.
 * Not thread-safe.
 */
public final class StreamPair implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration CONNECT_TIMEOUT = Duration.ofMinutes(2);
    private static final int REPLY_FIELDS = 3;

    private final WorkerProcess server;
    private final WorkerProcess client;
    private final Path home;
    private final String details;

    private StreamPair(WorkerProcess server, WorkerProcess client, Path home, String details) {
        this.server = server;
        this.client = client;
        this.home = home;
        this.details = details;
    }

    /** Starts and connects both processes, with logs in {@code logs}. Thread-safe. */
    public static StreamPair start(StreamContender contender, StreamSetting setting, Path logs)
            throws IOException, WorkerException, InterruptedException {
        Files.createDirectories(logs);
        Path home = Files.createTempDirectory("parley-bench");
        WorkerProcess server = start(contender, setting, logs, home, StreamMain.SERVE, List.of());
        try {
            String address = server.ready().address();
            WorkerProcess client = start(contender, setting, logs, home, StreamMain.CONNECT, List.of(address));
            try {
                return new StreamPair(server, client, home, client.ready().details());
            } catch (WorkerException | InterruptedException | RuntimeException failed) {
                client.close();
                throw failed;
            }
        } catch (IOException | WorkerException | InterruptedException | RuntimeException failed) {
            server.close();
            TemporaryDirectories.delete(home);
            throw failed;
        }
    }

    private static WorkerProcess start(
            StreamContender contender, StreamSetting setting, Path logs, Path home, String role, List<String> last)
            throws IOException {
        Path ownHome = Files.createDirectories(home.resolve(role));
        String label = setting.label().isEmpty() ? "" : "-" + setting.label().replaceAll("[^A-Za-z0-9]+", "-");
        Path log = logs.resolve(contender.name() + label + "-" + role + ".log");
        List<String> arguments = new ArrayList<>(List.of(role, contender.name(), setting.host(), ownHome.toString()));
        arguments.addAll(last);
        return WorkerProcess.start(contender, setting, role.equals(StreamMain.SERVE), log, arguments);
    }

    /** Returns the choices of the contender at run time. */
    public String details() {
        return details;
    }

    /** Exchanges blocks of {@code bytes} bytes for about {@code duration}, but at most {@code maxCount}. */
    public StreamTiming exchange(StreamExchange.Form form, int bytes, Duration duration, int maxCount)
            throws WorkerException, InterruptedException {
        return timing("exchange %s %d %d %d".formatted(form, bytes, duration.toNanos(), maxCount), duration);
    }

    /** Makes the connecting process have {@code count} connections, if it has not. */
    public void connections(int count) throws WorkerException, InterruptedException {
        client.request("connections " + count, CONNECT_TIMEOUT);
    }

    /** Plays ping-pong on all connections at the same time. The count is that of all together. */
    public StreamTiming allPingPong(int bytes, Duration duration, int maxCount)
            throws WorkerException, InterruptedException {
        return timing("all-exchange %d %d %d".formatted(bytes, duration.toNanos(), maxCount), duration);
    }

    private StreamTiming timing(String command, Duration duration) throws WorkerException, InterruptedException {
        String[] reply =
                client.request(command, duration.multipliedBy(2).plus(TIMEOUT)).split(" ", REPLY_FIELDS);
        return new StreamTiming(Long.parseLong(reply[0]), Long.parseLong(reply[1]), HistogramCodec.decode(reply[2]));
    }

    /** Returns the processor time that both processes have used so far. */
    public CpuTime cpuTime() throws WorkerException, InterruptedException {
        return cpuTime("cpu");
    }

    /** Returns the processor time that both processes used during the blocks of the last {@link #exchange}. */
    public CpuTime exchangeCpuTime() throws WorkerException, InterruptedException {
        return cpuTime("exchange-cpu");
    }

    private CpuTime cpuTime(String command) throws WorkerException, InterruptedException {
        return new CpuTime(
                Long.parseLong(client.request(command, TIMEOUT)), Long.parseLong(server.request(command, TIMEOUT)));
    }

    @Override
    public void close() {
        client.close();
        server.close();
        TemporaryDirectories.delete(home);
    }
}
