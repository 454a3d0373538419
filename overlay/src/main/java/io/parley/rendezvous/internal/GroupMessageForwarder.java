package io.parley.rendezvous.internal;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What differs between clients and rendezvous when something is said to a group. Safe from any thread. */
interface GroupMessageForwarder {

    /** What a peer may say. */
    enum Verdict {
        ACCEPT,
        UNAUTHORIZED,
        THROTTLE
    }

    /** Whether something may come from that peer; costs little, as nothing of it has been verified. */
    Verdict judge(PeerId from, SignedGroupMessage said);

    /** Whether this peer is in the group. */
    boolean isIn(GroupId group);

    /**
     * Hands it on to whom it is to go from here.
     *
     * @param from who has brought it; null when this peer itself says it
     * @param ttl  how many rendezvous it may still come to, this one included if it is one
     * @return completes when it is under way; fails when it can't be
     */
    CompletableFuture<Void> pass(SignedGroupMessage said, @Nullable PeerId from, int ttl);
}
