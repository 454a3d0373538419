package io.parley.rendezvous.internal;

import static io.parley.rendezvous.internal.Publisher.GROUP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.ModuleImplAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.internal.HostPrefix;
import io.parley.discovery.DiscoveryQuery;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.store.ValuePattern;
import io.parley.store.internal.PutOutcome;
import io.parley.store.internal.StoreKey;
import io.parley.testkit.LiveHeap;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AdvertisementIndexTest {

    private static final Duration MAX_CLOCK_SKEW = AdvertisementLimits.DEFAULTS.maxClockSkew();
    private static final PeerId OTHER_RENDEZVOUS = Identity.generate().peerId();

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));
    private final ManualScheduler scheduler = new ManualScheduler(clock, new Random(1));

    /** The hosts of peers; each other one has a host of its own. */
    private final Map<PeerId, String> hosts = new HashMap<>();

    private final RendezvousMetrics metrics = new RendezvousMetrics();
    private final Publisher alice = new Publisher(Identity.generate(), clock);
    private final Publisher bob = new Publisher(Identity.generate(), clock);
    private final AdvertisementIndex index = new AdvertisementIndex(
            RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                    .maxEntries(40)
                    .maxBytes(RendezvousLimits.IndexLimits.MIN_BYTES)
                    .maxAdvertisementsPerClient(10)
                    .maxBytesPerClient(8 << 10)
                    .publicationsPerSecond(1000)
                    .build(),
            MAX_CLOCK_SKEW,
            scheduler,
            Runnable::run,
            peer -> hosts.getOrDefault(peer, peer.text()),
            metrics);

    @AfterEach
    void close() {
        index.close();
    }

    private void put(Publisher publisher, String name) {
        index.put(publisher.signPipe(name), publisher.id(), true);
    }

    private static DiscoveryQuery named(String pattern) {
        return DiscoveryQuery.any().with("Name", pattern);
    }

    private IndexSearchResponse find(DiscoveryQuery query) {
        return index.find(GROUP, query, 0, 100);
    }

    private static void assertRefused(Runnable putting, String... parts) {
        assertThatThrownBy(putting::run)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED))
                .hasMessageContainingAll(parts);
    }

    @Test
    void smallAdvertisements_needNoMoreHeapThanTheLimit() {
        RendezvousLimits.IndexLimits limits = RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                .maxBytes(2 * RendezvousLimits.IndexLimits.MIN_BYTES)
                .maxAdvertisementsPerClient(100_000)
                .build();
        long before = LiveHeap.bytes();
        try (AdvertisementIndex full = new AdvertisementIndex(
                limits, MAX_CLOCK_SKEW, scheduler, Runnable::run, PeerId::text, new RendezvousMetrics())) {
            int count = 0;
            while (isAdded(full, "small" + count)) {
                count++;
            }
            long used = LiveHeap.bytes() - before;
            assertThat(full.size()).isEqualTo(count).isGreaterThan(500);
            assertThat(used).isLessThanOrEqualTo(limits.maxBytes() * 11 / 10);
        }
    }

    @Test
    void longKeys_areDistinguished() {
        SignedAdvertisement first = implementation("x".repeat(999) + "1");
        SignedAdvertisement second = implementation("x".repeat(999) + "2");
        assertThat(index.put(first, alice.id(), true).outcome()).isEqualTo(PutOutcome.ADDED);
        assertThat(index.put(first, alice.id(), true).outcome()).isEqualTo(PutOutcome.UNCHANGED);
        assertThat(index.put(second, alice.id(), true).outcome()).isEqualTo(PutOutcome.ADDED);
        assertThat(find(DiscoveryQuery.of("jxta:MIA")).documents())
                .containsExactlyInAnyOrder(first.toByteArray(), second.toByteArray());
    }

    private SignedAdvertisement implementation(String code) {
        AdvertisementId spec = new AdvertisementId("urn:jxta:uuid-" + "AB".repeat(32) + "06");
        return alice.sign(new ModuleImplAdvertisement(spec, null, null, code, null, null, null), Duration.ofHours(2));
    }

    private boolean isAdded(AdvertisementIndex full, String name) {
        try {
            return full.put(alice.signPipe(name), alice.id(), true).outcome() == PutOutcome.ADDED;
        } catch (ParleyException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED);
            return false;
        }
    }

    @Test
    void find_ofAnExactValue_returnsTheSignedDocument_andItsPublisher() {
        SignedAdvertisement signed = alice.signPipe("rain");
        SignedAdvertisement self = alice.signSelf();
        index.put(signed, alice.id(), true);
        index.put(self, alice.id(), true);
        put(alice, "snow");
        IndexSearchResponse found = find(named("rain"));
        assertThat(found.documents()).containsExactly(signed.toByteArray());
        assertThat(found.peers()).containsExactly(self.toByteArray());
        assertThat(found.more()).isFalse();
    }

    @Test
    void find_inAnotherGroup_findsNothing() {
        put(alice, "rain");
        IndexSearchResponse found = index.find(GroupId.ofName("traffic"), named("rain"), 0, 10);
        assertThat(found.documents()).isEmpty();
        assertThat(found.more()).isFalse();
    }

    @Test
    void pages_ofAPattern_fitTogether() {
        for (int i = 0; i < 9; i++) {
            put(alice, "rain " + i % 3 + i);
            put(bob, "rain " + i % 2 + i);
        }
        List<byte[]> all = new ArrayList<>();
        IndexSearchResponse page;
        do {
            page = index.find(GROUP, named("rain*"), all.size(), 4);
            assertThat(page.documents()).hasSizeLessThanOrEqualTo(4);
            all.addAll(page.documents());
        } while (page.more());
        assertThat(all).hasSize(18).doesNotHaveDuplicates();
        assertThat(all.stream().map(ByteBuffer::wrap).distinct()).hasSize(18);
    }

    @Test
    void put_ofAnOlderVersion_keepsTheNewerOne() {
        SignedAdvertisement older = alice.signPipe("rain");
        clock.advance(Duration.ofMillis(5));
        SignedAdvertisement newer = alice.signPipe("rain");
        assertThat(index.put(newer, alice.id(), true).outcome()).isEqualTo(PutOutcome.ADDED);
        assertThat(index.put(older, OTHER_RENDEZVOUS, false).outcome()).isEqualTo(PutOutcome.STALE);
        assertThat(find(named("rain")).documents()).containsExactly(newer.toByteArray());
    }

    /** The clock of the rendezvous and of its client was ahead. */
    @Test
    void put_afterTheClockWasSetBack_replacesTheVersionOfTheFuture() {
        clock.advance(Duration.ofDays(3));
        SignedAdvertisement future = alice.signPipe("rain");
        index.put(future, alice.id(), true);
        clock.advance(Duration.ofDays(-3));
        SignedAdvertisement present = alice.signPipe("rain");
        assertThat(index.put(present, alice.id(), true).outcome()).isEqualTo(PutOutcome.ADDED);
        assertThat(find(named("rain")).documents()).containsExactly(present.toByteArray());
    }

    @Test
    void put_ofAWithdrawal_hidesOlderVersions_alsoAfterAReplay() {
        SignedAdvertisement signed = alice.signPipe("rain");
        index.put(signed, alice.id(), true);
        clock.advance(Duration.ofMillis(5));
        index.put(alice.sign(Publisher.pipe(GROUP, "rain"), Duration.ofSeconds(1)), alice.id(), true);
        index.put(signed, OTHER_RENDEZVOUS, false);
        assertThat(find(named("rain")).documents()).isEmpty();
        assertThat(find(DiscoveryQuery.any()).documents()).isEmpty();
    }

    @Test
    void withdrawnPeerAdvertisement_isNoPublisher() {
        SignedAdvertisement self = alice.signSelf();
        SignedAdvertisement rain = alice.signPipe("rain");
        index.put(self, alice.id(), true);
        index.put(rain, alice.id(), true);
        StoreKey key = IndexEntryMapper.of(rain).key();
        assertThat(index.publisher(key)).isPresent();
        clock.advance(Duration.ofMillis(5));
        index.put(alice.sign(self.advertisement(), Duration.ofSeconds(1)), alice.id(), true);
        assertThat(index.publisher(key)).isEmpty();
        IndexSearchResponse found = find(named("rain"));
        assertThat(found.documents()).containsExactly(rain.toByteArray());
        assertThat(found.peers()).isEmpty();
    }

    @Test
    void tombstones_thatPrecedeOtherEntries_doNotHideThem() {
        Map<ByteBuffer, String> names = new HashMap<>();
        for (int i = 0; i < 10; i++) {
            SignedAdvertisement signed = alice.signPipe("rain " + i);
            index.put(signed, alice.id(), true);
            names.put(ByteBuffer.wrap(signed.toByteArray()), "rain " + i);
        }
        List<byte[]> all = find(DiscoveryQuery.any()).documents();
        assertThat(all).hasSize(10);
        clock.advance(Duration.ofMillis(5));
        for (byte[] document : all.subList(0, 8)) {
            String name = Objects.requireNonNull(names.get(ByteBuffer.wrap(document)));
            index.put(alice.sign(Publisher.pipe(GROUP, name), Duration.ofSeconds(1)), alice.id(), true);
        }
        IndexSearchResponse first = index.find(GROUP, DiscoveryQuery.any(), 0, 1);
        assertThat(first.documents()).containsExactly(all.get(8));
        assertThat(first.more()).isTrue();
        IndexSearchResponse last = index.find(GROUP, DiscoveryQuery.any(), 1, 1);
        assertThat(last.documents()).containsExactly(all.get(9));
        assertThat(last.more()).isFalse();
    }

    @Test
    void put_aboveTheQuota_isRefused_forThisPeerOnly() {
        for (int i = 0; i < 10; i++) {
            put(alice, "rain " + i);
        }
        assertRefused(() -> put(alice, "one more"), alice.id().toString(), "10 advertisements");
        put(bob, "one more");
        assertThat(index.size()).isEqualTo(11);
    }

    @Test
    void put_ofANewerVersion_countsOnce() {
        for (int i = 0; i < 30; i++) {
            clock.advance(Duration.ofMillis(5));
            put(alice, "rain");
        }
        assertThat(index.size()).isEqualTo(1);
    }

    @Test
    void put_aboveTheQuotaOfBytes_isRefused() {
        String text = "x".repeat(900);
        for (int i = 0; i < 5; i++) {
            put(alice, i + text);
        }
        assertRefused(
                () -> {
                    for (int i = 0; i < 5; i++) {
                        put(alice, "more" + i + text);
                    }
                },
                "8192 bytes");
    }

    @Test
    void expiration_releasesTheQuota() {
        for (int i = 0; i < 10; i++) {
            put(alice, "rain " + i);
        }
        clock.advance(Duration.ofHours(2).plusSeconds(1));
        put(alice, "one more");
        assertThat(find(named("rain*")).documents()).isEmpty();
        assertThat(find(named("one more")).documents()).hasSize(1);
        assertThat(index.size()).isEqualTo(1);
    }

    /** Adds ten advertisements of each of {@code count} publishers at one host. */
    private List<Publisher> fill(String host, int count) {
        List<Publisher> publishers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Publisher publisher = new Publisher(Identity.generate(), clock);
            publishers.add(publisher);
            hosts.put(publisher.id(), HostPrefix.of(host));
            for (int pipe = 0; pipe < 10; pipe++) {
                put(publisher, "rain " + i + pipe);
            }
        }
        return publishers;
    }

    @Test
    void put_intoAnIndexFullOfTheSameHost_isRefused_andNothingIsLost() {
        fill("192.0.2.1", 4);
        hosts.put(bob.id(), HostPrefix.of("192.0.2.1"));
        assertRefused(() -> put(bob, "one more"), "full", "40");
        assertThat(find(named("rain*")).documents()).hasSize(40);
    }

    @Test
    void put_intoAnIndexFullOfAnotherHost_takesThePlaceOfItsLatest() {
        List<Publisher> crowd = fill("192.0.2.1", 4);
        hosts.put(bob.id(), HostPrefix.of("198.51.100.1"));
        String large = "x".repeat(1000);
        for (int i = 0; i < 5; i++) {
            put(bob, i + large);
        }
        assertThat(find(named("*" + large)).documents()).hasSize(5);
        assertThat(index.size()).isEqualTo(40);
        assertThat(metrics.get(RendezvousMetrics.Counter.ADVERTISEMENTS_EVICTED))
                .isEqualTo(5);
        for (int i = 0; i < 4; i++) {
            assertThat(find(named("rain " + i + "0")).documents()).hasSize(1);
        }
        for (Publisher publisher : crowd) {
            assertRefused(() -> put(publisher, "again"), "");
        }
        assertThat(find(named("*" + large)).documents()).hasSize(5);
    }

    @Test
    void renewals_ofAHostAboveItsShare_leaveItsChargeAsItIs() {
        List<Publisher> crowd = fill("192.0.2.1", 4);
        hosts.put(alice.id(), HostPrefix.of("198.51.100.1"));
        hosts.put(bob.id(), HostPrefix.of("198.51.100.1"));
        for (int i = 0; i < 5; i++) {
            put(alice, "snow " + i);
        }
        clock.advance(Duration.ofMillis(5));
        for (int i = 0; i < 4; i++) {
            for (int pipe = 0; pipe < 10; pipe++) {
                String name = "rain " + i + pipe;
                if (!find(named(name)).documents().isEmpty()) {
                    put(crowd.get(i), name);
                }
            }
        }
        for (int i = 0; i < 5; i++) {
            put(bob, "hail " + i);
        }
        assertThat(find(named("snow*")).documents()).hasSize(5);
        assertThat(find(named("hail*")).documents()).hasSize(5);
        assertThat(find(named("rain*")).documents()).hasSize(30);
        assertThat(index.size()).isEqualTo(40);
    }

    @Test
    void put_intoAnIndexFullOfManyHosts_isRefusedBeyondAnEqualShare() {
        for (int i = 0; i < 4; i++) {
            fill("203.0." + i + ".1", 1);
        }
        hosts.put(bob.id(), HostPrefix.of("198.51.100.1"));
        for (int i = 0; i < 8; i++) {
            put(bob, "snow " + i);
        }
        assertRefused(() -> put(bob, "one more"), "full");
        assertThat(find(named("snow*")).documents()).hasSize(8);
        assertThat(find(named("rain*")).documents()).hasSize(32);
    }

    @Test
    void put_ofAHostAboveItsShare_intoAFullIndex_evictsNothing() {
        List<String> large = List.of("192.0.2.1", "198.51.100.1");
        large.forEach(host -> fill(host, 2));
        hosts.put(alice.id(), HostPrefix.of("203.0.113.1"));
        for (int i = 0; i < 7; i++) {
            put(alice, "snow " + i);
        }
        for (String host : large) { // one of them has less than the other
            Publisher publisher = new Publisher(Identity.generate(), clock);
            hosts.put(publisher.id(), HostPrefix.of(host));
            assertRefused(() -> put(publisher, "one more"), "full");
        }
        assertThat(metrics.get(RendezvousMetrics.Counter.ADVERTISEMENTS_EVICTED))
                .isEqualTo(7);
        assertThat(index.size()).isEqualTo(40);
    }

    @Test
    void replacementByALargerDocument_isChargedForTheDifference() {
        for (int round = 0; round < 3; round++) {
            clock.advance(Duration.ofMillis(5));
            put(alice, "rain");
        }
        SignedAdvertisement moved = alice.signPipe("rain");
        index.put(moved, OTHER_RENDEZVOUS, false);
        clock.advance(Duration.ofHours(3));
        index.expire();
        fill("192.0.2.1", 4);
        assertThat(index.size()).isEqualTo(40);
    }

    @Test
    void advertisementsOfAnAbsentClient_areRemovedAfterATime() {
        put(alice, "rain");
        put(bob, "snow");
        index.put(new Publisher(Identity.generate(), clock).signPipe("hail"), OTHER_RENDEZVOUS, false);
        Duration maxAbsence = Duration.ofMinutes(1);
        index.removeAbandoned(bob.id()::equals, maxAbsence);
        scheduler.advance(maxAbsence.minusSeconds(1));
        index.removeAbandoned(bob.id()::equals, maxAbsence);
        assertThat(index.size()).isEqualTo(3);
        scheduler.advance(Duration.ofSeconds(1));
        index.removeAbandoned(bob.id()::equals, maxAbsence);
        assertThat(find(named("rain")).documents()).isEmpty();
        assertThat(find(named("snow")).documents()).hasSize(1);
        assertThat(find(named("hail")).documents()).hasSize(1);
        assertThat(metrics.get(RendezvousMetrics.Counter.ADVERTISEMENTS_LAPSED)).isEqualTo(1);
    }

    @Test
    void advertisementsOfAClientThatReturns_stay() {
        put(alice, "rain");
        Duration maxAbsence = Duration.ofMinutes(1);
        for (int i = 0; i < 3; i++) {
            index.removeAbandoned(peer -> false, maxAbsence);
            scheduler.advance(Duration.ofSeconds(59));
            index.removeAbandoned(peer -> true, maxAbsence);
        }
        assertThat(find(named("rain")).documents()).hasSize(1);
    }

    @Test
    void advertisementsOfAClientThatHasMoved_stayAsReplicasOfItsRendezvous() {
        SignedAdvertisement signed = alice.signPipe("rain");
        index.put(signed, alice.id(), true);
        index.put(signed, OTHER_RENDEZVOUS, false); // its client has published it there, too
        index.removeAbandoned(peer -> false, Duration.ofMinutes(1));
        scheduler.advance(Duration.ofMinutes(1));
        index.removeAbandoned(peer -> false, Duration.ofMinutes(1));
        assertThat(find(named("rain")).documents()).hasSize(1);
        assertThat(index.localKeys()).isEmpty();
    }

    @Test
    void put_byAnotherRendezvous_mayFillHalfTheIndex() {
        for (int i = 0; i < 20; i++) {
            index.put(new Publisher(Identity.generate(), clock).signPipe("rain"), OTHER_RENDEZVOUS, false);
        }
        SignedAdvertisement more = bob.signPipe("rain");
        assertRefused(() -> index.put(more, OTHER_RENDEZVOUS, false), OTHER_RENDEZVOUS.toString());
        index.put(more, bob.id(), true);
        assertThat(find(named("rain")).documents()).hasSize(21);
    }

    @Test
    void localKeys_areThoseOfClients_alsoAfterAReplicaOfTheSame() {
        SignedAdvertisement own = alice.signPipe("rain");
        index.put(own, alice.id(), true);
        index.put(own, OTHER_RENDEZVOUS, false);
        index.put(bob.signPipe("snow"), OTHER_RENDEZVOUS, false);
        assertThat(index.localKeys())
                .extracting(StoreKey::name)
                .containsExactly(IndexEntryMapper.of(own).key().name());
        clock.advance(Duration.ofMillis(5));
        index.put(alice.signPipe("rain"), OTHER_RENDEZVOUS, false);
        assertThat(index.localKeys()).isEmpty(); // its client has published at another rendezvous since
    }

    @Test
    void find_ofAnExactValueWithAStar_takesItLiterally() {
        put(alice, "a*");
        put(alice, "ab");
        assertThat(find(DiscoveryQuery.any().with("Name", ValuePattern.exactly("a*")))
                        .documents())
                .hasSize(1);
    }
}
