package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The bounds and the eviction of the tables that remote peers fill. */
class RateAndDuplicateLimitsTest {

    private static final long SECOND = 1_000_000_000L;

    private final ManualScheduler scheduler = new ManualScheduler();

    @Test
    void duplicate_isDetectedWithinTheRetention() {
        DuplicateFilter<String> filter = new DuplicateFilter<>(10, Duration.ofSeconds(5), scheduler);
        assertThat(filter.add("a")).isTrue();
        scheduler.advance(Duration.ofSeconds(5).minusNanos(1));
        assertThat(filter.add("a")).isFalse();
        assertThat(filter.contains("a")).isTrue();
        assertThat(filter.add("b")).isTrue();
        scheduler.advance(Duration.ofNanos(1));
        assertThat(filter.contains("a")).isFalse();
        assertThat(filter.add("a")).isTrue();
        assertThat(filter.size()).isEqualTo(2);
    }

    @Test
    void duplicates_whenFull_evictTheOldest() {
        DuplicateFilter<Integer> filter = new DuplicateFilter<>(3, Duration.ofSeconds(5), scheduler);
        for (int id = 0; id < 4; id++) {
            assertThat(filter.add(id)).isTrue();
        }
        assertThat(filter.size()).isEqualTo(3);
        assertThat(filter.add(3)).isFalse();
        assertThat(filter.add(1)).as("a known key evicts nothing").isFalse();
        assertThat(filter.add(0)).isTrue();
    }

    @Test
    void bucket_yieldsABurst_thenItsRate() {
        TokenBucket bucket = new TokenBucket(2, 0);
        for (int i = 0; i < 4; i++) {
            assertThat(bucket.tryAcquire(0)).isTrue();
        }
        assertThat(bucket.tryAcquire(0)).isFalse();
        assertThat(bucket.tryAcquire(SECOND / 2)).isTrue();
        assertThat(bucket.tryAcquire(SECOND / 2)).isFalse();
        assertThat(bucket.tryAcquire(-SECOND)).as("time that runs back").isFalse();
        assertThat(bucket.tryAcquire(5, 100 * SECOND)).as("more than a burst").isFalse();
        assertThat(bucket.tryAcquire(4, 100 * SECOND)).isTrue();
    }

    @Test
    void rates_ofManyKeys_areBoundedTogether() {
        KeyedRateLimiter<Integer> limiter = new KeyedRateLimiter<>(10, 20, 5, scheduler);
        int acquired = 0;
        for (int key = 0; key < 200; key++) {
            acquired += limiter.tryAcquire(key) ? 1 : 0;
        }
        assertThat(acquired).isEqualTo(40);
        assertThat(limiter.size()).isEqualTo(5);
    }

    @Test
    void rate_ofOneKey_doesNotReduceTheRateOfOthers() {
        KeyedRateLimiter<String> limiter = new KeyedRateLimiter<>(10, 20, 5, scheduler);
        for (int i = 0; i < 1000; i++) {
            limiter.tryAcquire("flood");
        }
        for (int i = 0; i < 20; i++) {
            assertThat(limiter.tryAcquire("other")).isTrue();
        }
        assertThat(limiter.tryAcquire("other")).isFalse();
    }

    @Test
    void concurrency_ofOneKey_isAQuarter_inNumberAndBytes() {
        ConcurrencyLimiter<Integer> limiter = new ConcurrencyLimiter<>(8, 4000);
        assertThat(limiter.tryAcquire(1, 1001)).isFalse();
        assertThat(limiter.tryAcquire(1, 500)).isTrue();
        assertThat(limiter.tryAcquire(1, 501)).isFalse();
        assertThat(limiter.tryAcquire(1, 500)).isTrue();
        assertThat(limiter.tryAcquire(1, 0)).isFalse();
        for (int i = 2; i <= 4; i++) {
            assertThat(limiter.tryAcquire(i, 1000)).isTrue();
        }
        assertThat(limiter.tryAcquire(5, 1)).isFalse();
        limiter.release(1, 500);
        assertThat(limiter.tryAcquire(5, 500)).isTrue();
        assertThat(limiter.inUse()).isEqualTo(5);
    }
}
