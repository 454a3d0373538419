package io.parley.common.internal;

import java.time.Duration;

/**
 * What arguments have to be. Each check fails with an {@link IllegalArgumentException} that names the argument, its value
 * and its range.
 */
public final class Arguments {

    private Arguments() {}

    /** From {@code least} to {@code most}, both included. */
    public static void range(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + " to " + most + ")");
        }
    }

    /** From {@code least} to {@code most}, both included. */
    public static void range(String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + " to " + most + ")");
        }
    }

    /** At least {@code least}. */
    public static void atLeast(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= " + least + ")");
        }
    }

    /** A time to wait: more than nothing, and {@code most} at the most. */
    public static void wait(String name, Duration value, Duration most) {
        if (value.isNegative() || value.isZero() || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: > 0, <= " + most + ")");
        }
    }
}
