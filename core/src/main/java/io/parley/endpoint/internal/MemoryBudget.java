package io.parley.endpoint.internal;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Memory that remote peers may reserve. A reservation must fit into this budget and into its parents. Thread-safe. */
final class MemoryBudget {

    private final String limitName;
    private final long limit;
    private final @Nullable MemoryBudget parent;
    private final AtomicLong used = new AtomicLong();

    /** @param limitName the name of the limit in {@link io.parley.endpoint.EndpointLimits} */
    MemoryBudget(String limitName, long limit, @Nullable MemoryBudget parent) {
        this.limitName = limitName;
        this.limit = limit;
        this.parent = parent;
    }

    boolean tryReserve(long bytes) {
        if (bytes == 0) {
            return true; // the usual case of a small message, without atomic operations
        }
        if (used.addAndGet(bytes) > limit) {
            used.addAndGet(-bytes);
            return false;
        }
        if (parent != null && !parent.tryReserve(bytes)) {
            used.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    /** Describes why {@code bytes} could not be reserved, with the limit, its use and the remedy. */
    String describeShortage(long bytes) {
        long inUse = used.get();
        return parent != null && inUse + bytes <= limit
                ? parent.describeShortage(bytes)
                : limitName + ": " + inUse + " of " + limit + " bytes in use, " + bytes
                        + " more needed; raise EndpointLimits." + limitName
                        + " of the receiving peer, release messages or close channels";
    }

    void release(long bytes) {
        if (bytes == 0) {
            return;
        }
        used.addAndGet(-bytes);
        if (parent != null) {
            parent.release(bytes);
        }
    }

    long used() {
        return used.get();
    }
}
