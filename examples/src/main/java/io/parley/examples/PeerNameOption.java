package io.parley.examples;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The name under which other peers find a peer that waits for connections. */
final class PeerNameOption {

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Name of this peer. Other peers can connect by this name, without a ticket."
                    + " Default: none, other peers need the ticket")
    private @Nullable String name;

    /** Returns the name, or {@code null} if none was given. */
    @Nullable
    String name() {
        return name;
    }

    /** Returns the name, or an empty text if none was given. */
    String orEmpty() {
        return name == null ? "" : name;
    }
}
