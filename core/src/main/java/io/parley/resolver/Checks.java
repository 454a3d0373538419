package io.parley.resolver;

import io.parley.endpoint.Limits;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** What arguments have to be. */
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

    static void name(String name) {
        int bytes = name.length() > Query.MAX_NAME_BYTES ? name.length() : name.getBytes(StandardCharsets.UTF_8).length;
        range("bytes of the name", bytes, 1, Query.MAX_NAME_BYTES);
    }
}
