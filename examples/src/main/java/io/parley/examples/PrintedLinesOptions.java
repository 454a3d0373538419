package io.parley.examples;

import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.UsageException;
import io.parley.examples.publish.AdvertisementPublisher;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that end a command which prints the lines of other peers, and the print of these lines. */
final class PrintedLinesOptions {

    @Option(
            names = {"-n", "--lines"},
            paramLabel = "N",
            description = "Number of printed lines after which the command ends. Default: until it is interrupted")
    private @Nullable Integer lines;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Time after which the command ends, such as 30s, 5m or 2h. Default: until it is interrupted")
    private @Nullable Duration time;

    private int printed;

    /** @throws UsageException if an option is out of range */
    void check() {
        if (lines != null && lines < 1) {
            throw new UsageException("--lines is " + lines + ". Use 1 or more.");
        }
    }

    /** Returns the end of the command: the interruption of the process or, if there is one, the end of the time. */
    CompletableFuture<Void> end(ShutdownSignal shutdown) {
        CompletableFuture<Void> end = shutdown.whenRequested();
        return time == null ? end : end.completeOnTimeout(null, time.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Prints a line, and completes the end of the command with the last one. Called for one line at a time.
     *
     * @param end the future that {@link #end} has returned
     */
    void print(Console console, PeerId from, Message message, CompletableFuture<Void> end) {
        if (lines != null && printed >= lines) {
            return;
        }
        String text = AdvertisementPublisher.text(message);
        console.result(
                JsonObject.object()
                        .add("event", "message")
                        .add("from", from.text())
                        .add("name", message.text(AdvertisementPublisher.NAME).orElse(""))
                        .add("text", text),
                AdvertisementPublisher.sender(from, message) + ": " + text);
        printed++;
        if (lines != null && printed >= lines) {
            end.complete(null);
        }
    }
}
