package io.parley.examples;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.error.ErrorCode;
import io.parley.error.RetryableException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.conversation.Conversation;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.PipeTicket;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of commands that go to others. They get a fresh identity unless told otherwise: several can then run at a
 * time, also beside a host on the same machine, without being taken for one peer.
 */
final class GuestOptions {

    @Option(
            names = "--home",
            paramLabel = "DIR",
            description = "Use the identity kept there. Default: a fresh identity that is forgotten at the end")
    private @Nullable Path home;

    @Mixin
    private CodecOptions codecs = new CodecOptions();

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "15",
            description = "How long to wait for the other side to answer. Default: ${DEFAULT-VALUE}")
    private int timeoutSeconds = 15;

    /** The options with a home and codecs, and nothing else. */
    static GuestOptions of(@Nullable Path home, CodecOptions codecs) {
        GuestOptions options = new GuestOptions();
        options.home = home;
        options.codecs = codecs;
        return options;
    }

    Duration timeout() {
        return Duration.ofSeconds(Math.max(1, timeoutSeconds));
    }

    /** Starts a peer that goes to an address which it was given; it listens nowhere. */
    Peer start() {
        return builder().multicast(false).start();
    }

    /** Starts a peer that goes where it is told to: with a ticket, or to whoever goes by a name. */
    Peer start(String where) {
        return isTicket(where) ? start() : startToFind();
    }

    /** Neighbours answer by coming, so the peer listens when they are asked. */
    private Peer startToFind() {
        network.requireSomebodyToAsk();
        PeerBuilder builder = network.applyTo(builder());
        return (network.isMulticast() ? builder.listen("tcp://0.0.0.0:0") : builder).start();
    }

    private PeerBuilder builder() {
        PeerBuilder builder = codecs.applyTo(PeerDefaults.patient(Peer.builder()));
        return home == null ? builder : builder.home(home);
    }

    /** Whether somebody gave a ticket; otherwise it is a name. */
    static boolean isTicket(String text) {
        return text.indexOf(':') >= 0 || text.indexOf('@') >= 0;
    }

    /** Reads a ticket as people paste it. */
    static PipeTicket ticket(String text) {
        try {
            return PipeTicket.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CommandFailedException(
                    "That is no ticket: " + e.getMessage() + ". Copy the whole text that the other side printed.", e);
        }
    }

    /** Joins the conversation that a ticket invites to, or that goes by that name in the group. */
    Conversation join(Peer peer, String where, GroupOption group, String topic, Message hello)
            throws InterruptedException {
        if (isTicket(where)) {
            return join(peer, ticket(where), topic, hello);
        }
        try {
            return Conversation.join(peer, group.join(peer), where, topic, hello, timeout());
        } catch (RetryableException e) {
            if (e.code() != ErrorCode.UNREACHABLE) {
                throw e;
            }
            throw new CommandFailedException(
                    "Nobody who goes by the name " + TextFormatter.oneLine(where) + " has answered within "
                            + timeout().toSeconds()
                            + " s. Check the name, and that the other side runs in the same group, and on the same network or"
                            + " with the same --rendezvous.",
                    e);
        }
    }

    /** Joins the conversation that a ticket invites to. */
    Conversation join(Peer peer, PipeTicket ticket, String topic, Message hello) throws InterruptedException {
        checkOther(peer, ticket.holder().peer());
        return Conversation.join(peer, ticket, topic, hello, timeout());
    }

    /** Nobody can connect to itself. */
    static void checkOther(Peer peer, PeerId other) {
        if (peer.id().equals(other)) {
            throw new CommandFailedException(
                    "That is this very peer: both sides use the same identity. Leave out --home, or name another one.");
        }
    }
}
