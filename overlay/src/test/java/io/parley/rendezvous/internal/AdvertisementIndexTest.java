package io.parley.rendezvous.internal;

import static io.parley.rendezvous.internal.Publisher.GROUP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.advertisement.SignedAdvertisement;
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
import io.parley.testkit.ClockScheduler;
import io.parley.testkit.ManualClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AdvertisementIndexTest {

    private static final PeerId MEMBER = Identity.generate().peerId();

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));
    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
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
            new ClockScheduler(clock),
            scheduler);

    @AfterEach
    void close() {
        index.close();
        scheduler.shutdown();
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
    void find_ofAnExactValue_givesTheDocumentAsSigned_andItsPublisher() {
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
        assertThat(all.stream().map(java.nio.ByteBuffer::wrap).distinct()).hasSize(18);
    }

    @Test
    void put_ofAnOlderOne_keepsTheNewer() {
        SignedAdvertisement older = alice.signPipe("rain");
        clock.advance(Duration.ofMillis(5));
        SignedAdvertisement newer = alice.signPipe("rain");
        assertThat(index.put(newer, alice.id(), true).outcome()).isEqualTo(PutOutcome.ADDED);
        assertThat(index.put(older, MEMBER, false).outcome()).isEqualTo(PutOutcome.STALE);
        assertThat(find(named("rain")).documents()).containsExactly(newer.toByteArray());
    }

    @Test
    void put_ofAWithdrawal_hidesTheOlderOne_andAReplayDoesNotBringItBack() {
        SignedAdvertisement signed = alice.signPipe("rain");
        index.put(signed, alice.id(), true);
        clock.advance(Duration.ofMillis(5));
        index.put(alice.sign(Publisher.pipe(GROUP, "rain"), Duration.ofSeconds(1)), alice.id(), true);
        index.put(signed, MEMBER, false);
        assertThat(find(named("rain")).documents()).isEmpty();
        assertThat(find(DiscoveryQuery.any()).documents()).isEmpty();
    }

    @Test
    void withdrawnOnes_thatStandBeforeOthers_doNotHideThem() {
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
    void put_beyondTheQuota_isRefused_othersAreNot() {
        for (int i = 0; i < 10; i++) {
            put(alice, "rain " + i);
        }
        assertRefused(() -> put(alice, "one more"), alice.id().toString(), "10 advertisements");
        put(bob, "one more");
        assertThat(index.size()).isEqualTo(11);
    }

    @Test
    void put_ofANewerOneWithTheSameKey_countsOnce() {
        for (int i = 0; i < 30; i++) {
            clock.advance(Duration.ofMillis(5));
            put(alice, "rain");
        }
        assertThat(index.size()).isEqualTo(1);
    }

    @Test
    void put_beyondTheQuotaOfBytes_isRefused() {
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
    void expiry_givesTheQuotaBack() {
        for (int i = 0; i < 10; i++) {
            put(alice, "rain " + i);
        }
        clock.advance(Duration.ofHours(2).plusSeconds(1));
        put(alice, "one more");
        assertThat(find(named("rain*")).documents()).isEmpty();
        assertThat(find(named("one more")).documents()).hasSize(1);
        assertThat(index.size()).isEqualTo(1);
    }

    @Test
    void put_intoAFullIndex_isRefused_andNothingIsLost() {
        for (int publisher = 0; publisher < 4; publisher++) {
            Publisher one = new Publisher(Identity.generate(), clock);
            for (int i = 0; i < 10; i++) {
                put(one, "rain " + publisher + i);
            }
        }
        assertRefused(() -> put(bob, "one more"), "full", "40");
        assertThat(find(named("rain*")).documents()).hasSize(40);
    }

    @Test
    void put_byAnotherRendezvous_mayFillHalfTheIndex() {
        for (int i = 0; i < 20; i++) {
            index.put(new Publisher(Identity.generate(), clock).signPipe("rain"), MEMBER, false);
        }
        SignedAdvertisement more = bob.signPipe("rain");
        assertRefused(() -> index.put(more, MEMBER, false), MEMBER.toString());
        index.put(more, bob.id(), true);
        assertThat(find(named("rain")).documents()).hasSize(21);
    }

    @Test
    void home_isWhatClientsBrought_evenWhenAnotherRendezvousBringsTheSame() {
        SignedAdvertisement own = alice.signPipe("rain");
        index.put(own, alice.id(), true);
        index.put(own, MEMBER, false);
        index.put(bob.signPipe("snow"), MEMBER, false);
        assertThat(index.localKeys())
                .extracting(StoreKey::name)
                .containsExactly(IndexEntryMapper.of(own).key().name());
        clock.advance(Duration.ofMillis(5));
        index.put(alice.signPipe("rain"), MEMBER, false);
        assertThat(index.localKeys()).isEmpty(); // it has gone to another rendezvous and published there since
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
