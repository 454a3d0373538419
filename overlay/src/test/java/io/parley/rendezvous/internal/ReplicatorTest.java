package io.parley.rendezvous.internal;

import static io.parley.rendezvous.internal.Publisher.GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousContextFixture.PendingQuery;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The replicator in manual time, without a network. */
class ReplicatorTest {

    private static final int REPLICAS = 2;
    private static final Duration RETRY_DELAY = Duration.ofSeconds(1);
    private static final Duration STEP_DELAY = Duration.ofMillis(50);
    private static final int ENTRIES_PER_STEP = 200;
    private static final RendezvousLimits LIMITS = RendezvousLimits.DEFAULTS.toBuilder()
            .index(RendezvousLimits.IndexLimits.DEFAULTS.toBuilder()
                    .replicas(REPLICAS)
                    .build())
            .build();

    private final RendezvousContextFixture fixture = new RendezvousContextFixture(LIMITS);
    private final PeerView view = fixture.newView();
    private final AdvertisementIndex index = new AdvertisementIndex(
            LIMITS.index(), Duration.ofMinutes(5), fixture.scheduler, Runnable::run, PeerId::text, fixture.metrics);
    private final Replicator replicator = new Replicator(fixture.context, view, index);
    private final Publisher alice = new Publisher(Identity.generate(), fixture.clock);

    ReplicatorTest() {
        view.onChange(replicator::onViewChanged);
    }

    @AfterEach
    void close() {
        replicator.close();
        index.close();
        assertThat(fixture.scheduler.pending()).isZero();
    }

    private PeerId addRendezvous() {
        PeerId peer = Identity.generate().peerId();
        addRendezvous(peer, 1);
        return peer;
    }

    private void addRendezvous(PeerId peer, long issuedMillis) {
        assertThat(view.offer(new PeerViewEntry(PeerAddress.of(peer), issuedMillis, new byte[0]), peer.text()))
                .isTrue();
    }

    private AdvertisementIndex.PutResult put(SignedAdvertisement signed) {
        return index.put(signed, alice.id(), true);
    }

    private Set<PeerId> targets(SignedAdvertisement signed) {
        Set<PeerId> targets = new HashSet<>();
        signed.advertisement()
                .attributes()
                .forEach(attribute -> targets.addAll(view.replicaSelector()
                        .select(REPLICAS, ReplicaSelector.item(GROUP, attribute.name(), attribute.value()))));
        targets.remove(fixture.publisher.id());
        return targets;
    }

    private static List<byte[]> documents(PendingQuery query) {
        assertThat(query.name()).isEqualTo(RendezvousContext.REPLICATE);
        return PublishResponse.documents(query.body());
    }

    private static void store(PendingQuery query) {
        query.respond(new PublishResponse(0, null).write());
    }

    /** Acknowledges all queries, also those that follow; returns the number of documents for {@code peer}. */
    private int storeAll(PeerId peer) {
        int documents = 0;
        while (!fixture.queries.isEmpty()) {
            PendingQuery query = fixture.queries.remove();
            documents += query.to().equals(peer) ? documents(query).size() : 0;
            store(query);
        }
        return documents;
    }

    @Test
    void replicate_sendsTheEntryToTheSelectedRendezvous_andCompletesAfterTheirResponses() {
        for (int i = 0; i < 10; i++) {
            addRendezvous();
        }
        SignedAdvertisement rain = alice.signPipe("rain");
        CompletableFuture<Void> replicated = replicator.replicate(put(rain));
        Set<PeerId> receivers = new HashSet<>();
        while (!fixture.queries.isEmpty()) {
            assertThat(replicated).isNotDone();
            PendingQuery query = fixture.queries.remove();
            assertThat(documents(query)).containsExactly(rain.toByteArray());
            receivers.add(query.to());
            store(query);
        }
        assertThat(replicated).isCompleted();
        assertThat(receivers).isEqualTo(targets(rain));
        assertThat(fixture.metrics.get(Counter.ADVERTISEMENTS_REPLICATED)).isEqualTo(receivers.size());
    }

    @Test
    void replica_thatIsNotSent_isRetriedAfterTheDelay_untilItIs() {
        PeerId other = addRendezvous();
        SignedAdvertisement rain = alice.signPipe("rain");
        CompletableFuture<Void> replicated = replicator.replicate(put(rain));
        fixture.onlyQuery().fail(ErrorCode.TIMEOUT);
        assertThat(replicated).isCompleted();
        for (int i = 0; i < 5; i++) {
            fixture.queryAfter(RETRY_DELAY).fail(ErrorCode.UNREACHABLE);
        }
        PendingQuery retry = fixture.queryAfter(RETRY_DELAY);
        assertThat(retry.to()).isEqualTo(other);
        assertThat(documents(retry)).containsExactly(rain.toByteArray());
        store(retry);
        fixture.scheduler.advance(Duration.ofMinutes(1));
        assertThat(fixture.queries).isEmpty();
        assertThat(fixture.metrics.get(Counter.REPLICATIONS_FAILED)).isEqualTo(6);
    }

    @Test
    void retry_sendsOnlyToTheRendezvousThatWasNotReached() {
        PeerId reached = addRendezvous();
        PeerId unreached = addRendezvous();
        for (int i = 0; i < 30; i++) {
            replicator.replicate(put(alice.signPipe("rain " + i)));
        }
        while (!fixture.queries.isEmpty()) {
            PendingQuery query = fixture.queries.remove();
            if (query.to().equals(reached)) {
                store(query);
            } else {
                query.fail(ErrorCode.TIMEOUT);
            }
        }
        fixture.scheduler.advance(RETRY_DELAY);
        assertThat(fixture.queries).isNotEmpty().allMatch(query -> query.to().equals(unreached));
        storeAll(unreached);
    }

    @Test
    void rendezvousThatIsAdded_getsItsReplicas_inStepsWithADelay() {
        int entries = 2 * ENTRIES_PER_STEP + 50;
        for (int i = 0; i < entries; i++) {
            replicator.replicate(put(alice.signPipe("rain " + i)));
        }
        assertThat(fixture.queries).isEmpty();
        PeerId added = addRendezvous();
        assertThat(storeAll(added)).isEqualTo(ENTRIES_PER_STEP);
        fixture.scheduler.advance(STEP_DELAY.minusNanos(1));
        assertThat(fixture.queries).isEmpty();
        fixture.scheduler.advance(Duration.ofNanos(1));
        assertThat(storeAll(added)).isEqualTo(ENTRIES_PER_STEP);
        fixture.scheduler.advance(STEP_DELAY);
        assertThat(storeAll(added)).isEqualTo(50);
        fixture.scheduler.advance(Duration.ofMinutes(1));
        assertThat(fixture.queries).isEmpty();
    }

    @Test
    void rendezvousThatIsRemovedDuringARepair_getsItsReplicasWhenItReturns() {
        for (int i = 0; i < ENTRIES_PER_STEP + 1; i++) {
            replicator.replicate(put(alice.signPipe("rain " + i)));
        }
        PeerId other = addRendezvous();
        view.remove(other, "test");
        assertThat(fixture.metrics.get(Counter.REPLICATIONS_FAILED)).isPositive(); // its queue was closed
        for (int i = 0; i < 3; i++) { // the repair that has begun ends before the next one
            fixture.queries.forEach(query -> query.fail(ErrorCode.UNREACHABLE));
            fixture.queries.clear();
            fixture.scheduler.advance(RETRY_DELAY);
        }
        assertThat(fixture.queries).isEmpty();
        addRendezvous(other, 2);
        int documents = storeAll(other);
        fixture.scheduler.advance(STEP_DELAY);
        documents += storeAll(other);
        assertThat(documents).isEqualTo(ENTRIES_PER_STEP + 1);
    }

    @Test
    void newVersionWithAnotherName_isSentToTheRendezvousOfBothNames() {
        for (int i = 0; i < 50; i++) {
            addRendezvous();
        }
        PipeId pipe = PipeId.ofName(GROUP, "pipe");
        SignedAdvertisement rain =
                alice.sign(PipeAdvertisement.of(pipe, PipeType.UNICAST, "rain"), Duration.ofHours(2));
        replicator.replicate(put(rain));
        storeAll(alice.id());
        fixture.clock.advance(Duration.ofMillis(5));
        SignedAdvertisement snow =
                alice.sign(PipeAdvertisement.of(pipe, PipeType.UNICAST, "snow"), Duration.ofHours(2));
        replicator.replicate(put(snow));
        Set<PeerId> receivers = new HashSet<>();
        fixture.queries.forEach(query -> receivers.add(query.to()));
        Set<PeerId> expected = targets(rain);
        expected.addAll(targets(snow));
        assertThat(receivers).isEqualTo(expected);
        storeAll(alice.id());
    }

    @Test
    void replicate_toARendezvousThatDoesNotRespond_sendsAlsoToTheNextInTheRanking() {
        for (int i = 0; i < 20; i++) {
            addRendezvous();
        }
        SignedAdvertisement rain = alice.signPipe("rain");
        CompletableFuture<Void> replicated = replicator.replicate(put(rain));
        Set<PeerId> failing = new HashSet<>();
        while (failing.size() < 2) {
            PendingQuery query = fixture.queries.remove();
            failing.add(query.to());
            query.fail(ErrorCode.TIMEOUT);
        }
        Set<PeerId> stored = new HashSet<>();
        while (!fixture.queries.isEmpty()) {
            PendingQuery query = fixture.queries.remove();
            assertThat(replicated).isNotDone();
            assertThat(documents(query)).containsExactly(rain.toByteArray());
            stored.add(query.to());
            store(query);
        }
        assertThat(replicated).isCompleted();
        assertThat(stored).doesNotContainAnyElementsOf(failing);
        rain.advertisement()
                .attributes()
                .forEach(attribute -> assertReplicated(
                        ReplicaSelector.item(GROUP, attribute.name(), attribute.value()), stored, failing));
    }

    /** Requires that the rendezvous of the highest ranks, without those that fail, have a replica. */
    private void assertReplicated(long item, Set<PeerId> stored, Set<PeerId> failing) {
        List<PeerId> responsible = view.replicaSelector().select(10, item).stream()
                .filter(peer -> !failing.contains(peer))
                .limit(REPLICAS)
                .filter(peer -> !peer.equals(fixture.publisher.id()))
                .toList();
        assertThat(stored).containsAll(responsible);
    }

    @Test
    void peerAdvertisement_accompaniesTheEntriesOfItsPeer_oncePerVersion_untilItIsStored() {
        PeerId other = addRendezvous();
        SignedAdvertisement self = alice.signSelf();
        put(self);
        replicator.replicate(put(alice.signPipe("rain")));
        fixture.queries.remove().fail(ErrorCode.TIMEOUT); // the peer advertisement
        storeAll(other);
        for (int i = 0; i < 3; i++) {
            replicator.replicate(put(alice.signPipe("snow " + i)));
        }
        assertThat(storeAll(other))
                .as("the peer advertisement again, and three pipes")
                .isEqualTo(4);
        replicator.replicate(put(alice.signPipe("hail")));
        assertThat(storeAll(other)).as("a pipe").isEqualTo(1);
        put(alice.signSelf());
        replicator.replicate(put(alice.signPipe("sun")));
        assertThat(storeAll(other)).as("the new version and a pipe").isEqualTo(2);
        fixture.scheduler.advance(RETRY_DELAY); // for the replica that was not sent
        assertThat(storeAll(other)).isPositive();
    }

    @Test
    void peerAdvertisement_isSentAgain_afterAFailure() {
        PeerId other = addRendezvous();
        put(alice.signSelf());
        replicator.replicate(put(alice.signPipe("rain")));
        assertThat(storeAll(other)).as("the peer advertisement and a pipe").isEqualTo(2);
        replicator.replicate(put(alice.signPipe("snow")));
        fixture.onlyQuery().fail(ErrorCode.TIMEOUT); // the rendezvous may have restarted without an index
        replicator.replicate(put(alice.signPipe("hail")));
        assertThat(storeAll(other)).as("the same again").isEqualTo(2);
    }

    @Test
    void close_cancelsTheRetry() {
        addRendezvous();
        int timersOfTheIndex = fixture.scheduler.pending();
        replicator.replicate(put(alice.signPipe("rain")));
        fixture.onlyQuery().fail(ErrorCode.TIMEOUT);
        replicator.close();
        assertThat(fixture.scheduler.pending()).isEqualTo(timersOfTheIndex);
        fixture.scheduler.advance(Duration.ofMinutes(1));
        assertThat(fixture.queries).isEmpty();
    }

    @Test
    void close_failsWhatWaits_andSendsItToNoOther() {
        for (int i = 0; i < 20; i++) {
            addRendezvous();
        }
        List<CompletableFuture<Void>> replicated = new ArrayList<>();
        for (int i = 0; i < 10; i++) { // the second version of an entry waits for the response to the first one
            fixture.clock.advance(Duration.ofMillis(5));
            replicated.add(replicator.replicate(put(alice.signPipe("rain"))));
        }
        // Others are responsible instead when the replication of an entry ends.
        targets(alice.signPipe("rain")).forEach(peer -> view.onFailed(peer, ErrorCode.TIMEOUT.exception("test")));
        List<PendingQuery> sent = List.copyOf(fixture.queries);
        replicator.close();
        assertThat(fixture.queries).containsExactlyElementsOf(sent);
        assertThat(replicated.subList(1, 10)).allMatch(CompletableFuture::isDone);
        fixture.queries.forEach(query -> query.fail(ErrorCode.CLOSED));
        assertThat(fixture.queries).containsExactlyElementsOf(sent);
        assertThat(replicated).allMatch(CompletableFuture::isDone);
    }
}
