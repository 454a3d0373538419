package io.parley.examples;

import io.parley.Peer;
import io.parley.group.PeerGroup;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** In which group something is done. */
final class GroupOption {

    @Option(
            names = {"-g", "--group"},
            paramLabel = "NAME",
            description = "Do it in the group of that name, which exists as soon as somebody is in it."
                    + " Default: the one that every peer is in")
    private @Nullable String name;

    /** Joins it. */
    PeerGroup join(Peer peer) {
        return name == null ? peer.netGroup() : peer.group(name).join();
    }
}
