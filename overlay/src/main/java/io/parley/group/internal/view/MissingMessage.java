package io.parley.group.internal.view;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** A message that neighbors have announced and this peer has not received. Not thread-safe. */
final class MissingMessage {

    /** The announcement of one neighbor. */
    private static final class Source {

        private final int hops;
        private boolean requested;

        private Source(int hops) {
            this.hops = hops;
        }
    }

    private final long announcedNanos;
    private final Map<TreeNeighbor, Source> sources = new LinkedHashMap<>();
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
    void addSource(TreeNeighbor neighbor, int hops) {
        sources.put(neighbor, new Source(hops));
    }

    boolean removeSource(TreeNeighbor neighbor) {
        return sources.remove(neighbor) != null;
    }

    /** Returns whether the message was requested from this neighbor. */
    boolean isRequestedFrom(TreeNeighbor neighbor) {
        Source source = sources.get(neighbor);
        return source != null && source.requested;
    }

    /** Returns whether the message was requested from each neighbor that has announced it. */
    boolean isRequestedFromAll() {
        return sources.values().stream().allMatch(source -> source.requested);
    }

    /** Selects the first neighbor from which the message was not requested and to which a request may be sent. */
    Optional<TreeNeighbor> selectSource(Predicate<TreeNeighbor> mayRequest) {
        for (Map.Entry<TreeNeighbor, Source> source : sources.entrySet()) {
            if (!source.getValue().requested && mayRequest.test(source.getKey())) {
                source.getValue().requested = true;
                return Optional.of(source.getKey());
            }
        }
        return Optional.empty();
    }

    /** Returns the first neighbor whose path has at most {@code maxHops} hops. */
    Optional<TreeNeighbor> sourceWithin(int maxHops) {
        return sources.entrySet().stream()
                .filter(source -> source.getValue().hops <= maxHops)
                .map(Map.Entry::getKey)
                .findFirst();
    }
}
