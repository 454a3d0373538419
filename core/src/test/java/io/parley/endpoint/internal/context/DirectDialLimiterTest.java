package io.parley.endpoint.internal.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rounds of dials that remote peers cause, one peer without end or many peers at once. */
class DirectDialLimiterTest {

    private final ManualScheduler time = new ManualScheduler();
    private final DirectDialLimiter limiter = new DirectDialLimiter(time);

    private static PeerId invented() {
        return Identity.generate().peerId();
    }

    @Test
    void roundsOfOnePeer_haveGrowingDelays_untilThereWasNoneForAMinute() {
        PeerId peer = invented();
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            assertThat(limiter.tryStart(peer)).isZero();
            Duration delay = limiter.tryStart(peer);
            delays.add(delay.toSeconds());
            time.advance(delay.minusNanos(1));
            assertThat(limiter.tryStart(peer)).isEqualTo(Duration.ofNanos(1));
            time.advance(Duration.ofNanos(1));
        }
        assertThat(delays).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
        time.advance(DirectDialLimiter.MAX_DELAY.plusNanos(1));
        assertThat(limiter.tryStart(peer)).isZero();
        assertThat(limiter.tryStart(peer)).isEqualTo(DirectDialLimiter.MIN_DELAY);
    }

    @Test
    void roundsOfManyPeers_haveARate() {
        int started = 0;
        for (int second = 0; second < 10; second++) {
            for (int i = 0; i < 500; i++) {
                started += limiter.tryStart(invented()).isZero() ? 1 : 0;
            }
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(started)
                .isBetween(10 * DirectDialLimiter.ROUNDS_PER_SECOND, 12 * DirectDialLimiter.ROUNDS_PER_SECOND);
    }

    @Test
    void peerThatWasRefused_becauseOfOthers_waitsForItsOwnDelay() {
        while (limiter.tryStart(invented()).isZero()) {
            // all rounds of the moment
        }
        PeerId peer = invented();
        assertThat(limiter.tryStart(peer)).isEqualTo(DirectDialLimiter.MIN_DELAY);
        time.advance(Duration.ofMillis(600));
        assertThat(limiter.tryStart(peer)).isEqualTo(Duration.ofMillis(400));
        time.advance(Duration.ofMillis(400));
        assertThat(limiter.tryStart(peer)).isZero();
    }
}
