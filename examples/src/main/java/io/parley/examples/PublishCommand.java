package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.publish.AdvertisementPublisher;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Publishes for others to discover. */
@Command(
        name = "publish",
        description = {
            "Publish documents or pipes, so that others can discover them.",
            "They stay published until this command ends. What comes out of a pipe is printed."
        },
        mixinStandardHelpOptions = true)
final class PublishCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Option(
            names = "--pipe",
            paramLabel = "NAME",
            description = "Open and publish a pipe of that name; may be repeated.")
    private List<String> pipes = new ArrayList<>();

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "End after that time, such as 30s, 5m or 2h. Default: when interrupted")
    private @Nullable Duration time;

    @Parameters(
            paramLabel = "FILE",
            arity = "0..*",
            description = "XML documents of types that are known, such as jxta:PipeAdvertisement.")
    private List<Path> files = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        if (files.isEmpty() && pipes.isEmpty()) {
            throw new CommandFailedException("There is nothing to publish. Name a FILE, or a --pipe.");
        }
        Console console = common.console();
        try (ShutdownSignal ended = ShutdownSignal.start();
                Peer peer = overlay.start();
                AdvertisementPublisher publishing = new AdvertisementPublisher(group.join(peer), console)) {
            for (Path file : files) {
                publishing.document(file);
            }
            pipes.forEach(publishing::pipe);
            if (time == null) {
                ended.asked().join();
            } else {
                ended.asked()
                        .completeOnTimeout(null, time.toNanos(), TimeUnit.NANOSECONDS)
                        .join();
            }
        }
        return 0;
    }
}
