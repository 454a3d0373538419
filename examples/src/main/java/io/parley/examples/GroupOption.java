package io.parley.examples;

import io.parley.Peer;
import io.parley.examples.console.TextFormatter;
import io.parley.examples.console.UsageException;
import io.parley.group.PeerGroup;
import io.parley.id.GroupId;
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

    /** Returns the id of the group. */
    GroupId id() {
        if (name == null) {
            return GroupId.NET;
        }
        if (name.isBlank() || !name.equals(name.strip())) {
            throw new UsageException("--group is \"" + TextFormatter.escaped(name)
                    + "\". Use a name that is not empty and has no white space at its ends.");
        }
        return GroupId.ofName(name);
    }

    /** Joins the group. */
    PeerGroup join(Peer peer) {
        return name == null ? peer.netGroup() : peer.group(name).join();
    }
}
