package io.parley.examples;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.endpoint.EndpointLimits;
import io.parley.identity.Identity;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Options of commands whose peers find other peers and are found by name. Without {@code --home} the identity is new,
 * because several such peers on one machine must not share an identity.
 */
final class OverlayOptions {

    @Option(names = "--name", paramLabel = "NAME", description = "Name of this peer. " + PeerDefaults.NAME_HELP)
    private @Nullable String name;

    @Option(
            names = "--home",
            paramLabel = "DIR",
            description = "Directory of this peer's identity; created if it is missing. Default: a new identity that is"
                    + " discarded at the end")
    private @Nullable Path home;

    @Mixin
    private CodecOptions codecs = new CodecOptions();

    @Mixin
    private ListenOptions listen = new ListenOptions();

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    /** Returns the options that select rendezvous and multicast. */
    NetworkOptions network() {
        return network;
    }

    /** Returns whether the identity outlives this process. */
    boolean hasHome() {
        return home != null;
    }

    /** Returns the path of a file in the home directory, or {@code null} without a home directory. */
    @Nullable
    Path inHome(String file) {
        return home == null ? null : home.resolve(file);
    }

    /** Starts the peer. */
    Peer start() {
        network.requireSource();
        return listen.applyTo(builder()).start();
    }

    /**
     * Starts a rendezvous, which listens on {@code defaultPort} unless an option selects another address.
     *
     * @param asRelay whether it is a relay too
     */
    Peer startRendezvous(int defaultPort, boolean asRelay) {
        PeerBuilder builder = listen.applyTo(builder(), defaultPort).actAsRendezvous();
        return (asRelay ? builder.actAsRelay() : builder).start();
    }

    /** Starts a relay, which listens on {@code defaultPort} unless an option selects another address. */
    Peer startRelay(int defaultPort) {
        return listen.applyTo(builder(), defaultPort).actAsRelay().start();
    }

    private PeerBuilder builder() {
        Identity identity = PeerDefaults.identity(home);
        PeerBuilder builder = network.applyTo(codecs.applyTo(PeerDefaults.withLongIdleTimeout(
                Peer.builder().identity(identity).name(PeerDefaults.nameOrDefault(name, identity.peerId())),
                EndpointLimits.DEFAULTS.reconnectTimeout())));
        return home == null ? builder : builder.home(home);
    }
}
