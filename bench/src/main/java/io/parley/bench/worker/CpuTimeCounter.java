package io.parley.bench.worker;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Measures the processor time that this process has used, in all of its threads. */
public final class CpuTimeCounter {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private CpuTimeCounter() {}

    /** Returns the nanoseconds since the start of the process. The JVM may count in steps of 10 ms. */
    public static long nanosSoFar() {
        return SYSTEM.getProcessCpuTime();
    }
}
