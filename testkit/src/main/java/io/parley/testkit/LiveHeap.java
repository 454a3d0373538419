package io.parley.testkit;

import java.lang.management.ManagementFactory;

/** The memory of the objects that are in use, for tests of what memory costs. */
public final class LiveHeap {

    private LiveHeap() {}

    /** Returns the bytes that are in use after full collections. */
    public static long bytes() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) { // what one collection clears is free in the next
            System.gc();
            used = Math.min(
                    used,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return used;
    }
}
