package io.parley.common.internal;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;

/** Writes durations for people: {@code 200 ms}, {@code 1.5 s}, {@code 2 min}, {@code 36 h}. */
public final class DurationFormatter {

    private static final int NANOS_PER_MICRO = 1000;
    private static final long SECONDS_PER_MINUTE = 60;
    private static final long SECONDS_PER_HOUR = 3600;

    private DurationFormatter() {}

    /** Returns hours or minutes if there is no odd second, otherwise seconds, below one second milliseconds; exact to a microsecond. */
    public static String format(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds == 0 || seconds == -1) {
            return plain(BigDecimal.valueOf(duration.toNanos()).movePointLeft(6)) + " ms";
        }
        if (duration.toNanosPart() >= NANOS_PER_MICRO || seconds % SECONDS_PER_MINUTE != 0) {
            return plain(BigDecimal.valueOf(duration.toNanosPart(), 9).add(BigDecimal.valueOf(seconds))) + " s";
        }
        return seconds % SECONDS_PER_HOUR == 0
                ? seconds / SECONDS_PER_HOUR + " h"
                : seconds / SECONDS_PER_MINUTE + " min";
    }

    private static String plain(BigDecimal value) {
        BigDecimal rounded = value.setScale(6, RoundingMode.DOWN).stripTrailingZeros();
        return rounded.scale() < 0 ? rounded.toBigInteger().toString() : rounded.toPlainString();
    }
}
