package io.parley.group.internal.view;

import io.parley.rendezvous.internal.SignedGroupMessage;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The messages that neighbors have announced and this peer has not received, the oldest first. Not thread-safe. */
final class MissingMessages {

    /** A message to be requested from a neighbor. */
    record Request(TreeNeighbor neighbor, SignedGroupMessage.Key key) {}

    private final long graftDelayNanos;
    private final long spreadNanos;
    private final long retryDelayNanos;
    private final long expirationNanos;
    private final Random random;
    private final Map<SignedGroupMessage.Key, MissingMessage> messages = new LinkedHashMap<>();

    MissingMessages(BroadcastTreeLimits limits, Random random) {
        this.random = random;
        spreadNanos = limits.graftSpread().toNanos();
        graftDelayNanos = limits.graftDelay().toNanos();
        retryDelayNanos = limits.graftRetryDelay().toNanos();
        expirationNanos = limits.cacheTime().toNanos();
    }

    /** Records an announcement. Returns {@code false} if the neighbor has announced too many. */
    boolean add(TreeNeighbor neighbor, SignedGroupMessage.Key key, long now) {
        MissingMessage message = messages.get(key);
        boolean isCounted = message != null && message.hasSource(neighbor);
        if (!isCounted && !neighbor.tryAddMissing()) {
            return false;
        }
        if (message == null) {
            message = new MissingMessage(now, now + graftDelayNanos + random.nextLong(spreadNanos + 1));
            messages.put(key, message);
        }
        message.addSource(neighbor);
        return true;
    }

    /** Removes a message that was received. Returns {@code null} if no neighbor has announced it. */
    @Nullable
    MissingMessage remove(SignedGroupMessage.Key key) {
        MissingMessage message = messages.remove(key);
        if (message != null) {
            release(message);
        }
        return message;
    }

    /** Removes the announcements of a neighbor, which is not used any more. */
    void removeAll(TreeNeighbor neighbor) {
        messages.values().removeIf(message -> {
            message.removeSource(neighbor);
            return message.sources().isEmpty();
        });
    }

    /**
     * Returns the requests that are due now. Removes the messages that were requested from all neighbors, or are so old that no
     * neighbor has them.
     *
     * @param mayRequest decides whether a request may be sent to a neighbor now, and counts it. Otherwise the next neighbor gets it,
     *     or the message waits
     */
    List<Request> takeDue(long now, Predicate<TreeNeighbor> mayRequest) {
        List<Request> due = new ArrayList<>();
        Iterator<Map.Entry<SignedGroupMessage.Key, MissingMessage>> entries =
                messages.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<SignedGroupMessage.Key, MissingMessage> entry = entries.next();
            MissingMessage message = entry.getValue();
            if (now - message.announcedNanos() >= expirationNanos) {
                entries.remove();
                release(message);
            } else if (now - message.dueNanos() >= 0) {
                if (message.isRequestedFromAll()) {
                    entries.remove();
                    release(message);
                } else {
                    message.selectSource(mayRequest)
                            .ifPresent(neighbor -> due.add(new Request(neighbor, entry.getKey())));
                    message.setDueNanos(now + retryDelayNanos);
                }
            }
        }
        return due;
    }

    private static void release(MissingMessage message) {
        message.sources().forEach(TreeNeighbor::removeMissing);
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    void clear() {
        messages.clear();
    }
}
