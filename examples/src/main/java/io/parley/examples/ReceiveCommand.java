package io.parley.examples;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.RetryableException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.Console;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Receives files from {@code parley send}. */
@Command(
        name = "receive",
        description = {
            "Receive the files that \"parley send\" offers.",
            "Shows what the sender offers, and asks before it writes. Without a terminal, --out or --yes is needed.",
            "Verifies the SHA-256 of every file. Continues an interrupted transfer when it is run again."
        },
        mixinStandardHelpOptions = true)
final class ReceiveCommand implements Callable<Integer> {

    private static final int SHOWN_NAMES = 10;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private GuestOptions guest = new GuestOptions();

    @Option(
            names = {"-o", "--out"},
            paramLabel = "DIR",
            description = "Directory for the files; created if it is missing. Default: the current directory")
    private @Nullable Path out;

    @Option(
            names = {"-y", "--yes"},
            description = "Accept the offer without a question.")
    private boolean yes;

    @Option(
            names = "--all-names",
            description =
                    "Also accept hidden files, names with invisible characters, and names that differ only in case.")
    private boolean allNames;

    @Option(names = "--force", description = "Replace existing files that have other content.")
    private boolean force;

    @Mixin
    private GroupOption group = new GroupOption();

    @Parameters(
            paramLabel = "TICKET|NAME",
            description = "Ticket that \"parley send\" printed, or the name after its --as or --name.")
    private String target = "";

    /** The time of the consent. The rate does not include the search, the connect and the question. */
    private long start;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        try (Peer peer = ShutdownSignal.closing(guest.start(target));
                TransferDisplay display = new TransferDisplay(console, "receiving")) {
            receive(console, peer, display);
        }
        return 0;
    }

    private void receive(Console console, Peer peer, TransferDisplay display) throws IOException, InterruptedException {
        FileReceiver receiver = new FileReceiver(directory(), force, offer -> consents(console, offer), display);
        try (Conversation conversation = guest.join(peer, target, group, FileSender.TOPIC, Message.EMPTY)) {
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

    private Path directory() {
        return out == null ? Path.of("") : out;
    }

    private boolean consents(Console console, FileReceiver.Offer offer) {
        show(console, offer);
        boolean asksForNames = !offer.unusual().isEmpty() && !allNames;
        boolean consents;
        if (console.canAsk() && (asksForNames || !yes)) {
            consents = ask(console, asksForNames ? "Receive all of this?" : "Receive?");
        } else if (asksForNames) {
            throw new CommandFailedException("Refused the offer, because it has hidden or confusing names, such as "
                    + TextFormatter.escaped(offer.unusual().get(0)) + ". Use --all-names to accept them.");
        } else if (yes || out != null) {
            consents = true;
        } else {
            throw new CommandFailedException("Refused the offer, because there is no terminal to ask on."
                    + " Use --out DIR or --yes to accept it.");
        }
        start = System.nanoTime();
        return consents;
    }

    private static void show(Console console, FileReceiver.Offer offer) {
        console.remark("Offered: " + TextFormatter.oneLine(offer.title()) + ", "
                + TextFormatter.count(offer.files(), "file") + ", " + TextFormatter.bytes(offer.bytes()) + ", for "
                + offer.directory());
        if (offer.paths().size() > 1) {
            offer.paths().forEach(path -> console.remark("  " + TextFormatter.escaped(path)));
        }
        if (!offer.unusual().isEmpty()) {
            console.remark("Hidden files, names with invisible characters, or names that differ only in case:");
            offer.unusual().stream()
                    .limit(SHOWN_NAMES)
                    .forEach(path -> console.remark("  " + TextFormatter.escaped(path)));
            if (offer.unusual().size() > SHOWN_NAMES) {
                console.remark("  and " + TextFormatter.count(offer.unusual().size() - SHOWN_NAMES) + " more");
            }
        }
    }

    private static boolean ask(Console console, String question) {
        try {
            return console.ask(question);
        } catch (IOException e) {
            throw new CommandFailedException("Cannot read the answer: " + e.getMessage(), e);
        }
    }

    private CommandFailedException interrupted(TransferDisplay display, ParleyException cause) {
        display.close();
        return new CommandFailedException(
                "Lost the sender after " + TextFormatter.bytes(display.transferred() + display.skipped()) + " of "
                        + TextFormatter.bytes(display.total()) + " (" + cause.getMessage()
                        + "). Run the same command to continue when the sender is back.",
                cause);
    }

    private void report(
            Console console, PeerId from, TransferSummary received, TransferDisplay display, Duration time) {
        console.result(
                JsonObject.object()
                        .add("event", "received")
                        .add("peer", from.text())
                        .add("out", directory().toAbsolutePath().normalize().toString())
                        .add("files", received.files())
                        .add("bytes", received.bytes())
                        .add("transferred", display.transferred())
                        .add("seconds", time.toNanos() / 1e9)
                        .add("sha256", received.digest()),
                "Received " + TextFormatter.oneLine(received.title()) + ": "
                        + TextFormatter.count(received.files(), "file") + ", "
                        + TextFormatter.bytes(received.bytes()) + ", of which "
                        + TextFormatter.bytes(display.transferred()) + " in "
                        + TextFormatter.seconds(time) + " (" + TextFormatter.rate(display.transferred(), time)
                        + "); every file verified.\nSHA-256 " + received.digest());
    }
}
