package io.parley.bench.worker;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Measures the heap bytes allocated in this process. */
final class AllocationCounter {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private AllocationCounter() {}

    /**
     * Returns the bytes allocated by all live threads since each was started. Threads that have ended are not included
     * (JDK 21 could report them, JDK 17 cannot). Compare two calls only if no thread with significant allocation ends
     * between them.
     */
    static long bytesSoFar() {
        long sum = 0;
        for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            sum += Math.max(bytes, 0);
        }
        return sum;
    }
}
