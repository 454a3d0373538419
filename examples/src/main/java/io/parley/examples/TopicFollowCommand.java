package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.pipes.Pipes;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.TopicSubscription;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
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

    @Mixin
    private PrintedLinesOptions lines = new PrintedLinesOptions();

    @Option(
            names = "--slow",
            paramLabel = "MODE",
            defaultValue = "block",
            description =
                    "What happens if lines are not printed fast enough: block (publishers wait), oldest (the oldest of"
                            + " 1,000 lines are dropped), newest (all but the newest are dropped). Default: ${DEFAULT-VALUE}")
    private Slow slow = Slow.BLOCK;

    @Parameters(paramLabel = "TOPIC", description = "Name of the topic.")
    private String topic = "";

    @Override
    public Integer call() {
        lines.check();
        Console console = common.console();
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                Peer peer = overlay.start()) {
            CompletableFuture<Void> end = lines.end(shutdown);
            try (TopicSubscription subscription = Pipes.of(group.join(peer))
                    .topic(topic)
                    .subscribe(
                            slow.options(), message -> lines.print(console, message.from(), message.message(), end))) {
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
}
