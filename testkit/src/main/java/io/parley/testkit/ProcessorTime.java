package io.parley.testkit;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Asserts that the processor time of a decoder is linear in the size of its input. The processor time of the thread is
 * measured, not the time of a clock. The minimum of many samples counts, and samples of all sizes take the same time, because
 * other load on the machine slows down the processor (caches, sibling threads) at times. The decoder runs warm.
 */
public final class ProcessorTime {

    /** The maximum of time(4 N) / time(N). It is 4 for linear work, 16 for quadratic work. */
    static final double MAX_RATIO = 6;

    /** A run is repeated until it takes that long at 4 N, so that the clock and interrupts do not matter. */
    private static final long MIN_NANOS = 2_000_000;

    private static final long WARM_UP_NANOS = 60_000_000;
    private static final int MIN_ROUNDS = 3;

    /** The rounds in a row that must pass. The code may become faster between the samples of a round, and then only 4 N has the better one. */
    private static final int MIN_PASSED = 2;

    /** Samples are taken for that long before the work fails: other load must pause for a few milliseconds only. */
    private static final long MAX_NANOS = 3_000_000_000L;

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
        int[] sizes = {n, 2 * n, 4 * n};
        Runnable[] work = IntStream.of(sizes).mapToObj(works).toArray(Runnable[]::new);
        warmUp(work);
        int repeats = repeats(work[2]);
        double[] minNanos = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE};
        long spent = 0;
        int passed = 0;
        for (int round = 1; round <= MIN_ROUNDS || spent < MAX_NANOS; round++) {
            for (int i = 0; i < work.length; i++) {
                int runs = repeats * sizes[2] / sizes[i];
                long nanos = nanos(work[i], runs);
                minNanos[i] = Math.min(minNanos[i], (double) nanos / runs);
                spent += nanos;
            }
            passed = minNanos[2] <= MAX_RATIO * minNanos[0] ? passed + 1 : 0;
            if (round >= MIN_ROUNDS && passed >= MIN_PASSED) {
                return;
            }
        }
        throw new AssertionError(String.format(
                Locale.ROOT,
                "%s: processor time of %d, %d and %d: %.3f, %.3f and %.3f ms (expected: the last <= %.0f times the first)",
                subject,
                sizes[0],
                sizes[1],
                sizes[2],
                minNanos[0] / 1e6,
                minNanos[1] / 1e6,
                minNanos[2] / 1e6,
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
