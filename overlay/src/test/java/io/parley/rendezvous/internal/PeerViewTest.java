package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.internal.HostPrefix;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class PeerViewTest {

    private static final PeerId SELF = Identity.generate().peerId();
    private static final PeerId ALICE = Identity.generate().peerId();
    private static final PeerId BOB = Identity.generate().peerId();
    private static final PeerId CAROL = Identity.generate().peerId();
    private static final RendezvousLimits.PeerViewLimits LIMITS =
            new RendezvousLimits.PeerViewLimits(Duration.ofSeconds(5), Duration.ofSeconds(20), 3, 2);

    private final ManualScheduler scheduler = new ManualScheduler();
    private final RendezvousMetrics metrics = new RendezvousMetrics();
    private final PeerView view = new PeerView(SELF, LIMITS, scheduler, metrics);
    private final AtomicInteger changes = new AtomicInteger();

    PeerViewTest() {
        view.onChange(changes::incrementAndGet);
    }

    private static PeerViewEntry entry(PeerId peer, long issuedMillis) {
        return new PeerViewEntry(PeerAddress.of(peer), issuedMillis, new byte[0]);
    }

    /** Offers an entry of a rendezvous that has a host of its own. */
    private boolean offer(PeerId peer, long issuedMillis) {
        return view.offer(entry(peer, issuedMillis), peer.text());
    }

    private PeerView largeView() {
        return new PeerView(SELF, RendezvousLimits.PeerViewLimits.DEFAULTS, scheduler, metrics);
    }

    private static int add(PeerView view, int count, IntFunction<String> host) {
        int added = 0;
        for (int i = 0; i < count; i++) {
            added += view.offer(entry(Identity.generate().peerId(), 1), HostPrefix.of(host.apply(i))) ? 1 : 0;
        }
        return added;
    }

    @Test
    void offer_ofManyRendezvousOfOneHost_leavesRoomForOthers() {
        PeerView large = largeView();
        assertThat(add(large, 255, i -> "192.0.2.1")).isEqualTo(15);
        assertThat(add(large, 255, i -> "2001:db8::" + Integer.toHexString(i))).isEqualTo(15); // one /64
        assertThat(metrics.get(Counter.VIEW_ENTRIES_REFUSED)).isEqualTo(2 * 255 - 2 * 15);
        assertThat(add(large, 2, i -> "192.0.2." + (2 + i))).isEqualTo(2);
    }

    @Test
    void offer_ofManyRendezvousOfOneNetwork_leavesRoomForOthers() {
        PeerView large = largeView();
        assertThat(add(large, 255, i -> "192.0.2." + i)).isEqualTo(63);
        assertThat(add(large, 255, i -> "2001:db8:0:" + Integer.toHexString(i) + "::1"))
                .isEqualTo(63); // one /48
        assertThat(add(large, 2, i -> "198.51.100." + i)).isEqualTo(2);
    }

    @Test
    void offer_toAFullView_replacesOneOfTheHostWithMost() {
        PeerView large = largeView();
        add(large, 1, i -> "192.0.2.1");
        Set<PeerId> first = large.peers();
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(add(large, 14, i -> "192.0.2.1")).isEqualTo(14);
        assertThat(add(large, 240, i -> "10." + i + ".0.1")).isEqualTo(240);
        assertThat(large.size()).isEqualTo(255);
        assertThat(add(large, 1, i -> "198.51.100.1")).isEqualTo(1);
        assertThat(large.size()).isEqualTo(255);
        assertThat(large.peers()).doesNotContainAnyElementsOf(first);
        assertThat(add(large, 1, i -> "192.0.2.1")).isZero();
        assertThat(large.replicaSelector().peers()).hasSize(256);
    }

    @Test
    void refresh_ofAMember_isASignOfLife_butAddsNone() {
        offer(ALICE, 5);
        scheduler.advance(Duration.ofSeconds(15));
        assertThat(view.refresh(entry(ALICE, 5))).isFalse();
        assertThat(view.silentFor(Duration.ofSeconds(15))).containsExactly(ALICE);
        assertThat(view.refresh(entry(ALICE, 6))).isTrue();
        assertThat(view.silentFor(Duration.ofSeconds(15))).isEmpty();
        assertThat(view.refresh(entry(BOB, 6))).isFalse();
        assertThat(view.peers()).containsExactly(ALICE);
    }

    @Test
    void spares_areAsManyAsFailing_andEndWhenTheyRespond() {
        PeerView large = largeView();
        add(large, 10, i -> "10." + i + ".0.1");
        long item = 4711;
        List<PeerId> ranked = large.replicaSelector().select(6, item);
        List<PeerId> others = ranked.stream().filter(peer -> !peer.equals(SELF)).toList();
        assertThat(large.spares(3, item)).isEmpty();
        ParleyException failure = ErrorCode.TIMEOUT.exception("test");
        PeerId first = ranked.subList(0, 3).stream()
                .filter(others::contains)
                .findFirst()
                .orElseThrow();
        large.onFailed(first, ErrorCode.BUSY.exception("test"));
        assertThat(large.isFailing(first)).isFalse();
        large.onFailed(first, failure);
        assertThat(large.spares(3, item)).containsExactly(ranked.get(3));
        if (!ranked.get(3).equals(SELF)) {
            large.onFailed(ranked.get(3), failure);
            assertThat(large.spares(3, item)).containsExactly(ranked.get(4));
        }
        large.onServed(first);
        assertThat(large.spares(3, item)).isEmpty();
        large.onFailed(Identity.generate().peerId(), failure); // no member
    }

    @Test
    void failure_isForgottenAfterTheFailureTimeout() {
        offer(ALICE, 1);
        view.onFailed(ALICE, ErrorCode.TIMEOUT.exception("test"));
        scheduler.advance(LIMITS.failureTimeout().minusNanos(1));
        assertThat(view.isFailing(ALICE)).isTrue();
        scheduler.advance(Duration.ofNanos(1));
        assertThat(view.isFailing(ALICE)).isFalse();
    }

    @Test
    void offer_ofANewRendezvous_isAdded_andNotifiedOnce() {
        assertThat(offer(ALICE, 1)).isTrue();
        assertThat(offer(ALICE, 2)).isTrue();
        assertThat(view.peers()).containsExactly(ALICE);
        assertThat(view.replicaSelector().peers()).containsExactlyInAnyOrder(SELF, ALICE);
        assertThat(changes).hasValue(1);
    }

    @Test
    void offer_ofThisPeer_orToAFullView_isIgnored() {
        assertThat(offer(SELF, 1)).isFalse();
        offer(ALICE, 1);
        offer(BOB, 1);
        assertThat(offer(CAROL, 1)).isFalse();
        assertThat(offer(BOB, 2)).isTrue();
        assertThat(view.peers()).containsExactlyInAnyOrder(ALICE, BOB);
    }

    @Test
    void offer_ofAnEntryThatIsNotNewer_isNoSignOfLife() {
        offer(ALICE, 5);
        scheduler.advance(Duration.ofSeconds(15));
        assertThat(offer(ALICE, 5)).isFalse();
        assertThat(offer(ALICE, 4)).isFalse();
        assertThat(view.silentFor(Duration.ofSeconds(15))).containsExactly(ALICE);
        offer(ALICE, 6);
        assertThat(view.silentFor(Duration.ofSeconds(15))).isEmpty();
    }

    @Test
    void remove_thenTheSameEntry_isIgnored_butANewerOneIsAdded() {
        offer(ALICE, 5);
        assertThat(view.remove(ALICE, "test")).isTrue();
        assertThat(view.remove(ALICE, "test")).isFalse();
        assertThat(offer(ALICE, 5)).isFalse();
        assertThat(view.replicaSelector().peers()).containsExactly(SELF);
        assertThat(offer(ALICE, 6)).isTrue();
        assertThat(changes).hasValue(3);
        assertThat(metrics.get(Counter.VIEW_ENTRIES_ADDED)).isEqualTo(2);
        assertThat(metrics.get(Counter.VIEW_ENTRIES_REMOVED)).isEqualTo(1);
    }

    @Test
    void newest_beginsWithTheEntryReceivedLast() {
        offer(ALICE, 1);
        scheduler.advance(Duration.ofSeconds(1));
        offer(BOB, 1);
        assertThat(view.newest().stream().map(PeerViewEntry::peer)).containsExactly(BOB, ALICE);
        scheduler.advance(Duration.ofSeconds(1));
        offer(ALICE, 2);
        assertThat(view.newest().stream().map(PeerViewEntry::peer)).containsExactly(ALICE, BOB);
    }

    @Test
    void onLeave_alsoOutdatesEntriesThatArriveLater() {
        offer(ALICE, 5);
        view.onLeave(ALICE, 7);
        assertThat(view.peers()).isEmpty();
        assertThat(offer(ALICE, 7)).isFalse();
        view.onLeave(ALICE, 9);
        assertThat(offer(ALICE, 9)).isFalse();
        assertThat(offer(ALICE, 10)).isTrue();
    }

    @Test
    void onLeave_ofManyUnknownPeers_doesNotEvictRemovedOnes() {
        offer(ALICE, 5);
        view.onLeave(ALICE, 7);
        for (int i = 0; i < 10; i++) {
            view.onLeave(Identity.generate().peerId(), 3);
        }
        assertThat(offer(ALICE, 7)).isFalse();
        assertThat(view.peers()).isEmpty();
    }
}
