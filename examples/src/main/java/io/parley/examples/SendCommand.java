package io.parley.examples;

import io.parley.Peer;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.examples.console.Console;
import io.parley.examples.console.FailureFormatter;
import io.parley.examples.console.JsonObject;
import io.parley.examples.console.ShutdownSignal;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.conversation.ConversationServer;
import io.parley.examples.transfer.FileSender;
import io.parley.examples.transfer.TransferSummary;
import io.parley.id.PeerId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Offers files to other peers. */
@Command(
        name = "send",
        description = {
            "Offer files and directories to peers that have the ticket or know a name.",
            "Prints the ticket on the standard output and ends when one receiver has all files. An interrupted receiver can"
                    + " continue with the same ticket, also after a restart of this command with the same files, --home and"
                    + " --port. With a name, the address may change, but every peer that finds the name can receive."
        },
        mixinStandardHelpOptions = true)
final class SendCommand implements Callable<Integer> {

    private static final int MAX_RECEIVERS = 16;

    @Mixin
    private CommonOptions common = new CommonOptions();

    @Mixin
    private HostOptions host = new HostOptions();

    @Option(
            names = "--as",
            paramLabel = "NAME",
            description = "Name of the offer, for \"parley receive NAME\". Default: none, receivers need the ticket")
    private @Nullable String as;

    @Mixin
    private PeerNameOption peerName = new PeerNameOption();

    @Mixin
    private GroupOption group = new GroupOption();

    @Option(names = "--keep", description = "Continue after the first receiver, until the command is interrupted.")
    private boolean keep;

    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            description = "File or directory. Links in directories are omitted.")
    private List<Path> files = new ArrayList<>();

    private final CountDownLatch served = new CountDownLatch(1);

    @Override
    public Integer call() throws IOException, InterruptedException {
        Console console = common.console();
        FileSender sender = new FileSender(files);
        TransferSummary offer = sender.summary();
        try (Peer peer = ShutdownSignal.closing(isNamed() ? host.startDiscoverable(peerName.orEmpty()) : host.start());
                ConversationServer server =
                        server(peer, (conversation, hello) -> serve(console, sender, conversation))) {
            announce(console, offer, server.ticket().toString());
            served.await();
        }
        return 0;
    }

    private ConversationServer server(Peer peer, ConversationServer.Handler serve) {
        return isNamed()
                ? new ConversationServer(peer, group.join(peer), as, FileSender.TOPIC, MAX_RECEIVERS, serve)
                : new ConversationServer(
                        peer, SecretPipeIds.of(peer.identity(), "send", files), FileSender.TOPIC, MAX_RECEIVERS, serve);
    }

    /** Returns whether receivers can connect by a name, and not only with the ticket. */
    private boolean isNamed() {
        return as != null || peerName.name() != null;
    }

    private void announce(Console console, TransferSummary offer, String ticket) {
        String name = as == null ? peerName.name() : as;
        console.remark("Offering " + offer.title() + ": " + TextFormatter.count(offer.files(), "file") + ", "
                + TextFormatter.bytes(offer.bytes())
                + (offer.omitted() == 0
                        ? ""
                        : " (" + TextFormatter.count(offer.omitted(), "symbolic link or device") + " omitted)")
                + ". On the other machine, run \"parley receive"
                + (name == null
                        ? "\" with this ticket:"
                        : " " + TextFormatter.oneLine(name) + "\", or \"parley receive\" with this ticket:"));
        console.result(
                JsonObject.object()
                        .add("event", "ready")
                        .add("ticket", ticket)
                        .add("files", offer.files())
                        .add("bytes", offer.bytes()),
                ticket);
    }

    private void serve(Console console, FileSender sender, Conversation conversation) throws InterruptedException {
        console.remark("Receiver " + conversation.other().shortText() + " has connected.");
        long start = System.nanoTime();
        try (TransferDisplay display = new TransferDisplay(console, "sending")) {
            TransferSummary sent = sender.send(conversation, display);
            display.close();
            report(console, conversation, sent, display, Duration.ofNanos(System.nanoTime() - start));
        } catch (ParleyException e) {
            if (!ShutdownSignal.isClosing()) {
                reportFailure(console, conversation.other(), e, isNamed());
            }
            throw e;
        }
        if (!keep) {
            // The conversation must end before the process does.
            conversation.close();
            served.countDown();
        }
    }

    static void reportFailure(Console console, PeerId receiver, ParleyException failure, boolean named) {
        String reason = reason(failure);
        if (console.isJson()) {
            console.result(
                    JsonObject.object()
                            .add("event", "failed")
                            .add("peer", receiver.text())
                            .add("error", failure.code().name())
                            .add("text", reason),
                    "");
        } else {
            console.notice("Receiver " + receiver.shortText() + " did not get everything: " + reason
                    + (named ? " The receiver can continue." : " The ticket stays valid."));
        }
    }

    /** Returns the reason in one line; of a file that cannot be read more than the receiver gets. */
    private static String reason(ParleyException failure) {
        if (failure.code()
                == ErrorCode.SERVICE_FAILED) { // the receiver has stopped by itself, and its screen shows the remedy
            return TextFormatter.oneLine(failure.getMessage()) + ".";
        }
        return FailureFormatter.sentence(
                failure.code() == ErrorCode.NOT_ENCODABLE && failure.getCause() instanceof IOException unreadable
                        ? unreadable
                        : failure);
    }

    private static void report(
            Console console, Conversation to, TransferSummary sent, TransferDisplay display, Duration time) {
        console.result(
                JsonObject.object()
                        .add("event", "sent")
                        .add("peer", to.other().text())
                        .add("files", sent.files())
                        .add("bytes", sent.bytes())
                        .add("transferred", display.transferred())
                        .add("seconds", time.toNanos() / 1e9)
                        .add("sha256", sent.digest()),
                "Receiver " + to.other().shortText() + " has " + sent.title() + ": "
                        + TextFormatter.count(sent.files(), "file")
                        + ", "
                        + TextFormatter.bytes(sent.bytes()) + ", of which " + TextFormatter.bytes(display.transferred())
                        + " in "
                        + TextFormatter.seconds(time) + " (" + TextFormatter.rate(display.transferred(), time)
                        + ").\nSHA-256 "
                        + sent.digest());
    }
}
