package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
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

    private boolean offer(PeerId peer, long issuedMillis) {
        return view.offer(new PeerViewEntry(PeerAddress.of(peer), issuedMillis, new byte[0]));
    }

    @Test
    void offer_ofSomebodyNew_isRanked_andToldOnce() {
        assertThat(offer(ALICE, 1)).isTrue();
        assertThat(offer(ALICE, 2)).isTrue();
        assertThat(view.peers()).containsExactly(ALICE);
        assertThat(view.replicaSelector().peers()).containsExactlyInAnyOrder(SELF, ALICE);
        assertThat(changes).hasValue(1);
    }

    @Test
    void offer_ofThisPeer_orOfOneTooMany_isNotTaken() {
        assertThat(offer(SELF, 1)).isFalse();
        offer(ALICE, 1);
        offer(BOB, 1);
        assertThat(offer(CAROL, 1)).isFalse();
        assertThat(offer(BOB, 2)).isTrue();
        assertThat(view.peers()).containsExactlyInAnyOrder(ALICE, BOB);
    }

    @Test
    void offer_ofWhatIsNotNewer_doesNotCountAsASignOfLife() {
        offer(ALICE, 5);
        scheduler.advance(Duration.ofSeconds(15));
        assertThat(offer(ALICE, 5)).isFalse();
        assertThat(offer(ALICE, 4)).isFalse();
        assertThat(view.silentFor(Duration.ofSeconds(15))).containsExactly(ALICE);
        offer(ALICE, 6);
        assertThat(view.silentFor(Duration.ofSeconds(15))).isEmpty();
    }

    @Test
    void drop_thenTheSameStatement_isNotTaken_butANewerOneIs() {
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
    void newest_beginsWithTheOneHeardLast() {
        offer(ALICE, 1);
        scheduler.advance(Duration.ofSeconds(1));
        offer(BOB, 1);
        assertThat(view.newest().stream().map(PeerViewEntry::peer)).containsExactly(BOB, ALICE);
        scheduler.advance(Duration.ofSeconds(1));
        offer(ALICE, 2);
        assertThat(view.newest().stream().map(PeerViewEntry::peer)).containsExactly(ALICE, BOB);
    }

    @Test
    void leave_alsoOutdatesStatementsThatAreStillUnderWay() {
        offer(ALICE, 5);
        view.onLeave(ALICE, 7);
        assertThat(view.peers()).isEmpty();
        assertThat(offer(ALICE, 7)).isFalse();
        view.onLeave(ALICE, 9);
        assertThat(offer(ALICE, 9)).isFalse();
        assertThat(offer(ALICE, 10)).isTrue();
    }

    @Test
    void leave_ofManyStrangers_doesNotMakeItForgetWhoWasDropped() {
        offer(ALICE, 5);
        view.onLeave(ALICE, 7);
        for (int i = 0; i < 10; i++) {
            view.onLeave(Identity.generate().peerId(), 3);
        }
        assertThat(offer(ALICE, 7)).isFalse();
        assertThat(view.peers()).isEmpty();
    }
}
