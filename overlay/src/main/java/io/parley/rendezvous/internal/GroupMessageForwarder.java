package io.parley.rendezvous.internal;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The part of the propagation of group messages that differs between clients and rendezvous. Thread-safe. */
interface GroupMessageForwarder {

    /** The result of the check of a received message. */
    enum Verdict {
        ACCEPT,
        UNAUTHORIZED,
        THROTTLE
    }

    /** Checks whether the peer may send the message. Must be fast, because nothing of the message has been verified. */
    Verdict check(PeerId from, SignedGroupMessage message);

    /** Returns whether this peer is in the group. */
    boolean isMember(GroupId group);

    /**
     * Forwards a message to the peers that this peer is responsible for.
     *
     * @param from the peer that has sent it to this one; {@code null} if it is a message of this peer
     * @param ttl  the number of rendezvous that it may still reach, including this peer if it is one
     * @return a future that completes when the message is on its way, and fails if it cannot be sent
     */
    CompletableFuture<Void> forward(SignedGroupMessage message, @Nullable PeerId from, int ttl);
}
