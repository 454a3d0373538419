package io.parley.bench.worker;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Heap bytes allocated in this process. */
final class AllocationCounter {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private AllocationCounter() {}

    /**
     * The sum over all live threads since each was started. Threads that have ended are not in it (JDK 21 could tell,
     * JDK 17 cannot), so compare two calls between which no thread of weight ends.
     */
    static long bytesSoFar() {
        long sum = 0;
        for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            sum += Math.max(bytes, 0);
        }
        return sum;
    }
}
