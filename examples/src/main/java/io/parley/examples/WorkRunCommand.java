package io.parley.examples;

import io.parley.Peer;
import io.parley.common.AsyncCloseable;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
import io.parley.examples.service.CommandHandler;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Executes the tasks of a work queue by a command of the operating system. */
@Command(
        name = "run",
        description = {
            "Execute tasks of a work queue: run a command for each.",
            "The command reads the task from its standard input. The standard output of the command is printed after it has"
                    + " ended; with --json it is the field output. If its exit code is not 0, the task goes to a worker again. The"
                    + " environment variable PARLEY_ATTEMPT is greater than 1 if the task may have been executed before."
        },
        mixinStandardHelpOptions = true)
final class WorkRunCommand implements Callable<Integer> {

    private static final int MAX_CONCURRENCY = 64;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Option(
            names = {"-c", "--concurrency"},
            paramLabel = "N",
            defaultValue = "1",
            description = "Maximum number of commands that run at the same time. Default: ${DEFAULT-VALUE}")
    private int concurrency = 1;

    @Option(
            names = "--command-timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "4m",
            description = "Time after which a command is killed, such as 30s or 5m. Default: ${DEFAULT-VALUE}")
    private Duration commandTimeout = Duration.ofMinutes(4);

    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the work queue.")
    private String name = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "COMMAND",
            description = "Command with its arguments. Write -- before it if it has options.")
    private List<String> command = new ArrayList<>();

    @Override
    public Integer call() {
        if (concurrency < 1 || concurrency > MAX_CONCURRENCY) {
            throw new UsageException("--concurrency is " + concurrency + ". Use 1 to " + MAX_CONCURRENCY + ".");
        }
        if (commandTimeout.isZero()) {
            throw new UsageException("--command-timeout is 0. Use more.");
        }
        Console console = common.console();
        ExecutorService threads = Executors.newFixedThreadPool(concurrency);
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                Peer peer = overlay.start();
                CommandHandler handler = new CommandHandler(
                        command, commandTimeout, console, (task, code, output) -> report(console, task, code, output));
                AsyncCloseable worker =
                        Pipes.of(group.join(peer)).workQueue(name).work(handler::handle, threads, concurrency)) {
            console.notice("Working for " + TextFormatter.oneLine(name) + ". Tasks: parley work send "
                    + TextFormatter.oneLine(name));
            shutdown.whenRequested().join();
            // The worker waits for its commands when it is closed, which takes longer than the process may take to end.
            worker.closeAsync();
            handler.close();
        } finally {
            threads.shutdownNow();
        }
        return 0;
    }

    /** Prints the output. It may be the input of another program, so only a terminal gets it as text. */
    static void report(Console console, PipeMessage task, int exitCode, byte[] output) {
        if (console.isJson()) {
            console.result(
                    JsonObject.object()
                            .add("event", "task")
                            .add("peer", task.from().text())
                            .add("exit_code", exitCode)
                            .add("output", new String(output, StandardCharsets.UTF_8)),
                    "");
        } else {
            console.output(output);
            console.remark("Task of " + task.from().shortText() + ": exit code " + exitCode);
        }
    }
}
