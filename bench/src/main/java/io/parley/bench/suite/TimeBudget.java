package io.parley.bench.suite;

import io.parley.bench.result.Spread;
import java.time.Duration;
import java.util.List;

/**
 * The time budget of a run.
 *
 * @param name the name of the budget
 * @param rounds the number of turns of each contender after the warm-up
 * @param coldStart the time that each contender runs once before any measurement, so that its code is compiled
 * @param warmUp the warm-up time of each contender with each message size
 * @param turn the approximate duration of one measurement of one contender
 * @param maxRoundTrips the maximum number of round trips in one turn
 * @param counted the number of messages in turns that count bytes instead of time
 * @param roundTripBytes the message sizes of the round-trip suite, in bytes
 */
public record TimeBudget(
        String name,
        int rounds,
        Duration coldStart,
        Duration warmUp,
        Duration turn,
        long maxRoundTrips,
        long counted,
        List<Integer> roundTripBytes) {

    private static final String FULL = "full";
    private static final String TINY = "tiny";
    private static final List<Integer> BYTES =
            List.of(1, 64, 1 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20);

    /** Returns the budget for figures that are to be published. */
    public static TimeBudget full() {
        return new TimeBudget(
                FULL,
                Spread.MIN_VERDICT_ROUNDS,
                Duration.ofSeconds(8),
                Duration.ofSeconds(1),
                Duration.ofMillis(300),
                Long.MAX_VALUE,
                20_000,
                BYTES);
    }

    /** Returns the budget for a quick run with less precise figures. */
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

    /** Returns the smallest budget, which checks that every suite runs. The figures have no significance. */
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

    /** Returns whether the figures are suitable for publication. */
    boolean isFull() {
        return name.equals(FULL);
    }

    /** Returns whether the figures have no significance. */
    boolean isTiny() {
        return name.equals(TINY);
    }

    /** Returns a copy with other message sizes. */
    public TimeBudget withSizes(List<Integer> bytes) {
        return new TimeBudget(name, rounds, coldStart, warmUp, turn, maxRoundTrips, counted, bytes);
    }
}
