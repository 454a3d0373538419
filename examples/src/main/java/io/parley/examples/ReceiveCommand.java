package io.parley.examples;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.RetryableException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.transfer.FileReceiver;
import io.parley.examples.transfer.FileSender;
import io.parley.examples.transfer.TransferSummary;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Fetches what a ticket offers. */
@Command(
        name = "receive",
        description = {
            "Fetch the files that somebody offers.",
            "Checks the SHA-256 of every file. When it was interrupted, run it again: it goes on where it was."
        },
        mixinStandardHelpOptions = true)
final class ReceiveCommand implements Callable<Integer> {

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private GuestOptions guest = new GuestOptions();

    @Option(
            names = {"-o", "--out"},
            paramLabel = "DIR",
            defaultValue = ".",
            description = "Where to put the files; made when it is missing. Default: the current directory")
    private Path out = Path.of(".");

    @Option(names = "--force", description = "Replace files that exist with other content.")
    private boolean force;

    @Mixin
    private GroupOption group = new GroupOption();

    @Parameters(
            paramLabel = "TICKET|NAME",
            description =
                    "What \"parley send\" printed, or the name that it was given: with --as to the files, or with --name to the"
                            + " peer.")
    private String where = "";

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        long start = System.nanoTime();
        try (Peer peer = guest.start(where);
                TransferDisplay display = new TransferDisplay(console, "receiving")) {
            receive(console, peer, display, start);
        }
        return 0;
    }

    private void receive(Console console, Peer peer, TransferDisplay display, long start)
            throws IOException, InterruptedException {
        FileReceiver receiver = new FileReceiver(out, force, display);
        try (Conversation conversation = guest.join(peer, where, group, FileSender.TOPIC, Message.EMPTY)) {
            TransferSummary received = receiver.receive(conversation);
            display.close();
            report(console, conversation.other(), received, display, Duration.ofNanos(System.nanoTime() - start));
        } catch (RetryableException e) {
            if (display.total() == 0 || e.code() == ErrorCode.BUSY) {
                throw e;
            }
            throw interrupted(display, e);
        }
    }

    private CommandFailedException interrupted(TransferDisplay display, ParleyException cause) {
        display.close();
        return new CommandFailedException(
                "The sender is lost after " + TextFormatter.bytes(display.transferred() + display.spared()) + " of "
                        + TextFormatter.bytes(display.total()) + " (" + cause.getMessage()
                        + "). When it is there again, run the same command to continue.",
                cause);
    }

    private void report(
            Console console, PeerId from, TransferSummary received, TransferDisplay display, Duration time) {
        console.result(
                JsonObject.object()
                        .add("event", "received")
                        .add("peer", from.text())
                        .add("out", out.toAbsolutePath().normalize().toString())
                        .add("files", received.files())
                        .add("bytes", received.bytes())
                        .add("transferred", display.transferred())
                        .add("seconds", time.toNanos() / 1e9)
                        .add("sha256", received.digest()),
                "Received " + received.title() + ": " + TextFormatter.count(received.files(), "file") + ", "
                        + TextFormatter.bytes(received.bytes()) + ", of which "
                        + TextFormatter.bytes(display.transferred()) + " in "
                        + TextFormatter.seconds(time) + " (" + TextFormatter.rate(display.transferred(), time)
                        + "); every file checked.\nSHA-256 " + received.digest());
    }
}
