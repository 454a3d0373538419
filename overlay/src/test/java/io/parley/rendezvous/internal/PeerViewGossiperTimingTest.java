package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousContextFixture.PendingQuery;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

    /** Adds a connected rendezvous to the view. */
    private Publisher addRendezvous() {
        Publisher other = new Publisher(Identity.generate(), fixture.clock);
        others.add(other);
        fixture.connected.add(other.id());
        assertThat(view.offer(entry(other))).isTrue();
        return other;
    }

    private PeerViewEntry entry(Publisher rendezvous) {
        return new PeerViewEntryFactory(fixture.metrics, rendezvous.signer, rendezvous.verifier())
                .sign(PeerAddress.of(rendezvous.id(), EndpointAddress.parse("mem://other")));
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
            others.forEach(other -> view.offer(entry(other))); // none is silent
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
                others.forEach(other -> view.offer(entry(other))); // all others are alive
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
    void entryOfARemovedRendezvous_isConfirmedByAnExchangeWithIt() {
        Publisher known = addRendezvous();
        Publisher removed = addRendezvous();
        view.remove(removed.id(), "test");
        PeerViewGossiper gossiper = start();
        fixture.clock.advance(Duration.ofMillis(5));
        gossiper.exchange(known.id());
        fixture.onlyQuery()
                .respond(PeerViewMessage.response(List.of(entry(removed).document()))
                        .write());
        assertThat(view.contains(removed.id())).isTrue();
        assertThat(fixture.onlyQuery().to()).isEqualTo(removed.id());
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
