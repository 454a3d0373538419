package io.parley.bench.suite;

import java.time.Duration;
import java.util.List;

/**
 * How much time a run takes.
 *
 * @param rounds how often each contender has its turn, after the warm-up
 * @param coldStart of each contender once, so that its code is compiled before anything is measured
 * @param warmUp of each contender with each size
 * @param turn how long one measurement of one contender lasts, about
 * @param mostRoundTrips an end to a turn of small messages
 * @param counted messages in turns that count bytes instead of time
 * @param roundTripBytes the sizes of the round trip suite
 */
public record TimeBudget(
        String name,
        int rounds,
        Duration coldStart,
        Duration warmUp,
        Duration turn,
        long mostRoundTrips,
        long counted,
        List<Integer> roundTripBytes) {

    private static final String FULL = "full";
    private static final String TINY = "tiny";
    private static final List<Integer> BYTES =
            List.of(64, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20);

    /** What figures for publication need. */
    public static TimeBudget full() {
        return new TimeBudget(
                FULL,
                7,
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                Duration.ofSeconds(1),
                Long.MAX_VALUE,
                20_000,
                BYTES);
    }

    /** A look, in two to three minutes. */
    public static TimeBudget quick() {
        return new TimeBudget(
                "quick",
                3,
                Duration.ofSeconds(3),
                Duration.ofMillis(250),
                Duration.ofMillis(80),
                Long.MAX_VALUE,
                5_000,
                BYTES);
    }

    /** Proves that everything runs; the figures mean nothing. */
    public static TimeBudget tiny() {
        return new TimeBudget(
                TINY,
                2,
                Duration.ofMillis(1),
                Duration.ofMillis(1),
                Duration.ofMillis(1),
                20,
                20,
                List.of(64, 1 << 10, 64 << 10));
    }

    /** Whether figures are for publication. */
    boolean isFull() {
        return name.equals(FULL);
    }

    /** Whether figures mean nothing. */
    boolean isTiny() {
        return name.equals(TINY);
    }

    /** The same with other message sizes. */
    public TimeBudget withSizes(List<Integer> bytes) {
        return new TimeBudget(name, rounds, coldStart, warmUp, turn, mostRoundTrips, counted, bytes);
    }
}
