package io.parley.bench.worker;

import java.time.Duration;

/** Formats durations for display. */
final class DurationFormatter {

    private DurationFormatter() {}

    static String text(Duration duration) {
        return "%.1f s".formatted(duration.toMillis() / 1e3);
    }
}
