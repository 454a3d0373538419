package io.parley.resolver;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.PeerId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The tables that others fill: what they hold, and what they forget. */
class ResolverTableLimitsTest {

    private static final long SECOND = 1_000_000_000L;

    private static PeerId peer(int number) {
        byte[] bytes = new byte[PeerId.BYTES];
        bytes[0] = (byte) number;
        return PeerId.ofBytes(bytes);
    }

    @Test
    void seen_isKnown_untilItsTimeIsUp() {
        DuplicateFilter seen = new DuplicateFilter(10, Duration.ofSeconds(5));
        assertThat(seen.add(peer(1), 7, 0)).isTrue();
        assertThat(seen.add(peer(1), 7, 5 * SECOND - 1)).isFalse();
        assertThat(seen.add(peer(2), 7, 0))
                .as("another's question of the same number")
                .isTrue();
        assertThat(seen.add(peer(1), 7, 5 * SECOND)).isTrue();
        assertThat(seen.size()).isEqualTo(1);
    }

    @Test
    void seen_whenFull_forgetsTheOldest() {
        DuplicateFilter seen = new DuplicateFilter(3, Duration.ofSeconds(5));
        for (int id = 0; id < 4; id++) {
            assertThat(seen.add(peer(1), id, id)).isTrue();
        }
        assertThat(seen.size()).isEqualTo(3);
        assertThat(seen.add(peer(1), 3, 4)).isFalse();
        assertThat(seen.add(peer(1), 0, 4)).isTrue();
    }

    @Test
    void bucket_givesABurst_thenItsRate() {
        TokenBucket bucket = new TokenBucket(2, 0);
        for (int i = 0; i < 4; i++) {
            assertThat(bucket.tryTake(0)).isTrue();
        }
        assertThat(bucket.tryTake(0)).isFalse();
        assertThat(bucket.tryTake(SECOND / 2)).isTrue();
        assertThat(bucket.tryTake(SECOND / 2)).isFalse();
        assertThat(bucket.tryTake(-SECOND)).as("time that runs back").isFalse();
    }

    @Test
    void rates_ofMadeUpPeers_areBoundedTogether() {
        PeerRateLimiter rates = new PeerRateLimiter(10, 20, 5, 0);
        int taken = 0;
        for (int i = 0; i < 200; i++) {
            taken += rates.tryTake(peer(i), 0) ? 1 : 0;
        }
        assertThat(taken).isEqualTo(40);
    }

    @Test
    void slots_ofOnePeer_areAQuarter_inNumberAndBytes() {
        ConcurrencyLimiter slots = new ConcurrencyLimiter(8, 4000);
        assertThat(slots.tryTake(peer(1), 1001)).isFalse();
        assertThat(slots.tryTake(peer(1), 500)).isTrue();
        assertThat(slots.tryTake(peer(1), 501)).isFalse();
        assertThat(slots.tryTake(peer(1), 500)).isTrue();
        assertThat(slots.tryTake(peer(1), 0)).isFalse();
        for (int i = 2; i <= 4; i++) {
            assertThat(slots.tryTake(peer(i), 1000)).isTrue();
        }
        assertThat(slots.tryTake(peer(5), 1)).isFalse();
        slots.giveBack(peer(1), 500);
        assertThat(slots.tryTake(peer(5), 500)).isTrue();
        assertThat(slots.inUse()).isEqualTo(5);
    }
}
