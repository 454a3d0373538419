package io.parley.bench.worker;

import io.parley.bench.operation.Operation;
import io.parley.bench.operation.PeerStack;
import java.io.IOException;
import java.io.UncheckedIOException;
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

/** The process of the peers whose operations are timed, one peer after the other. Not thread-safe. */
public final class MeasuredPeerProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path homes;
    private final WorkerProcess worker;

    private MeasuredPeerProcess(Path homes, WorkerProcess worker) {
        this.homes = homes;
        this.worker = worker;
    }

    /** A new process. */
    static MeasuredPeerProcess start(PeerStack stack, PeerEnvironment surroundings, Path logs)
            throws IOException, WorkerException, InterruptedException {
        Path homes = Files.createTempDirectory("parley-bench");
        WorkerProcess worker = null;
        try {
            worker = WorkerProcess.start(
                    stack,
                    stack.name() + "-" + surroundings.label(),
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
     * A peer's whole life.
     *
     * @param around the peers that it finds
     * @param operations which of them
     * @return milliseconds, in order; stopping is always among them
     */
    public Map<Operation, Double> live(EnvironmentProcesses around, Set<Operation> operations)
            throws WorkerException, InterruptedException {
        List<Operation> done = operations.stream()
                .filter(operation -> operation != Operation.SHUT_DOWN)
                .sorted()
                .toList();
        List<String> command = new ArrayList<>(List.of("run"));
        command.addAll(around.words());
        done.forEach(operation -> command.add(operation.name()));
        String[] answer = worker.ask(String.join(" ", command), PATIENCE).split(" ");
        Map<Operation, Double> millis = new EnumMap<>(Operation.class);
        for (int i = 0; i < done.size(); i++) {
            millis.put(done.get(i), millis(Long.parseLong(answer[i])));
        }
        if (done.contains(Operation.FIRST_MESSAGE)) {
            millis.put(Operation.FIRST_MESSAGE, millis(around.arrived() - Long.parseLong(answer[done.size()])));
        }
        millis.put(Operation.SHUT_DOWN, millis(Long.parseLong(worker.ask("stop", PATIENCE))));
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
        try {
            TemporaryDirectories.delete(homes);
        } catch (IOException | UncheckedIOException ignored) {
            // it lies where the system keeps temporary files, and a process that does not end may still write there
        }
    }
}
