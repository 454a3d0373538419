package io.parley.examples;

import io.parley.Peer;
import io.parley.PeerBuilder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of commands whose peers find others and are found by name. They get a fresh identity unless told otherwise,
 * so that several on one machine are not taken for one peer.
 */
final class OverlayOptions {

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "What others see of this peer. Default: ${DEFAULT-VALUE}",
            defaultValue = "${sys:user.name}")
    private String name = "";

    @Option(
            names = "--home",
            paramLabel = "DIR",
            description = "Use the identity kept there; made when it is missing. Default: a fresh identity that is"
                    + " forgotten at the end")
    private @Nullable Path home;

    @Mixin
    private CodecOptions codecs = new CodecOptions();

    @Mixin
    private ListenOptions where = new ListenOptions();

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    /** Whom the peer asks. */
    NetworkOptions network() {
        return network;
    }

    /** Whether the identity outlives this process. */
    boolean hasHome() {
        return home != null;
    }

    /** A file in the home; null without one. */
    @Nullable
    Path inHome(String file) {
        return home == null ? null : home.resolve(file);
    }

    /** Starts the peer. */
    Peer start() {
        network.requireSomebodyToAsk();
        return where.applyTo(builder()).start();
    }

    /** Starts a rendezvous, which listens on that port unless told otherwise. */
    Peer startRendezvous(int defaultPort) {
        return where.applyTo(builder(), defaultPort).actAsRendezvous().start();
    }

    private PeerBuilder builder() {
        PeerBuilder builder = network.applyTo(
                codecs.applyTo(PeerDefaults.patient(Peer.builder().name(name))));
        return home == null ? builder : builder.home(home);
    }
}
