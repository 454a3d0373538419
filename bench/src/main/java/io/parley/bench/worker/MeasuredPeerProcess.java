package io.parley.bench.worker;

import io.parley.bench.operation.Operation;
import io.parley.bench.operation.PeerStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The process that runs the measured peers, one after the other. Not thread-safe. */
public final class MeasuredPeerProcess implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final Path homes;
    private final WorkerProcess worker;

    private MeasuredPeerProcess(Path homes, WorkerProcess worker) {
        this.homes = homes;
        this.worker = worker;
    }

    /** Starts a new process. */
    static MeasuredPeerProcess start(PeerStack stack, PeerEnvironment environment, Path logs)
            throws IOException, WorkerException, InterruptedException {
        Path homes = Files.createTempDirectory("parley-bench");
        WorkerProcess worker = null;
        try {
            worker = WorkerProcess.start(
                    stack,
                    stack.name() + "-" + environment.label(),
                    logs,
                    List.of(PeerMain.SUBJECT, stack.name(), homes.toString(), PeerMain.NONE, "0"));
            worker.ready();
            return new MeasuredPeerProcess(homes, worker);
        } catch (IOException | WorkerException | InterruptedException | RuntimeException failed) {
            end(homes, worker);
            throw failed;
        }
    }

    /**
     * Runs one peer from start to shutdown.
     *
     * @param processes the peers in its environment
     * @param operations the operations to measure
     * @return the durations in milliseconds, in order; shutdown is always included
     */
    public Map<Operation, Double> run(EnvironmentProcesses processes, Set<Operation> operations)
            throws WorkerException, InterruptedException {
        List<Operation> measured = operations.stream()
                .filter(operation -> operation != Operation.SHUT_DOWN)
                .sorted()
                .toList();
        List<String> command = new ArrayList<>(List.of("run"));
        command.addAll(processes.arguments());
        measured.forEach(operation -> command.add(operation.name()));
        String[] reply = worker.request(String.join(" ", command), TIMEOUT).split(" ");
        Map<Operation, Double> millis = new EnumMap<>(Operation.class);
        for (int i = 0; i < measured.size(); i++) {
            millis.put(measured.get(i), millis(Long.parseLong(reply[i])));
        }
        if (measured.contains(Operation.FIRST_MESSAGE)) {
            millis.put(Operation.FIRST_MESSAGE, millis(processes.arrived() - Long.parseLong(reply[measured.size()])));
        }
        millis.put(Operation.SHUT_DOWN, millis(Long.parseLong(worker.request("stop", TIMEOUT))));
        return millis;
    }

    private static double millis(long nanos) {
        return (double) nanos / TimeUnit.MILLISECONDS.toNanos(1);
    }

    @Override
    public void close() {
        end(homes, worker);
    }

    private static void end(Path homes, @Nullable WorkerProcess worker) {
        if (worker != null) {
            worker.close();
        }
        TemporaryDirectories.delete(homes);
    }
}
