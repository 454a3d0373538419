package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
import io.parley.examples.publish.LinePublisher;
import io.parley.id.PeerId;
import io.parley.pipes.Pipes;
import io.parley.pipes.TopicPublisher;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Publishes the lines of the standard input. */
@Command(
        name = "publish",
        description = {
            "Send each line of the standard input to all peers that follow a topic.",
            "Peers follow it with \"parley topic follow\". Ends when the input has ended and the followers have all lines. The"
                    + " exit code is 1 if a line was not sent to a lost follower."
        },
        mixinStandardHelpOptions = true)
final class TopicPublishCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Option(
            names = "--wait",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of followers to wait for before the first line is sent. Default: ${DEFAULT-VALUE}")
    private int wait = 1;

    @Parameters(paramLabel = "TOPIC", description = "Name of the topic.")
    private String topic = "";

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (wait < 0) {
            throw new UsageException("--wait is " + wait + ". Use 0 or more.");
        }
        Console console = common.console();
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                Peer peer = overlay.start();
                TopicPublisher publisher =
                        Pipes.of(group.join(peer)).topic(topic).openPublisher()) {
            LinePublisher lines = new LinePublisher(publisher, peer.name(), console);
            if (wait > 0) {
                console.remark("Waiting for followers. On another terminal, run:\n\n  parley topic follow "
                        + TextFormatter.oneLine(topic) + "\n");
            }
            CompletableFuture<Void> end = shutdown.whenRequested();
            AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
            CompletableFuture<Void> started = whenFollowed(publisher);
            Thread reader = new Thread(
                    () -> {
                        try {
                            started.join();
                            sendLines(lines);
                        } catch (IOException | InterruptedException | RuntimeException e) {
                            failure.set(e);
                        } finally {
                            end.complete(null);
                        }
                    },
                    "topic input");
            reader.setDaemon(true); // it may wait for the input when the process is interrupted
            reader.start();
            end.join();
            rethrow(failure.get());
            return lines.finish(peer.endpoint().limits().resumeTimeout(), shutdown.whenRequested()) == 0 ? 0 : 1;
        }
    }

    /** Returns a future that completes when there are as many followers as the user wants. */
    private CompletableFuture<Void> whenFollowed(TopicPublisher publisher) {
        CompletableFuture<Void> followed = new CompletableFuture<>();
        publisher.addReceiverListener(new TopicPublisher.ReceiverListener() {
            @Override
            public void onOpened(PeerId receiver) {
                check();
            }

            private void check() {
                if (publisher.receivers().size() >= wait) {
                    followed.complete(null);
                }
            }
        });
        if (publisher.receivers().size() >= wait) { // also if they came before the listener
            followed.complete(null);
        }
        return followed;
    }

    private static void sendLines(LinePublisher lines) throws IOException, InterruptedException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            lines.send(line);
        }
    }

    private static void rethrow(@Nullable Exception failure) throws IOException, InterruptedException {
        if (failure instanceof IOException unreadable) {
            throw unreadable;
        }
        if (failure instanceof InterruptedException interrupted) {
            throw interrupted;
        }
        if (failure instanceof RuntimeException unsent) {
            throw unsent;
        }
    }
}
