package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.Console;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
import io.parley.examples.publish.AdvertisementFile;
import io.parley.examples.publish.AdvertisementPublisher;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Publishes documents and pipes. */
@Command(
        name = "publish",
        description = {
            "Publish advertisements and open pipes.",
            "They are withdrawn when this command ends. Prints the lines that arrive on a pipe."
        },
        mixinStandardHelpOptions = true)
final class PublishCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private OverlayOptions overlay = new OverlayOptions();

    @Mixin
    private GroupOption group = new GroupOption();

    @Option(names = "--pipe", paramLabel = "NAME", description = "Name of a pipe to open and publish. May be repeated.")
    private List<String> pipes = new ArrayList<>();

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Time after which the command ends, such as 30s, 5m or 2h. Default: until it is interrupted")
    private @Nullable Duration time;

    @Parameters(
            paramLabel = "FILE",
            arity = "0..*",
            description = "XML document of a known type, such as jxta:PipeAdvertisement.")
    private List<Path> files = new ArrayList<>();

    @Override
    public Integer call() throws IOException {
        if (files.isEmpty() && pipes.isEmpty()) {
            throw new UsageException("FILE and --pipe are missing. Add at least one of them.");
        }
        requirePipes();
        List<AdvertisementFile> documents = readFiles();
        Console console = common.console();
        try (ShutdownSignal shutdown = ShutdownSignal.start();
                Peer peer = overlay.start();
                AdvertisementPublisher publisher = new AdvertisementPublisher(group.join(peer), console)) {
            documents.forEach(publisher::document);
            pipes.forEach(publisher::pipe);
            if (time == null) {
                shutdown.whenRequested().join();
            } else {
                shutdown.whenRequested()
                        .completeOnTimeout(null, time.toNanos(), TimeUnit.NANOSECONDS)
                        .join();
            }
        }
        return 0;
    }

    /** Requires names that are usable and differ. */
    private void requirePipes() {
        GroupId id = group.id();
        Set<PipeId> ids = new HashSet<>();
        for (String pipe : pipes) {
            if (pipe.isBlank()) {
                throw new UsageException(
                        "--pipe is \"" + TextFormatter.escaped(pipe) + "\". Use a name that is not empty.");
            }
            if (!ids.add(PipeId.ofName(id, pipe))) {
                throw new UsageException(
                        "--pipe " + TextFormatter.oneLine(pipe) + " occurs twice. Use each name once.");
            }
        }
    }

    /** Reads all files before the peer starts, so that a file that is unreadable is reported before anything is published. */
    private List<AdvertisementFile> readFiles() throws IOException {
        List<AdvertisementFile> documents = new ArrayList<>();
        for (Path file : files) {
            documents.add(AdvertisementFile.read(file, group.id()));
        }
        return documents;
    }
}
