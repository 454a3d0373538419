package io.parley.endpoint.link;

import java.time.Duration;
import java.util.random.RandomGenerator;

/** Delays that double from 50 ms up to 5 s, each cut by up to a half at random, so that peers do not come in waves. */
final class Backoff {

    private static final long FIRST_NANOS = Duration.ofMillis(50).toNanos();
    private static final long LAST_NANOS = Duration.ofSeconds(5).toNanos();

    private final RandomGenerator random;
    private long next = FIRST_NANOS;

    Backoff(RandomGenerator random) {
        this.random = random;
    }

    long nextNanos() {
        long delay = next / 2 + random.nextLong(next / 2);
        next = Math.min(LAST_NANOS, next * 2);
        return delay;
    }
}
