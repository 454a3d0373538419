package io.parley.pipes;

import io.parley.discovery.Search;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Explains why a pipe was not resolved: the peers that were queried, the failures, and the remedy. */
final class PipeNotFoundReason {

    private static final int MAX_FAILURES = 3;

    private PipeNotFoundReason() {}

    /**
     * Returns the most specific explanation, without a period.
     *
     * @param failures the holders that were found and did not respond
     * @param members  other members of the group that were found
     * @param search   the last search for holders; {@code null} if there was none
     */
    static String of(PeerGroup group, Map<PeerId, String> failures, Set<PeerId> members, @Nullable Search search) {
        if (!failures.isEmpty()) {
            return failures.values().stream().limit(MAX_FAILURES).collect(Collectors.joining("; "));
        }
        if (search == null) {
            return "no peer was queried within the time";
        }
        if (members.isEmpty()) {
            return "no other member of group " + group.name() + " was found; check the name of the group";
        }
        return "members of the group were found, but none has published the pipe; check the name of the pipe";
    }
}
