package io.parley.group.internal.view;

import io.parley.common.internal.TokenBucket;
import io.parley.group.internal.view.TreeMessage.IHave;
import io.parley.id.PeerId;
import io.parley.rendezvous.internal.SignedGroupMessage;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The state of a {@link BroadcastTree} for one neighbor. Not thread-safe. */
final class TreeNeighbor {

    private final PeerId peer;
    private final int maxMissing;
    private final TokenBucket grafts;
    private final TokenBucket graftedBytes;

    /** The messages that are to be announced to this neighbor, the oldest first. */
    private final Set<SignedGroupMessage.Key> unannounced = new LinkedHashSet<>();

    private boolean eager = true;
    private int missing;

    TreeNeighbor(PeerId peer, BroadcastTreeLimits limits, long nanoTime) {
        this.peer = peer;
        this.maxMissing = limits.maxMissing();
        this.grafts = new TokenBucket(limits.graftsPerSecond(), nanoTime);
        this.graftedBytes = new TokenBucket(limits.graftedBytesPerSecond(), nanoTime);
    }

    PeerId peer() {
        return peer;
    }

    /** Returns whether messages are sent to this neighbor at once. They are announced to a lazy one. */
    boolean isEager() {
        return eager;
    }

    void setEager(boolean value) {
        eager = value;
    }

    /** Adds a message to the next announcements. Returns whether there was room: if not, it has replaced the oldest. */
    boolean announce(SignedGroupMessage.Key key) {
        boolean hasRoom = !isAnnouncementFull();
        if (!hasRoom) {
            unannounced.remove(unannounced.iterator().next());
        }
        unannounced.add(key);
        return hasRoom;
    }

    boolean isAnnouncementFull() {
        return unannounced.size() >= IHave.MAX_ANNOUNCEMENTS;
    }

    boolean hasAnnouncements() {
        return !unannounced.isEmpty();
    }

    /** Records that this neighbor has a message, which therefore need not be announced to it. */
    void onHas(SignedGroupMessage.Key key) {
        unannounced.remove(key);
    }

    /** Removes and returns the announcements. */
    List<SignedGroupMessage.Key> takeAnnouncements() {
        List<SignedGroupMessage.Key> taken = List.copyOf(unannounced);
        unannounced.clear();
        return taken;
    }

    /** Counts a missing message that this neighbor has announced. Returns {@code false} if it has announced too many. */
    boolean tryAddMissing() {
        if (missing >= maxMissing) {
            return false;
        }
        missing++;
        return true;
    }

    void removeMissing() {
        missing--;
    }

    /** Returns whether a message may be requested from this neighbor, and counts the request. */
    boolean tryRequest(long nanoTime) {
        return grafts.tryAcquire(nanoTime);
    }

    /** Records that this neighbor has sent a message that was requested: only requests in vain are limited. */
    void onResponse() {
        grafts.putBack(1);
    }

    /** Returns whether this neighbor may request a message of this size, and counts the bytes. */
    boolean tryRespond(int bytes, long nanoTime) {
        if (!graftedBytes.has(1, nanoTime)) {
            return false;
        }
        graftedBytes.take(bytes); // also more than there are: the rate may be less than one message
        return true;
    }
}
