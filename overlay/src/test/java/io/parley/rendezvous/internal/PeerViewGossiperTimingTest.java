package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.common.internal.TokenBucket;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousContextFixture.PendingQuery;
import io.parley.resolver.internal.Query;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The gossiper in manual time, without a network. */
class PeerViewGossiperTimingTest {

    private static final RendezvousLimits LIMITS = RendezvousLimits.DEFAULTS.toBuilder()
            .peerView(RendezvousLimits.PeerViewLimits.DEFAULTS.toBuilder()
                    .fanout(2)
                    .build())
            .build();
    private static final Duration INTERVAL = LIMITS.peerView().gossipInterval();
    private static final Duration FAILURE_TIMEOUT = LIMITS.peerView().failureTimeout();

    private final RendezvousContextFixture fixture = new RendezvousContextFixture(LIMITS);
    private final PeerView view =
            new PeerView(fixture.publisher.id(), LIMITS.peerView(), fixture.scheduler, fixture.metrics);
    private final List<Publisher> others = new ArrayList<>();

    private PeerViewGossiper start(EndpointAddress... seeds) {
        List<Seed> all = new ArrayList<>();
        for (EndpointAddress seed : seeds) {
            all.add(new Seed.AddressSeed(seed));
        }
        PeerViewGossiper gossiper =
                new PeerViewGossiper(fixture.context, view, PeerViewEntryFactory.of(fixture.context), all);
        gossiper.start();
        return gossiper;
    }

    private Publisher newPublisher() {
        Publisher other = new Publisher(Identity.generate(), fixture.clock);
        others.add(other);
        return other;
    }

    /** Adds a connected rendezvous to the view. */
    private Publisher addRendezvous() {
        Publisher other = newPublisher();
        fixture.connected.add(other.id());
        assertThat(view.offer(entry(other), other.id().text())).isTrue();
        return other;
    }

    private PeerViewEntry entry(Publisher rendezvous) {
        return new PeerViewEntryFactory(fixture.metrics, rendezvous.signer, rendezvous.verifier())
                .sign(PeerAddress.of(
                        rendezvous.id(),
                        EndpointAddress.parse("mem://" + rendezvous.id().shortText())));
    }

    private Message response(Publisher... rendezvous) {
        return PeerViewMessage.response(Arrays.stream(rendezvous)
                        .map(each -> entry(each).document())
                        .toList())
                .write();
    }

    private static Query query(Publisher from, Message body) {
        return new Query(from.id(), RendezvousContext.VIEW, body, false, 0);
    }

    /** Responds to all queries with a new entry of the peer that was queried; returns these peers. */
    private Set<PeerId> respondToAll() {
        Set<PeerId> peers = new HashSet<>();
        while (!fixture.queries.isEmpty()) {
            PendingQuery query = fixture.queries.remove();
            assertThat(query.name()).isEqualTo(RendezvousContext.VIEW);
            peers.add(query.to());
            Publisher other = others.stream()
                    .filter(rendezvous -> rendezvous.id().equals(query.to()))
                    .findFirst()
                    .orElseThrow();
            query.respond(
                    PeerViewMessage.response(List.of(entry(other).document())).write());
        }
        return peers;
    }

    @Test
    void round_comesAfterTheInterval_withATenthOfJitter_andQueriesAsManyAsTheFanout() {
        for (int i = 0; i < 10; i++) {
            addRendezvous();
        }
        start();
        for (int round = 0; round < 3; round++) {
            fixture.scheduler.advance(INTERVAL.multipliedBy(9).dividedBy(10).minusNanos(1));
            assertThat(fixture.queries).isEmpty();
            for (int step = 0; step < 1001 && fixture.queries.isEmpty(); step++) {
                fixture.scheduler.advance(INTERVAL.dividedBy(5000));
            }
            assertThat(fixture.queries).hasSize(LIMITS.peerView().fanout());
            assertThat(respondToAll()).hasSize(LIMITS.peerView().fanout());
            others.forEach(other -> view.refresh(entry(other))); // none is silent
        }
    }

    @Test
    void rendezvous_thatIsSilent_isQueriedAfterHalfTheFailureTimeout_andRemovedAfterIt() {
        for (int i = 0; i < 80; i++) { // a random query of one of them is improbable
            addRendezvous();
        }
        PeerId silent = others.remove(0).id();
        start();
        int queried = 0;
        int steps = 0;
        while (view.contains(silent)) {
            fixture.scheduler.advance(INTERVAL.dividedBy(10));
            if (age().compareTo(FAILURE_TIMEOUT.dividedBy(2)) > 0) {
                queried += (int) fixture.queries.stream()
                        .filter(query -> query.to().equals(silent))
                        .count();
            }
            fixture.queries.removeIf(query -> query.to().equals(silent));
            respondToAll();
            if (++steps % 10 == 0) {
                others.forEach(other -> view.refresh(entry(other))); // all others are alive
            }
            assertThat(age()).isLessThan(FAILURE_TIMEOUT.plus(INTERVAL.multipliedBy(2)));
        }
        assertThat(queried).isPositive();
        assertThat(age()).isGreaterThanOrEqualTo(FAILURE_TIMEOUT);
        assertThat(view.size()).isEqualTo(others.size());
    }

    private Duration age() {
        return Duration.between(RendezvousContextFixture.START, fixture.clock.instant());
    }

    @Test
    void seed_isQueriedEverySixthRound_alsoIfTheViewIsComplete() {
        addRendezvous();
        EndpointAddress seed = EndpointAddress.parse("mem://seed");
        start(seed);
        fixture.connects.clear(); // that of the start
        for (int i = 0; i < 240; i++) {
            fixture.scheduler.advance(INTERVAL.dividedBy(10));
            respondToAll();
        }
        // 24 intervals are 21 to 26 rounds, and the first round counts.
        assertThat(fixture.connects).hasSizeBetween(4, 5);
    }

    @Test
    void exchangeThatFails_removesARendezvousThatIsNotConnected_andKeepsOneThatIs() {
        Publisher connected = addRendezvous();
        Publisher gone = addRendezvous();
        fixture.connected.remove(gone.id());
        PeerViewGossiper gossiper = start();
        gossiper.exchange(connected.id());
        gossiper.exchange(gone.id());
        fixture.queries.remove().fail(ErrorCode.TIMEOUT);
        fixture.queries.remove().fail(ErrorCode.UNREACHABLE);
        assertThat(view.peers()).containsExactly(connected.id());
        assertThat(gossiper.lastFailure()).isNotNull();
    }

    @Test
    void exchangeWithAMalformedResponse_hasFailed() {
        Publisher gone = addRendezvous();
        fixture.connected.remove(gone.id());
        PeerViewGossiper gossiper = start();
        gossiper.exchange(gone.id());
        fixture.onlyQuery()
                .respond(Message.builder()
                        .add(RendezvousElements.bytes("Known", new byte[1]))
                        .build());
        assertThat(gossiper.lastFailure())
                .satisfies(failure -> assertThat(failure.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE));
        assertThat(view.peers()).isEmpty();
    }

    @Test
    void disconnect_probesTheRendezvousImmediately() {
        Publisher other = addRendezvous();
        PeerViewGossiper gossiper = start();
        gossiper.onDisconnected(other.id());
        assertThat(fixture.onlyQuery().to()).isEqualTo(other.id());
        gossiper.onDisconnected(Identity.generate().peerId());
        assertThat(fixture.queries).isEmpty();
    }

    @Test
    void rendezvousThatAnotherNames_isAMemberOnlyAfterItHasResponded() {
        Publisher known = addRendezvous();
        Publisher named = newPublisher();
        PeerViewGossiper gossiper = start();
        gossiper.exchange(known.id());
        fixture.clock.advance(Duration.ofMillis(5));
        fixture.onlyQuery().respond(response(known, named));
        assertThat(view.contains(named.id())).isFalse();
        assertThat(view.replicaSelector().peers()).doesNotContain(named.id());
        PendingQuery contact = fixture.onlyQuery();
        assertThat(contact.to()).isEqualTo(named.id());
        assertThat(PeerViewMessage.read(contact.body()).known()).doesNotContainKey(named.id());
        fixture.connected.add(named.id());
        contact.respond(response(named));
        assertThat(view.contains(named.id())).isTrue();
    }

    @Test
    void candidate_thatRespondsWithoutItsOwnEntry_orFails_isNoMember() {
        Publisher known = addRendezvous();
        Publisher first = newPublisher();
        Publisher second = newPublisher();
        Publisher third = newPublisher();
        PeerViewGossiper gossiper = start();
        gossiper.exchange(known.id());
        fixture.onlyQuery().respond(response(known, first, second));
        fixture.connected.add(first.id());
        fixture.connected.add(second.id());
        fixture.queries.remove().respond(response(known, third));
        fixture.queries.remove().fail(ErrorCode.UNREACHABLE);
        assertThat(fixture.queries).isEmpty();
        assertThat(view.peers()).containsExactly(known.id());
    }

    @Test
    void query_makesItsSenderAMember_andOthersThatItNamesCandidates() {
        Publisher sender = newPublisher();
        Publisher named = newPublisher();
        fixture.connected.add(sender.id());
        PeerViewGossiper gossiper = start();
        Message response = gossiper.onQuery(query(sender, response(sender, named)))
                .toCompletableFuture()
                .join()
                .orElseThrow();
        assertThat(view.peers()).containsExactly(sender.id());
        assertThat(PeerViewMessage.read(response).documents()).hasSize(1); // that of this peer
        assertThat(fixture.onlyQuery().to()).isEqualTo(named.id());
    }

    @Test
    void rendezvousThatAnotherNames_afterItWasRemoved_isContactedAgain() {
        Publisher known = addRendezvous();
        Publisher removed = addRendezvous();
        PeerViewEntry old = view.find(removed.id()).orElseThrow();
        view.remove(removed.id(), "test");
        PeerViewGossiper gossiper = start();
        gossiper.exchange(known.id());
        fixture.onlyQuery()
                .respond(PeerViewMessage.response(List.of(entry(known).document(), old.document()))
                        .write());
        assertThat(fixture.queries).isEmpty(); // the entry may be from before its end
        fixture.clock.advance(Duration.ofMillis(5));
        gossiper.exchange(known.id());
        fixture.onlyQuery().respond(response(known, removed));
        assertThat(view.contains(removed.id())).isFalse();
        PendingQuery contact = fixture.onlyQuery();
        assertThat(contact.to()).isEqualTo(removed.id());
        contact.respond(response(removed));
        assertThat(view.contains(removed.id())).isTrue();
    }

    @Test
    void rendezvousThatDoesNotRespondItself_isRemovedAfterTheFailureTimeout_thoughOthersKnowThatItIsAlive() {
        Publisher known = addRendezvous();
        Publisher mute = addRendezvous();
        PeerViewGossiper gossiper = start();
        gossiper.exchange(mute.id());
        fixture.onlyQuery().fail(ErrorCode.TIMEOUT);
        Duration mutePassed = Duration.ZERO;
        while (view.contains(mute.id()) && mutePassed.compareTo(FAILURE_TIMEOUT.multipliedBy(2)) < 0) {
            fixture.scheduler.advance(INTERVAL.dividedBy(10));
            mutePassed = age();
            while (!fixture.queries.isEmpty()) {
                PendingQuery query = fixture.queries.remove();
                if (query.to().equals(mute.id())) {
                    query.fail(ErrorCode.TIMEOUT);
                } else {
                    query.respond(response(known, mute));
                }
            }
        }
        assertThat(view.peers()).containsExactly(known.id());
        assertThat(mutePassed).isBetween(FAILURE_TIMEOUT, FAILURE_TIMEOUT.plus(INTERVAL.multipliedBy(2)));
    }

    @Test
    void candidates_areContactedAtABoundedRate() {
        Publisher known = addRendezvous();
        PeerViewGossiper gossiper = start();
        int contacts = 0;
        Duration time = Duration.ofSeconds(20);
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plusMillis(500)) {
            Publisher[] named = Stream.generate(this::newPublisher).limit(20).toArray(Publisher[]::new);
            named[0] = known;
            gossiper.onQuery(query(known, response(named)))
                    .toCompletableFuture()
                    .join();
            while (!fixture.queries.isEmpty()) {
                PendingQuery query = fixture.queries.remove();
                contacts += query.to().equals(known.id()) ? 0 : 1;
                query.fail(ErrorCode.UNREACHABLE);
            }
            fixture.scheduler.advance(Duration.ofMillis(500));
        }
        assertThat((long) contacts)
                .isGreaterThan(100)
                .isLessThanOrEqualTo(TokenBucket.maxWithin(PeerViewCandidates.CONTACTS_PER_SECOND, time.toNanos()));
    }

    @Test
    void rendezvousThatMayNotBeAMember_isRefused_andNeitherContactedNorKept() {
        Publisher refused = newPublisher();
        Publisher fellow = newPublisher();
        Set<PeerId> fellows = new HashSet<>(Set.of(fellow.id()));
        RendezvousContextFixture closed =
                new RendezvousContextFixture(LIMITS, new RendezvousAdmission(peer -> true, fellows::contains));
        PeerView members = new PeerView(closed.publisher.id(), LIMITS.peerView(), closed.scheduler, closed.metrics);
        PeerViewGossiper gossiper =
                new PeerViewGossiper(closed.context, members, PeerViewEntryFactory.of(closed.context), List.of());
        closed.connected.add(refused.id());
        closed.connected.add(fellow.id());
        gossiper.onQuery(query(fellow, response(fellow, refused)))
                .toCompletableFuture()
                .join();
        assertThat(closed.queries).isEmpty();
        assertThatThrownBy(() -> gossiper.onQuery(query(refused, response(refused))))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SUCH_SERVICE));
        assertThat(members.peers()).containsExactly(fellow.id());
        fellows.clear();
        assertThatThrownBy(() -> gossiper.onQuery(query(fellow, response(fellow))))
                .isInstanceOf(ParleyException.class);
        assertThat(members.peers()).isEmpty();
    }

    @Test
    void queriesOfOneHost_haveARate() {
        Publisher sender = addRendezvous();
        PeerViewGossiper gossiper = start();
        Message body = response(sender);
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 100; i++) {
                        gossiper.onQuery(query(sender, body))
                                .toCompletableFuture()
                                .join();
                    }
                })
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY))
                .hasMessageContaining("16 per second");
        assertThat(fixture.metrics.get(RendezvousMetrics.Counter.VIEW_QUERIES_THROTTLED))
                .isEqualTo(1);
    }

    @Test
    void close_announcesTheTimeOfTheLastEntry_andIssuesNoNewerOne() {
        Publisher other = addRendezvous();
        PeerViewGossiper gossiper = start();
        gossiper.close();
        PeerViewMessage leave = PeerViewMessage.read(fixture.onlyQuery().body());
        assertThat(leave.leaving()).isEqualTo(RendezvousContextFixture.START.toEpochMilli());
        assertThat(fixture.scheduler.pending()).isZero();
        fixture.scheduler.advance(INTERVAL.multipliedBy(10));
        assertThat(fixture.queries).isEmpty();
        assertThat(view.contains(other.id())).isTrue();
    }

    @Test
    void query_carriesTheIssueTimesOfAllEntries_andTheDocumentsOfSome() {
        for (int i = 0; i < 30; i++) {
            addRendezvous();
        }
        PeerViewGossiper gossiper = start();
        gossiper.exchange(others.get(0).id());
        PeerViewMessage message = PeerViewMessage.read(fixture.onlyQuery().body());
        assertThat(message.known().keySet()).isEqualTo(view.peers());
        assertThat(message.documents()).hasSize(17); // sixteen others and this one
        assertThat(message.leaving()).isZero();
    }
}
