package io.parley.group.internal.view;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** A message that neighbors have announced and this peer has not received. Not thread-safe. */
final class MissingMessage {

    private final long announcedNanos;

    /** The neighbors that have announced the message, each with whether it was requested from this neighbor. */
    private final Map<TreeNeighbor, Boolean> sources = new LinkedHashMap<>();

    private long dueNanos;

    MissingMessage(long announcedNanos, long dueNanos) {
        this.announcedNanos = announcedNanos;
        this.dueNanos = dueNanos;
    }

    long announcedNanos() {
        return announcedNanos;
    }

    long dueNanos() {
        return dueNanos;
    }

    void setDueNanos(long value) {
        dueNanos = value;
    }

    /** Returns the neighbors that have announced the message. */
    Set<TreeNeighbor> sources() {
        return sources.keySet();
    }

    boolean hasSource(TreeNeighbor neighbor) {
        return sources.containsKey(neighbor);
    }

    /** Adds a neighbor, or replaces its announcement: the message may be requested from it again. */
    void addSource(TreeNeighbor neighbor) {
        sources.put(neighbor, false);
    }

    void removeSource(TreeNeighbor neighbor) {
        sources.remove(neighbor);
    }

    /** Returns whether the message was requested from this neighbor. */
    boolean isRequestedFrom(TreeNeighbor neighbor) {
        return sources.getOrDefault(neighbor, false);
    }

    /** Returns whether the message was requested from each neighbor that has announced it. */
    boolean isRequestedFromAll() {
        return !sources.containsValue(false);
    }

    /** Selects the first neighbor from which the message was not requested and to which a request may be sent. */
    Optional<TreeNeighbor> selectSource(Predicate<TreeNeighbor> mayRequest) {
        for (Map.Entry<TreeNeighbor, Boolean> source : sources.entrySet()) {
            if (!source.getValue() && mayRequest.test(source.getKey())) {
                source.setValue(true);
                return Optional.of(source.getKey());
            }
        }
        return Optional.empty();
    }
}
