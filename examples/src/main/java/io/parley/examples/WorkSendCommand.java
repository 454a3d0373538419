package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
import io.parley.examples.service.CommandHandler;
import io.parley.message.Message;
import io.parley.pipes.Pipes;
import io.parley.pipes.TaskSender;
import io.parley.pipes.WorkQueue;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sends the lines of the standard input as tasks. */
@Command(
        name = "send",
        description = {
            "Send each line of the standard input as a task to a work queue.",
            "Workers execute the tasks with \"parley work run\". Ends when all tasks are executed; the exit code is 1 if one has failed."
        },
        mixinStandardHelpOptions = true)
final class WorkSendCommand implements Callable<Integer> {

    /** The maximum time for which a full queue stops the input. */
    private static final Duration ROOM_TIMEOUT = Duration.ofDays(7);

    /** The interval at which the command checks whether there is a worker. */
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(1500);

    private static final int MAX_ATTEMPTS = 1_000_000;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Option(
            names = "--attempts",
            paramLabel = "N",
            defaultValue = "20",
            description = "Number of attempts after which a task fails. Default: ${DEFAULT-VALUE}")
    private int attempts = 20;

    @Option(
            names = "--task-timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "5m",
            description =
                    "Time after which a task goes to another worker, such as 30s or 5m. Default: ${DEFAULT-VALUE}")
    private Duration taskTimeout = Duration.ofMinutes(5);

    @Parameters(paramLabel = "NAME", description = "Name of the work queue.")
    private String name = "";

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (attempts < 1 || attempts > MAX_ATTEMPTS) {
            throw new UsageException("--attempts is " + attempts + ". Use 1 to " + MAX_ATTEMPTS + ".");
        }
        if (taskTimeout.isZero()) {
            throw new UsageException("--task-timeout is 0. Use more.");
        }
        Console console = common.console();
        AtomicLong failed = new AtomicLong();
        long sent;
        ScheduledExecutorService checks = Executors.newSingleThreadScheduledExecutor();
        try (Peer peer = ShutdownSignal.closing(overlay.start());
                TaskSender sender = queue(peer).openSender()) {
            checks.scheduleWithFixedDelay(
                    new WorkerNotice(name, sender, console),
                    CHECK_INTERVAL.toNanos(),
                    CHECK_INTERVAL.toNanos(),
                    TimeUnit.NANOSECONDS);
            sent = sendLines(console, sender, failed);
            sender.whenIdle().join();
        } finally {
            checks.shutdownNow();
        }
        if (ShutdownSignal.isClosing()) {
            return 1; // the interruption has ended the tasks, which other peers may still execute
        }
        long executed = sent - failed.get();
        console.result(
                JsonObject.object()
                        .add("event", "ended")
                        .add("executed", executed)
                        .add("failed", failed.get()),
                TextFormatter.count(executed, "task") + " executed, " + failed + " failed");
        return failed.get() == 0 ? 0 : 1;
    }

    private WorkQueue queue(Peer peer) {
        return Pipes.of(group.join(peer))
                .workQueue(name)
                .withMaxAttempts(attempts)
                .withTaskTimeout(taskTimeout);
    }

    private static long sendLines(Console console, TaskSender sender, AtomicLong failed)
            throws IOException, InterruptedException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        long sent = 0;
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String task = line;
            Message message = Message.of(CommandHandler.BODY, line.getBytes(StandardCharsets.UTF_8));
            sender.send(message, ROOM_TIMEOUT).whenComplete((done, failure) -> {
                if (failure != null && !ShutdownSignal.isClosing()) {
                    failed.incrementAndGet();
                    console.notice("Task " + TextFormatter.oneLine(task) + " failed: "
                            + TextFormatter.oneLine(failure.getMessage()));
                }
            });
            sent++;
        }
        return sent;
    }
}
