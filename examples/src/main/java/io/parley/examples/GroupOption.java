package io.parley.examples;

import io.parley.Peer;
import io.parley.group.PeerGroup;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The group in which a command works. */
final class GroupOption {

    @Option(
            names = {"-g", "--group"},
            paramLabel = "NAME",
            description = "Name of the group. A group exists while a peer is in it. Default: the net group, which"
                    + " contains every peer")
    private @Nullable String name;

    /** Joins the group. */
    PeerGroup join(Peer peer) {
        return name == null ? peer.netGroup() : peer.group(name).join();
    }
}
