package io.parley.examples;

import io.parley.Peer;
import io.parley.PeerBuilder;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of commands that wait for others: an identity that lasts, and where to listen. */
final class HostOptions {

    @Option(
            names = "--home",
            paramLabel = "DIR",
            description = "Where this peer's identity is kept; made when it is missing. Default: ~/.parley, or a fresh"
                    + " identity where others come by name")
    private @Nullable Path home;

    @Mixin
    private CodecOptions codecs = new CodecOptions();

    @Mixin
    private ListenOptions where = new ListenOptions();

    @Mixin
    private NetworkOptions network = new NetworkOptions();

    /** In which formats to talk. */
    CodecOptions codecs() {
        return codecs;
    }

    /** Starts a peer to which others come with a ticket, which has the address in it. */
    Peer start() {
        return where.applyTo(builder().home(PeerDefaults.orDefault(home)).multicast(false))
                .start();
    }

    /** Starts a peer which others find. Several of them on one machine must not be taken for one peer. */
    Peer startToBeFound(String name) {
        network.requireSomebodyToAsk();
        PeerBuilder builder = network.applyTo(builder().name(name));
        return where.applyTo(home == null ? builder : builder.home(home)).start();
    }

    private PeerBuilder builder() {
        return codecs.applyTo(PeerDefaults.patient(Peer.builder()));
    }
}
