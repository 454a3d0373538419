package io.parley.rendezvous;

import io.parley.endpoint.Limits;
import java.time.Duration;

/** What limits have to be. */
final class Checks {

    private Checks() {}

    static void range(String what, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(what + ": " + value + " (expected: " + least + " to " + most + ")");
        }
    }

    static void wait(String what, Duration value) {
        if (value.isNegative() || value.isZero() || value.compareTo(Limits.MAX_WAIT) > 0) {
            throw new IllegalArgumentException(what + ": " + value + " (expected: > 0, <= " + Limits.MAX_WAIT + ")");
        }
    }
}
