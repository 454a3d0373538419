package io.parley.group.internal.view;

import io.parley.rendezvous.internal.SignedGroupMessage;
import java.util.List;

/** A message between neighbors of a {@link BroadcastTree}. The names are those of the paper. */
sealed interface TreeMessage {

    /** The maximum number of hops. A longer path counts as this. */
    int MAX_HOPS = 255;

    /**
     * A message to all members.
     *
     * @param hops the number of links on its path, from its sender to the receiver of this copy
     */
    record Gossip(SignedGroupMessage message, int hops) implements TreeMessage {}

    /**
     * Announces messages that its sender has.
     *
     * @param announcements at most {@link #MAX_ANNOUNCEMENTS}
     */
    record IHave(List<Announcement> announcements) implements TreeMessage {

        /** The maximum number of announcements of one message: 21 KiB. */
        static final int MAX_ANNOUNCEMENTS = 512;

        public IHave {
            announcements = List.copyOf(announcements);
        }
    }

    /**
     * The announcement of one message.
     *
     * @param hops the number of links that its path would have, as in {@link Gossip}
     */
    record Announcement(SignedGroupMessage.Key key, int hops) {}

    /** Requests a message, and makes the link eager. */
    record Graft(SignedGroupMessage.Key key) implements TreeMessage {}

    /** Makes the link lazy: its sender receives the messages from another neighbor first. */
    record Prune() implements TreeMessage {}
}
