package io.parley.testkit;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;
import java.util.function.IntFunction;

/**
 * Asserts that the processor time of a decoder is linear in the size of its input. The processor time of the thread is
 * measured, not the time of a clock, and the minimum of several runs counts, so other load on the machine does not matter. To
 * be warm, a decoder runs first until its time does not fall any more.
 */
public final class ProcessorTime {

    /** The maximum of time(4 N) / time(N). It is 4 for linear work, 16 for quadratic work. */
    static final double MAX_RATIO = 6;

    /** A run is repeated until it takes that long at N, so that the clock and interrupts do not matter. */
    private static final long MIN_NANOS = 2_000_000;

    private static final long WARM_UP_NANOS = 60_000_000;
    private static final int MIN_ROUNDS = 3;
    private static final int MAX_ROUNDS = 40;

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private ProcessorTime() {}

    /**
     * Measures a work at N, 2 N and 4 N.
     *
     * @param subject the decoder and its input
     * @param n       the size of the smallest input; 4 N must not exceed the limits of the decoder
     * @param works   returns the work for an input of a size: the input is prepared before, and the work can be repeated
     * @throws AssertionError if the time at 4 N remains above 6 times the time at N
     */
    public static void assertLinear(String subject, int n, IntFunction<Runnable> works) {
        Runnable[] work = {works.apply(n), works.apply(2 * n), works.apply(4 * n)};
        warmUp(work);
        long[] minNanos = {Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE};
        int repeats = repeats(work[0]);
        for (int round = 0; round < MAX_ROUNDS; round++) {
            for (int i = 0; i < work.length; i++) {
                minNanos[i] = Math.min(minNanos[i], nanos(work[i], repeats));
            }
            if (round + 1 >= MIN_ROUNDS && minNanos[2] <= MAX_RATIO * minNanos[0]) {
                return;
            }
        }
        throw new AssertionError(String.format(
                Locale.ROOT,
                "%s: processor time of %d, %d and %d: %.2f, %.2f and %.2f ms, in %d repetitions"
                        + " (expected: the last <= %.0f times the first)",
                subject,
                n,
                2 * n,
                4 * n,
                minNanos[0] / 1e6,
                minNanos[1] / 1e6,
                minNanos[2] / 1e6,
                repeats,
                MAX_RATIO));
    }

    private static void warmUp(Runnable[] work) {
        for (long spent = 0; spent < WARM_UP_NANOS; ) {
            for (Runnable next : work) {
                spent += nanos(next, 1);
            }
        }
    }

    private static int repeats(Runnable work) {
        int repeats = 1;
        while (nanos(work, repeats) < MIN_NANOS) {
            repeats *= 2;
        }
        return repeats;
    }

    private static long nanos(Runnable work, int repeats) {
        long before = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < repeats; i++) {
            work.run();
        }
        return THREADS.getCurrentThreadCpuTime() - before;
    }
}
