package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.testkit.ManualScheduler;
import io.parley.transport.TransportLimits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HandshakeLimiterTest {

    private final ManualScheduler time = new ManualScheduler();
    private final List<Integer> evicted = new ArrayList<>();
    private int count;

    @Test
    void rate_isPerHost_andRefills() {
        HandshakeLimiter limiter = limiter(TransportLimits.DEFAULTS.toBuilder().handshakesPerSecond(4));
        for (int i = 0; i < 2 * 4; i++) { // the burst of two seconds
            begin(limiter, 1);
        }
        assertThat(tryBegin(limiter, 1)).isNull();
        assertThat(tryBegin(limiter, 2)).isNotNull();
        time.advance(Duration.ofSeconds(1));
        assertThat(tryBegin(limiter, 1)).isNotNull();
    }

    @Test
    void rate_ofAllHosts_isThatOfTen() {
        HandshakeLimiter limiter = limiter(TransportLimits.DEFAULTS.toBuilder().handshakesPerSecond(4));
        for (int host = 0; host < 10; host++) {
            for (int i = 0; i < 2 * 4; i++) {
                limiter.release(begin(limiter, host));
            }
        }
        assertThat(tryBegin(limiter, 10)).isNull();
    }

    @Test
    void host_withItsMaximumOfHandshakes_isRefused_andUsesNothingOfItsRate() {
        HandshakeLimiter limiter = limiter(
                TransportLimits.DEFAULTS.toBuilder().maxHandshakesPerHost(2).handshakesPerSecond(2));
        HandshakeLimiter.Handshake first = begin(limiter, 1);
        begin(limiter, 1);
        for (int i = 0; i < 10; i++) {
            assertThat(tryBegin(limiter, 1)).isNull();
        }
        assertThat(tryBegin(limiter, 2)).isNotNull();
        limiter.release(first);
        begin(limiter, 1);
    }

    @Test
    void oldestOfTheLargestHost_givesWayToAnotherHost_andIsReleasedOnce() {
        HandshakeLimiter limiter = limiter(TransportLimits.DEFAULTS.toBuilder().maxHandshakes(6));
        List<HandshakeLimiter.Handshake> first = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            first.add(begin(limiter, 1));
        }
        begin(limiter, 2);
        begin(limiter, 2);
        assertThat(tryBegin(limiter, 1)).as("above its share").isNull();
        begin(limiter, 3);
        begin(limiter, 3);
        assertThat(evicted).containsExactly(0, 1);
        assertThat(tryBegin(limiter, 3)).as("above its share").isNull();

        limiter.release(first.get(0));
        limiter.release(first.get(1)); // when their connections are closed
        assertThat(tryBegin(limiter, 1)).as("no place became free").isNull();
        limiter.release(first.get(2));
        limiter.release(first.get(2));
        begin(limiter, 1);
        assertThat(tryBegin(limiter, 1)).as("one place became free").isNull();
    }

    private HandshakeLimiter limiter(TransportLimits.Builder limits) {
        return new HandshakeLimiter(limits.build(), time);
    }

    private HandshakeLimiter.Handshake begin(HandshakeLimiter limiter, int host) {
        HandshakeLimiter.Handshake handshake = tryBegin(limiter, host);
        assertThat(handshake).isNotNull();
        return handshake;
    }

    private HandshakeLimiter.@Nullable Handshake tryBegin(HandshakeLimiter limiter, int host) {
        int number = count++;
        InetAddress address = new InetSocketAddress("192.0." + host + ".1", 1).getAddress();
        return limiter.tryAcquire(address, () -> evicted.add(number));
    }
}
