package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
import io.parley.examples.publish.AdvertisementPublisher;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.Pipes;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.TopicSubscription;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the lines of a topic. */
@Command(
        name = "follow",
        description = {
            "Print the lines that all publishers of a topic send from now on, with their senders.",
            "Peers publish with \"parley topic publish\"."
        },
        mixinStandardHelpOptions = true)
final class TopicFollowCommand implements Callable<Integer> {

    /** The treatment of lines that are not printed fast enough. */
    enum Slow {
        BLOCK,
        OLDEST,
        NEWEST;

        SubscriptionOptions options() {
            return switch (this) {
                case BLOCK -> SubscriptionOptions.blocking();
                case OLDEST -> SubscriptionOptions.DEFAULTS;
                case NEWEST -> SubscriptionOptions.newestOnly();
            };
        }
    }

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Option(
            names = "--slow",
            paramLabel = "MODE",
            defaultValue = "block",
            description =
                    "What happens if lines are not printed fast enough: block (publishers wait), oldest (the oldest of"
                            + " 1,000 lines are dropped), newest (all but the newest are dropped). Default: ${DEFAULT-VALUE}")
    private Slow slow = Slow.BLOCK;

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            description = "Number of lines after which the command ends. Default: until it is interrupted")
    private @Nullable Integer lines;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Time after which the command ends, such as 30s, 5m or 2h. Default: until it is interrupted")
    private @Nullable Duration time;

    @Parameters(paramLabel = "TOPIC", description = "Name of the topic.")
    private String topic = "";

    private int printed;

    @Override
    public Integer call() {
        if (lines != null && lines < 1) {
            throw new UsageException("--lines is " + lines + ". Use 1 or more.");
        }
        Console console = common.console();
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                Peer peer = overlay.start()) {
            CompletableFuture<Void> end = shutdown.whenRequested();
            if (time != null) {
                end.completeOnTimeout(null, time.toNanos(), TimeUnit.NANOSECONDS);
            }
            try (TopicSubscription subscription = Pipes.of(group.join(peer))
                    .topic(topic)
                    .subscribe(slow.options(), message -> print(console, message, end))) {
                console.remark("Following " + TextFormatter.oneLine(topic) + ". Ctrl-C ends this.");
                end.join();
                if (subscription.missedMessages() > 0) {
                    console.remark("Missed " + TextFormatter.count(subscription.missedMessages(), "line")
                            + ", because this command was too slow.");
                }
            }
        }
        return 0;
    }

    /** Called for one message at a time. */
    private void print(Console console, PipeMessage message, CompletableFuture<Void> end) {
        if (lines != null && printed >= lines) {
            return;
        }
        String text = AdvertisementPublisher.text(message.message());
        console.result(
                JsonObject.object()
                        .add("event", "message")
                        .add("from", message.from().text())
                        .add("name", message.text(AdvertisementPublisher.NAME).orElse(""))
                        .add("text", text),
                AdvertisementPublisher.sender(message.from(), message.message()) + ": " + text);
        printed++;
        if (lines != null && printed >= lines) {
            end.complete(null);
        }
    }
}
