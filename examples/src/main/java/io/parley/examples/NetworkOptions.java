package io.parley.examples;

import io.parley.PeerBuilder;
import io.parley.examples.console.UsageException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The sources that a peer searches for other peers: rendezvous and the local network. */
final class NetworkOptions {

    @Option(
            names = "--rendezvous",
            paramLabel = "ADDRESS",
            description =
                    "Address of a rendezvous, such as tcp://host:9701. May be repeated: if one rendezvous fails, the"
                            + " peer uses another one. Default: none")
    private List<String> rendezvous = new ArrayList<>();

    @Option(names = "--no-multicast", description = "No multicast: do not search for peers on the local network.")
    private boolean noMulticast;

    /** Selects the sources in a builder. */
    PeerBuilder applyTo(PeerBuilder builder) {
        rendezvous.forEach(builder::rendezvous);
        return builder.multicast(!noMulticast);
    }

    /** Returns whether the peer searches the local network. */
    boolean isMulticast() {
        return !noMulticast;
    }

    /** Returns whether a rendezvous was given. */
    boolean hasRendezvous() {
        return !rendezvous.isEmpty();
    }

    /** Requires at least one source. Without one, no other peer can be found by name. */
    void requireSource() {
        if (noMulticast && rendezvous.isEmpty()) {
            throw new UsageException("Other peers cannot be found. Use --rendezvous, or omit --no-multicast.");
        }
    }
}
