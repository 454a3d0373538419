package io.parley.endpoint.internal.memory;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Memory that remote peers may reserve: a node in the tree of process, endpoint, host, peer and connection. A reservation is
 * made at a connection and must fit into its budget and into all budgets above it. {@link BudgetTree} creates the nodes.
 * Thread-safe.
 */
public final class MemoryBudget {

    /** The least time between two calls of {@link #reclaim} that have an effect on one budget. */
    public static final Duration RECLAIM_INTERVAL = Duration.ofMillis(100);

    private final Object key;
    private final String limitName;
    private final long limit;
    private final @Nullable MemoryBudget parent;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong lastReclaimNanos = new AtomicLong(Long.MIN_VALUE / 2);

    private final SharePolicy sharing;
    private final ConcurrentMap<Object, MemoryBudget> children = new ConcurrentHashMap<>(2);
    private final Object structureLock;
    private final @Nullable Runnable onShortage;

    /** Whether the node is removed from the tree when nothing is reserved below it. */
    private volatile boolean closed;

    /**
     * The rules for the budgets directly below one.
     *
     * @param isEqual   whether each gets more only up to an equal share when memory is scarce
     * @param reserve   the number of bytes beyond the limit for those that have little
     * @param maxLittle the number of bytes that are little
     */
    private record SharePolicy(boolean isEqual, long reserve, long maxLittle) {

        static final SharePolicy NONE = new SharePolicy(false, 0, 0);
        static final SharePolicy EQUAL = new SharePolicy(true, 0, 0);
    }

    private MemoryBudget(
            Object key,
            String limitName,
            long limit,
            SharePolicy sharing,
            @Nullable MemoryBudget parent,
            @Nullable Runnable onShortage) {
        this.sharing = sharing;
        this.key = key;
        this.limitName = limitName;
        this.limit = limit;
        this.parent = parent;
        this.structureLock = parent == null ? new Object() : parent.structureLock;
        this.onShortage = onShortage;
    }

    /** @param limitName the name of the limit for error messages */
    static MemoryBudget root(String limitName, long limit) {
        return new MemoryBudget(limitName, limitName, limit, SharePolicy.NONE, null, null);
    }

    /**
     * Returns a new budget below this one, which the budgets below it share. It stays in the tree until it is closed and nothing is
     * reserved in it.
     *
     * @param reserve   the number of bytes beyond the limit for budgets below it that have little
     * @param maxLittle the number of bytes that are little
     */
    MemoryBudget newChild(String name, long bytes, long reserve, long maxLittle) {
        synchronized (structureLock) {
            SharePolicy sharing = new SharePolicy(true, reserve, maxLittle);
            return add(new MemoryBudget(new Object(), name, bytes, sharing, this, null));
        }
    }

    /**
     * Returns a new budget two levels below this one, through the budgets of {@code group} and {@code member}, which exist while
     * there are budgets below them. It stays in the tree until it is closed and nothing is reserved in it.
     *
     * @param memberBytes the limit of the member; the group has the limit of this budget
     * @param onShortage  called on any thread when memory is short in one of the budgets above; must not block
     */
    MemoryBudget newLeaf(Object group, Object member, String memberName, long memberBytes, Runnable onShortage) {
        synchronized (structureLock) {
            MemoryBudget between = child(group, limitName, limit, SharePolicy.EQUAL)
                    .child(member, memberName, memberBytes, SharePolicy.NONE);
            return between.add(
                    new MemoryBudget(new Object(), memberName, memberBytes, SharePolicy.NONE, between, onShortage));
        }
    }

    private MemoryBudget child(Object childKey, String name, long bytes, SharePolicy sharing) {
        MemoryBudget known = children.get(childKey);
        if (known != null) {
            return known;
        }
        MemoryBudget created = new MemoryBudget(childKey, name, bytes, sharing, this, null);
        created.closed = true;
        return add(created);
    }

    private MemoryBudget add(MemoryBudget child) {
        children.put(child.key, child);
        return child;
    }

    /** Removes the budget from the tree when nothing is reserved in it. No more memory may be reserved. */
    public void close() {
        closed = true;
        removeIfUnused();
    }

    private void removeIfUnused() {
        if (closed && used.get() == 0) {
            synchronized (structureLock) {
                MemoryBudget node = this;
                while (node.parent != null && node.closed && node.children.isEmpty()) {
                    node.parent.children.remove(node.key, node);
                    node = node.parent;
                }
            }
        }
    }

    /**
     * Reserves memory, if all budgets from this one up have it. Beyond four fifths of a budget that hosts or the peers of a host
     * share, each of them gets more only up to an equal share. Beyond the limit, those that have little get more from the reserve.
     */
    public boolean tryReserve(long bytes) {
        if (bytes == 0) {
            return true; // the usual case of a small message, without atomic operations
        }
        long sumBelow = 0;
        for (MemoryBudget node = this; node != null; node = node.parent) {
            sumBelow = node.tryAdd(bytes, sumBelow);
            if (sumBelow < 0) {
                subtract(bytes, node);
                return false;
            }
        }
        return true;
    }

    /**
     * Adds the bytes to this budget alone. Another thread must not see a reservation that this budget refuses.
     *
     * @return the sum, or -1 if the budget does not permit it
     */
    private long tryAdd(long bytes, long sumBelow) {
        long before;
        do {
            before = used.get();
            if (!permits(before + bytes, sumBelow)) {
                return -1;
            }
        } while (!used.compareAndSet(before, before + bytes));
        return before + bytes;
    }

    /**
     * Returns whether this budget and one directly below it may use that many bytes.
     *
     * @param sumBelow 0 if the memory is reserved at this budget
     */
    private boolean permits(long sum, long sumBelow) {
        boolean isLittle = sumBelow <= sharing.maxLittle;
        if (sum > limit) {
            return isLittle && sum - limit <= sharing.reserve;
        }
        boolean isAmple = sum <= limit - limit / 5;
        return isAmple || isLittle || !sharing.isEqual || sumBelow <= limit / Math.max(1, children.size());
    }

    /**
     * Reserves memory that is useful but not necessary, and leaves some for all others: at most half of what is free in the first
     * quarters of each budget.
     *
     * @param quarters the number of quarters, 1 to 4
     * @return the number of reserved bytes, 0 to {@code bytes}
     */
    public long reserveSpare(long bytes, int quarters) {
        long spare = bytes;
        for (MemoryBudget node = this; node != null; node = node.parent) {
            spare = Math.min(spare, (node.limit / 4 * quarters - node.used.get()) / 2);
        }
        return spare > 0 && tryReserve(spare) ? spare : 0;
    }

    /**
     * Reserves what is free, for something that can use a part of what it needs.
     *
     * @return the number of reserved bytes, 0 to {@code bytes}
     */
    long reserveRest(long bytes) {
        long rest = bytes;
        for (MemoryBudget node = this; node != null; node = node.parent) {
            rest = Math.min(rest, node.limit - node.used.get());
        }
        return rest > 0 && tryReserve(rest) ? rest : reserveSpare(bytes, 4);
    }

    public void release(long bytes) {
        if (bytes == 0) {
            return;
        }
        subtract(bytes, null);
        removeIfUnused();
    }

    /** Subtracts the bytes from this budget and those above it that are below {@code end}, or from all. */
    private void subtract(long bytes, @Nullable MemoryBudget end) {
        for (MemoryBudget node = this; node != null && node != end; node = node.parent) {
            node.used.addAndGet(-bytes);
        }
    }

    /**
     * Asks the connections below each budget in which less than {@code bytes} bytes, or less than an eighth, is free to give memory
     * back. Rate-limited, because remote peers can cause shortages.
     *
     * @param now the present time in the nanoseconds of the scheduler
     */
    public void reclaim(long bytes, long now) {
        for (MemoryBudget node = this; node != null; node = node.parent) {
            if (node.limit - node.used.get() < Math.max(bytes, node.limit / 8)) {
                node.reclaimBelow(now);
            }
        }
    }

    private void reclaimBelow(long now) {
        long last = lastReclaimNanos.get();
        long age = now - last; // negative if endpoints with different schedulers share this budget
        if ((age < 0 || age >= RECLAIM_INTERVAL.toNanos()) && lastReclaimNanos.compareAndSet(last, now)) {
            notifyShortage();
        }
    }

    private void notifyShortage() {
        if (onShortage != null) {
            onShortage.run();
        }
        children.values().forEach(MemoryBudget::notifyShortage);
    }

    /** Describes why {@code bytes} could not be reserved, with the limit, its use and the remedy. */
    public String describeShortage(long bytes) {
        long usedBelow = 0;
        long sumBelow = 0;
        MemoryBudget node = this;
        while (node.parent != null && node.permits(node.used.get() + bytes, sumBelow)) {
            usedBelow = node.used.get();
            sumBelow = usedBelow + bytes;
            node = node.parent;
        }
        String share = sumBelow == 0 || node.used.get() + bytes > node.limit
                ? ""
                : usedBelow + " of them by this host or peer, which is its share, ";
        return node.limitName + ": " + node.used.get() + " of " + node.limit + " bytes in use, "
                + share + bytes
                + " more needed; raise " + (node.parent == null ? "" : "EndpointLimits.") + node.limitName
                + " of the receiving peer, release messages or close channels";
    }

    public long used() {
        return used.get();
    }

    /** Returns the number of budgets directly below this one. */
    int childCount() {
        return children.size();
    }
}
