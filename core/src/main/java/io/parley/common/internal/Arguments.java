package io.parley.common.internal;

import java.time.Duration;

/** Checks arguments. Each method throws an {@link IllegalArgumentException} with the name, the value and the range. */
public final class Arguments {

    /** The longest timeout that can be set: 365 days. */
    public static final Duration MAX_TIMEOUT = Duration.ofDays(365);

    private Arguments() {}

    /** Requires {@code min <= value <= max}. */
    public static void requireRange(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + " to " + max + ")");
        }
    }

    /** Requires {@code min <= value <= max}. */
    public static void requireRange(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + " to " + max + ")");
        }
    }

    /** Requires {@code value >= min}. */
    public static void requireAtLeast(String name, long value, long min) {
        if (value < min) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= " + min + ")");
        }
    }

    /** Requires {@code 0 < value <= }{@link #MAX_TIMEOUT}. */
    public static void requireTimeout(String name, Duration value) {
        requireTimeout(name, value, MAX_TIMEOUT);
    }

    /** Requires {@code 0 < value <= max}. */
    public static void requireTimeout(String name, Duration value, Duration max) {
        if (value.isNegative() || value.isZero() || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: > 0, <= " + max + ")");
        }
    }
}
