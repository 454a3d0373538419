package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private final Random random = new Random(Long.getLong("parley.test.seed", 1));

    @Test
    void delays_doubleUpToTheMaximum_withJitter() {
        Backoff backoff = new Backoff(random, Duration.ofMillis(100), Duration.ofMillis(350));
        assertDelay(backoff, 100);
        assertDelay(backoff, 200);
        assertDelay(backoff, 350);
        assertDelay(backoff, 350);
        backoff.reset();
        assertDelay(backoff, 100);
    }

    private static void assertDelay(Backoff backoff, long maxMillis) {
        assertThat(backoff.next()).isBetween(Duration.ofMillis(maxMillis).dividedBy(2), Duration.ofMillis(maxMillis));
    }

    @Test
    void defaults_areFrom50MillisecondsTo5Seconds() {
        Backoff backoff = new Backoff(random);
        assertDelay(backoff, 50);
        Duration last = Duration.ZERO;
        for (int i = 0; i < 20; i++) {
            last = backoff.next();
        }
        assertThat(last).isBetween(Duration.ofMillis(2500), Duration.ofSeconds(5));
    }

    @Test
    void shortestDelays_areAccepted() {
        Backoff backoff = new Backoff(random, Duration.ofNanos(1), Duration.ofNanos(1));
        assertThat(backoff.nextNanos()).isZero();
        assertThat(backoff.nextNanos()).isZero();
    }
}
