package io.parley.examples;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.identity.Identity;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of commands that wait for other peers: a lasting identity and the addresses to listen on. */
final class HostOptions {

    @Option(
            names = "--home",
            paramLabel = "DIR",
            description = "Directory of this peer's identity; created if it is missing. Default: ~/.parley, or a new"
                    + " identity if other peers connect by name")
    private @Nullable Path home;

    @Mixin
    private CodecOptions codecs = new CodecOptions();

    @Mixin
    private ListenOptions listen = new ListenOptions();

    @Mixin
    private ReconnectOption reconnect = new ReconnectOption();

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    /** Returns the time to wait for a peer whose connection has broken. */
    Duration reconnectTimeout() {
        return reconnect.timeout();
    }

    /** Returns the options for the message formats. */
    CodecOptions codecs() {
        return codecs;
    }

    /** Starts a peer to which other peers connect with a ticket, which contains the address. */
    Peer start() {
        return listen.applyTo(builder().home(PeerDefaults.homeOrDefault(home)).multicast(false))
                .start();
    }

    /**
     * Starts a peer that other peers find by name. Without {@code --home} its identity is new, because several such peers
     * on one machine must not share an identity.
     *
     * @param name the name of the peer, or {@code null} for the default name
     */
    Peer startDiscoverable(@Nullable String name) {
        network.requireSource();
        Identity identity = PeerDefaults.identity(home);
        PeerBuilder builder =
                network.applyTo(builder().identity(identity).name(PeerDefaults.nameOrDefault(name, identity.peerId())));
        return listen.applyTo(home == null ? builder : builder.home(home)).start();
    }

    private PeerBuilder builder() {
        return codecs.applyTo(PeerDefaults.withLongIdleTimeout(Peer.builder(), reconnect.timeout()));
    }
}
