package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PeerViewCandidatesTest {

    private static final int MAX_CANDIDATES = 80;
    private static final int MAX_OF_ONE_BRINGER = MAX_CANDIDATES / 8;
    private static final Random RANDOM = new Random(1);
    private static final PeerId MALLORY = Identity.generate().peerId();
    private static final PeerId BOB = Identity.generate().peerId();

    private final ManualScheduler scheduler = new ManualScheduler();
    private final PeerViewCandidates candidates = new PeerViewCandidates(MAX_CANDIDATES, scheduler);

    /** Returns a peer that needs no key: generating one takes a hundred times as long. */
    private static PeerId peer() {
        byte[] bytes = new byte[PeerId.BYTES];
        RANDOM.nextBytes(bytes);
        return PeerId.ofBytes(bytes);
    }

    private static PeerViewEntry entry(PeerId peer, long issuedMillis, String... addresses) {
        List<EndpointAddress> parsed = new ArrayList<>();
        for (String address : addresses) {
            parsed.add(EndpointAddress.parse(address));
        }
        return new PeerViewEntry(new PeerAddress(peer, parsed), issuedMillis, new byte[0]);
    }

    private int addMany(PeerId bringer, String host, int count) {
        int added = 0;
        for (int i = 0; i < count; i++) {
            added += candidates.add(bringer, host, entry(peer(), 1)) ? 1 : 0;
        }
        return added;
    }

    /** Takes all candidates that may be contacted now. */
    private List<PeerAddress> drain() {
        List<PeerAddress> all = new ArrayList<>();
        for (Optional<PeerAddress> next = candidates.next(); next.isPresent(); next = candidates.next()) {
            all.add(next.get());
        }
        return all;
    }

    @Test
    void bringer_hasABoundedNumberOfPlaces() {
        assertThat(addMany(MALLORY, "mallory", 1000)).isEqualTo(MAX_OF_ONE_BRINGER);
        assertThat(candidates.size()).isEqualTo(MAX_OF_ONE_BRINGER);
        assertThat(addMany(BOB, "bob", 1000)).isEqualTo(MAX_OF_ONE_BRINGER);
    }

    @Test
    void bringersOfOneHost_leavePlacesForOthers() {
        for (int i = 0; i < 100; i++) {
            addMany(peer(), "mallory", 1000);
        }
        assertThat(candidates.size()).isEqualTo(MAX_CANDIDATES);
        assertThat(addMany(BOB, "bob", 5)).isEqualTo(5);
        assertThat(candidates.size()).isEqualTo(MAX_CANDIDATES);
    }

    @Test
    void next_takesTheCandidatesOfAllBringersByTurns() {
        addMany(MALLORY, "mallory", 1000);
        PeerId carol = peer();
        PeerId dave = peer();
        candidates.add(BOB, "bob", entry(carol, 1));
        candidates.add(BOB, "bob", entry(dave, 1));
        List<PeerId> contacted = drain().stream().map(PeerAddress::peer).toList();
        assertThat(contacted.indexOf(carol)).isEqualTo(1);
        assertThat(contacted.indexOf(dave)).isEqualTo(3);
        assertThat(contacted).hasSize(MAX_OF_ONE_BRINGER + 2);
        assertThat(candidates.size()).isZero();
        assertThat(addMany(MALLORY, "mallory", 1000)).isEqualTo(MAX_OF_ONE_BRINGER); // the places are free again
    }

    @Test
    void next_isContactedAgain_onlyWithANewerEntry_whoeverNamesIt() {
        PeerId carol = peer();
        candidates.add(MALLORY, "mallory", entry(carol, 5));
        candidates.add(BOB, "bob", entry(carol, 5));
        assertThat(drain()).hasSize(1);
        assertThat(candidates.size()).isZero();
        candidates.add(BOB, "bob", entry(carol, 5));
        candidates.add(BOB, "bob", entry(carol, 4));
        assertThat(drain()).isEmpty();
        candidates.add(BOB, "bob", entry(carol, 6));
        assertThat(drain()).extracting(PeerAddress::peer).containsExactly(carol);
    }

    @Test
    void next_dialsOneClaimedHostAtALowRate_andOthersMeanwhile() {
        for (int i = 0; i < MAX_OF_ONE_BRINGER; i++) {
            candidates.add(MALLORY, "mallory", entry(peer(), 1, "tcp://192.0.2.1:" + (1000 + i)));
        }
        PeerId carol = peer();
        candidates.add(MALLORY, "mallory", entry(carol, 1)); // no place left
        candidates.add(BOB, "bob", entry(carol, 1, "tcp://198.51.100.1:9701", "tcp://192.0.2.1:9701"));
        List<PeerAddress> contacted = drain();
        assertThat(contacted)
                .filteredOn(address -> address.addresses().toString().contains("192.0.2.1"))
                .hasSize(2 * PeerViewCandidates.DIALS_PER_SECOND);
        assertThat(contacted).extracting(PeerAddress::peer).contains(carol);
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(drain()).hasSize(PeerViewCandidates.DIALS_PER_SECOND);
    }

    @Test
    void next_ofACandidateWithAHostWhoseRateIsReached_hasItsOtherAddresses() {
        for (int i = 0; i < 2 * PeerViewCandidates.DIALS_PER_SECOND; i++) {
            candidates.add(MALLORY, "mallory", entry(peer(), 1, "tcp://192.0.2.1:9701"));
        }
        drain();
        candidates.add(BOB, "bob", entry(peer(), 1, "tcp://192.0.2.1:9701", "tcp://198.51.100.1:9701"));
        assertThat(drain())
                .singleElement()
                .satisfies(address -> assertThat(address.addresses())
                        .containsExactly(EndpointAddress.parse("tcp://198.51.100.1:9701")));
    }
}
