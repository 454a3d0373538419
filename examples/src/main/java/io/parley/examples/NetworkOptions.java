package io.parley.examples;

import io.parley.PeerBuilder;
import io.parley.examples.console.CommandFailedException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Whom a peer asks for others that it knows by name only. */
final class NetworkOptions {

    @Option(
            names = "--rendezvous",
            paramLabel = "ADDRESS",
            description =
                    "Ask the rendezvous there, such as tcp://host:9701, what others have published. May be repeated:"
                            + " when one is gone, another takes its place.")
    private List<String> rendezvous = new ArrayList<>();

    @Option(names = "--no-multicast", description = "Don't look for peers on the local network.")
    private boolean noMulticast;

    /** The builder with what was asked for. */
    PeerBuilder applyTo(PeerBuilder builder) {
        rendezvous.forEach(builder::rendezvous);
        return builder.multicast(!noMulticast);
    }

    /** Whether others are looked for on the local network. */
    boolean isMulticast() {
        return !noMulticast;
    }

    /** Whether a rendezvous was named. */
    boolean hasRendezvous() {
        return !rendezvous.isEmpty();
    }

    /** Who finds others by name needs somebody to ask. */
    void requireSomebodyToAsk() {
        if (noMulticast && rendezvous.isEmpty()) {
            throw new CommandFailedException(
                    "There is nobody to ask: name a --rendezvous, or leave out --no-multicast.");
        }
    }
}
