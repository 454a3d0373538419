package io.parley.examples;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** By which name of its own a peer that waits for others is found. */
final class PeerNameOption {

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description =
                    "Name this peer: others can then come by that name too, without a ticket. Default: it is known by"
                            + " its id alone")
    private @Nullable String name;

    /** What it is; null when there is none. */
    @Nullable
    String name() {
        return name;
    }

    /** What it is; empty when there is none. */
    String orEmpty() {
        return name == null ? "" : name;
    }
}
