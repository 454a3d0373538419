package io.parley.examples;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.RetryableException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
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
 * Options of commands that connect to another peer. Without {@code --home} the identity is new, so that several such
 * commands can run at the same time, also beside a host on the same machine.
 */
final class GuestOptions {

    private static final String ANY_PORT = "tcp://0.0.0.0:0";

    @Option(
            names = "--home",
            paramLabel = "DIR",
            description = "Directory of this peer's identity; created if it is missing. Default: a new identity that is"
                    + " discarded at the end")
    private @Nullable Path home;

    @Mixin
    private CodecOptions codecs = new CodecOptions();

    @Mixin
    private ReconnectOption reconnect = new ReconnectOption();

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "15",
            description = "Maximum time to wait for the other peer. Default: ${DEFAULT-VALUE}")
    private int timeoutSeconds = 15;

    /** Returns the time to wait for a peer whose connection has broken. */
    Duration reconnectTimeout() {
        return reconnect.timeout();
    }

    /** Returns options with a home directory and codecs, and defaults otherwise. */
    static GuestOptions of(@Nullable Path home, CodecOptions codecs) {
        GuestOptions options = new GuestOptions();
        options.home = home;
        options.codecs = codecs;
        return options;
    }

    Duration timeout() {
        return Duration.ofSeconds(Math.max(1, timeoutSeconds));
    }

    /** Starts a peer that connects to a given address and does not listen. */
    Peer start() {
        return builder().multicast(false).start();
    }

    /**
     * Starts a peer that connects to {@code target}: a ticket, or the name of a pipe or a peer. It listens if the ticket has the address of a
     * relay, so that the other peer can open a direct connection.
     */
    Peer start(String target) {
        if (!isTicket(target)) {
            return startForSearch();
        }
        return target.contains("@relay+") || target.contains(",relay+")
                ? builder().multicast(false).listen(ANY_PORT).start()
                : start();
    }

    /** Peers on the local network respond to a multicast query by a connection, so this peer listens. */
    Peer startForSearch() {
        network.requireSource();
        PeerBuilder builder = network.applyTo(builder());
        return (network.isMulticast() ? builder.listen(ANY_PORT) : builder).start();
    }

    private PeerBuilder builder() {
        PeerBuilder builder = codecs.applyTo(PeerDefaults.withLongIdleTimeout(Peer.builder(), reconnect.timeout()));
        return home == null ? builder : builder.home(home);
    }

    /** Returns whether a text is a ticket or a peer address; otherwise it is a name. */
    static boolean isTicket(String text) {
        return text.indexOf(':') >= 0 || text.indexOf('@') >= 0;
    }

    /** Parses a ticket. */
    static PipeTicket ticket(String text) {
        try {
            return PipeTicket.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    "Not a ticket: " + e.getMessage() + ". Copy the whole text that the other command printed.", e);
        }
    }

    /** Joins the conversation of {@code target}: a ticket, or the name of a pipe or a peer in the group. */
    Conversation join(Peer peer, String target, GroupOption group, String topic, Message hello)
            throws InterruptedException {
        if (isTicket(target)) {
            return join(peer, ticket(target), topic, hello);
        }
        try {
            return Conversation.join(peer, group.join(peer), target, topic, hello, timeout());
        } catch (RetryableException e) {
            if (e.code() != ErrorCode.UNREACHABLE) {
                throw e;
            }
            throw notFound(peer, "pipe or peer", target, e);
        }
    }

    /** Returns the exception for a name that no peer has responded to: with a dead rendezvous, that is the reason. */
    CommandFailedException notFound(Peer peer, String kind, String name, ParleyException cause) {
        String notFound = "No " + kind + " with the name " + TextFormatter.oneLine(name) + " has responded within "
                + timeout().toSeconds() + " s";
        return new CommandFailedException(
                network.hasRendezvous() && peer.rendezvous().rendezvous().isEmpty()
                        ? notFound + ", and no rendezvous either. Check the address after --rendezvous."
                        : notFound + ". Check the name, and that both peers use the same group and the same network or"
                                + " --rendezvous.",
                cause);
    }

    /** Joins the conversation of a ticket. */
    Conversation join(Peer peer, PipeTicket ticket, String topic, Message hello) throws InterruptedException {
        checkOther(peer, ticket.holder().peer());
        return Conversation.join(peer, ticket, topic, hello, timeout());
    }

    /** Requires that {@code other} is not this peer. */
    static void checkOther(Peer peer, PeerId other) {
        if (peer.id().equals(other)) {
            throw new CommandFailedException(
                    "The ticket or id belongs to this peer: both commands use the same identity. Omit --home, or use another"
                            + " one.");
        }
    }
}
