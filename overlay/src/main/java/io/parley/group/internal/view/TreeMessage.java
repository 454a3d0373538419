package io.parley.group.internal.view;

import io.parley.rendezvous.internal.SignedGroupMessage;
import java.util.List;

/** A message between neighbors of a {@link BroadcastTree}. The names are those of the paper. */
sealed interface TreeMessage {

    /** A message to all members. */
    record Gossip(SignedGroupMessage message) implements TreeMessage {}

    /**
     * Announces messages that its sender has.
     *
     * @param keys at most {@link #MAX_ANNOUNCEMENTS}
     */
    record IHave(List<SignedGroupMessage.Key> keys) implements TreeMessage {

        /** The maximum number of announcements of one message: 20 KiB. */
        static final int MAX_ANNOUNCEMENTS = 512;

        public IHave {
            keys = List.copyOf(keys);
        }
    }

    /** Requests a message, and makes the link eager. */
    record Graft(SignedGroupMessage.Key key) implements TreeMessage {}

    /** Makes the link lazy: its sender receives the messages from another neighbor first. */
    record Prune() implements TreeMessage {}
}
