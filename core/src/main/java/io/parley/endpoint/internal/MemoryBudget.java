package io.parley.endpoint.internal;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Memory that others may claim. A claim has to fit this budget and all above it. Safe from any thread. */
final class MemoryBudget {

    private final @Nullable MemoryBudget parent;
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    MemoryBudget(@Nullable MemoryBudget parent, long limit) {
        this.parent = parent;
        this.limit = limit;
    }

    boolean tryReserve(long bytes) {
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

    void release(long bytes) {
        used.addAndGet(-bytes);
        if (parent != null) {
            parent.release(bytes);
        }
    }

    long used() {
        return used.get();
    }
}
