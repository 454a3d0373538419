package io.parley.common.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HostSharesTest {

    private final HostShares shares = new HostShares(100);

    @Test
    void singleHost_getsFourFifths_andAllWhileNobodyElseIsPresent() {
        assertThat(acquire("192.0.2.1", 120)).isEqualTo(100);
        assertThat(shares.used()).isEqualTo(100);
    }

    @Test
    void singleHost_leavesTheLastFifthToOthers_ifThereAreSharesForThem() {
        HostShares reserving = new HostShares(100, 2);
        assertThat(acquire(reserving, "192.0.2.1", 120)).isEqualTo(80);
        assertThat(acquire(reserving, "192.0.2.2", 120)).isEqualTo(20);
        HostShares small = new HostShares(1, 2);
        assertThat(acquire(small, "192.0.2.1", 2)).isEqualTo(1);
    }

    @Test
    void secondHost_findsRoomBesideAGreedyOne() {
        acquire("192.0.2.1", 80);
        assertThat(acquire("198.51.100.1", 100)).isEqualTo(20);
        assertThat(shares.isBelowShare(HostPrefix.of("198.51.100.1"), 1)).isTrue();
        assertThat(shares.isBelowShare(HostPrefix.of("192.0.2.1"), 0)).isFalse();
        assertThat(shares.largestHost()).contains(HostPrefix.of("192.0.2.1"));
    }

    @Test
    void greedyHost_getsNoMoreThanItsShareOfTheLastFifth() {
        acquire("198.51.100.1", 1);
        assertThat(acquire("192.0.2.1", 200)).isEqualTo(79);
    }

    @Test
    void networkOfManyHosts_isBoundAsWell() {
        for (int network = 0; network < 7; network++) {
            assertThat(acquire("198.51." + network + ".1", 1)).isEqualTo(1);
        }
        int greedy = 0;
        for (int host = 0; host < 100; host++) {
            greedy += acquire("192.0.2." + host, 1);
        }
        assertThat(greedy).as("four fifths without the 7 others").isEqualTo(73);
    }

    @Test
    void release_forgetsTheHost() {
        acquire("192.0.2.1", 80);
        for (int i = 0; i < 80; i++) {
            shares.release(HostPrefix.of("192.0.2.1"), 1);
        }
        assertThat(shares.used()).isZero();
        assertThat(shares.largestHost()).isEmpty();
    }

    /** Acquires single units until the first is refused, and returns their number. */
    private int acquire(String host, int max) {
        return acquire(shares, host, max);
    }

    private static int acquire(HostShares from, String host, int max) {
        int acquired = 0;
        while (acquired < max && from.tryAcquire(HostPrefix.of(host), 1)) {
            acquired++;
        }
        return acquired;
    }
}
