package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
import io.parley.examples.service.CommandHandler;
import io.parley.pipes.InputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
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

/** Offers a service that a command of the operating system implements. */
@Command(
        name = "serve",
        description = {
            "Offer a service: run a command for each \"parley request\".",
            "The command reads the request from its standard input, and its standard output is the response. If its exit code is"
                    + " not 0, the request fails with that code and the first line of the standard error. The environment variable"
                    + " PARLEY_PEER contains the id of the requester. Several peers may offer a service of the same name."
        },
        mixinStandardHelpOptions = true)
final class ServeCommand implements Callable<Integer> {

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
            defaultValue = "4",
            description = "Maximum number of commands that run at the same time; other requests wait. Default:"
                    + " ${DEFAULT-VALUE}")
    private int concurrency = 4;

    @Option(
            names = "--command-timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            defaultValue = "60s",
            description =
                    "Time after which a command is killed with its children, such as 30s or 5m. Default: ${DEFAULT-VALUE}")
    private Duration commandTimeout = Duration.ofSeconds(60);

    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the service.")
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
                        command, commandTimeout, console, (request, code, output) -> report(console, request, code));
                InputPipe service = Pipes.of(group.join(peer)).serve(name, handler, threads)) {
            console.notice("Serving " + TextFormatter.oneLine(name) + ". Requests: parley request "
                    + TextFormatter.oneLine(name) + " TEXT");
            shutdown.whenRequested().join();
        } finally {
            threads.shutdownNow();
        }
        return 0;
    }

    private static void report(Console console, PipeMessage request, int exitCode) {
        console.result(
                JsonObject.object()
                        .add("event", "request")
                        .add("peer", request.from().text())
                        .add("exit_code", exitCode),
                "Request of " + request.from().shortText() + ": exit code " + exitCode);
    }
}
