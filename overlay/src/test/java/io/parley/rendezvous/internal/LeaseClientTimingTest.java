package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousContextFixture.PendingQuery;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.testkit.CapturedLog;
import io.parley.transport.EndpointAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The lease client in manual time, without a network. */
class LeaseClientTimingTest {

    private static final EndpointAddress FIRST = EndpointAddress.parse("mem://first");
    private static final EndpointAddress SECOND = EndpointAddress.parse("mem://second");
    private static final GroupId GROUP = GroupId.ofName("weather");
    private static final RendezvousLimits LIMITS = RendezvousLimits.DEFAULTS;
    private static final Duration LEASE = LIMITS.lease().lease();
    private static final Duration RENEW_INTERVAL = LIMITS.lease().renewInterval();

    private final RendezvousContextFixture fixture = new RendezvousContextFixture(LIMITS);
    private final List<PeerId> freshLeases = new ArrayList<>();

    private LeaseClient start(EndpointAddress... seeds) {
        return start(fixture.context, seeds);
    }

    private LeaseClient start(RendezvousContext context, EndpointAddress... seeds) {
        List<Seed> all = new ArrayList<>();
        for (EndpointAddress seed : seeds) {
            all.add(new Seed.AddressSeed(seed));
        }
        LeaseClient client = new LeaseClient(
                context,
                new RendezvousCandidates(all, fixture.scheduler.random()),
                PeerViewEntryFactory.of(context),
                freshLeases::add);
        client.start();
        return client;
    }

    private static void grant(PendingQuery query, Duration lease) {
        assertThat(request(query).requested()).isEqualTo(LEASE);
        query.respond(new LeaseResponse(lease, true, List.of()).write());
    }

    private static void refuse(PendingQuery query) {
        query.respond(new LeaseResponse(Duration.ZERO, false, List.of()).write());
    }

    private static LeaseRequest request(PendingQuery query) {
        assertThat(query.name()).isEqualTo(RendezvousContext.LEASE);
        return LeaseRequest.read(query.body(), 100);
    }

    /** Starts a client that has a lease of the peer at {@link #FIRST}. */
    private LeaseClient leased() {
        fixture.addPeer(FIRST);
        LeaseClient client = start(FIRST);
        grant(fixture.onlyQuery(), LEASE);
        return client;
    }

    @Test
    void lease_isRenewedAfterTheRenewInterval() {
        LeaseClient client = leased();
        for (int i = 0; i < 20; i++) {
            grant(fixture.queryAfter(RENEW_INTERVAL), LEASE);
        }
        assertThat(client.rendezvous()).isPresent();
        assertThat(fixture.metrics.get(Counter.LEASES_ACQUIRED)).isEqualTo(1);
        assertThat(fixture.metrics.get(Counter.LEASES_LOST)).isZero();
    }

    @Test
    void lease_thatIsShort_isRenewedAfterAThird() {
        fixture.addPeer(FIRST);
        start(FIRST);
        grant(fixture.onlyQuery(), Duration.ofSeconds(12));
        grant(fixture.queryAfter(Duration.ofSeconds(4)), Duration.ofSeconds(3));
        grant(fixture.queryAfter(Duration.ofSeconds(1)), LEASE);
        fixture.queryAfter(RENEW_INTERVAL);
    }

    @Test
    void lease_thatIsTooShort_isRenewedAsOneOfTheMinimum() {
        fixture.addPeer(FIRST);
        start(FIRST);
        int queries = 0;
        for (int millis = 0; millis < 1000; millis++) {
            if (!fixture.queries.isEmpty()) {
                grant(fixture.onlyQuery(), Duration.ofMillis(1));
                queries++;
            }
            fixture.scheduler.advance(Duration.ofMillis(1));
        }
        assertThat(queries).isEqualTo(3); // of a rendezvous that grants less than the minimum of a second
        assertThat(freshLeases).hasSize(3);
    }

    @Test
    void search_thatFails_isRepeatedAfterDoublingDelays_upToTheMaximum() {
        start(FIRST);
        long delayMillis = LIMITS.lease().minBackoff().toMillis();
        for (int search = 1; search < 12; search++) {
            assertThat(fixture.connects).hasSize(search);
            fixture.scheduler.advance(Duration.ofMillis(delayMillis / 2).minusNanos(1)); // jitter takes up to a half
            assertThat(fixture.connects).hasSize(search);
            advanceToTheNextConnect(Duration.ofMillis(delayMillis / 2).plusNanos(1));
            delayMillis = Math.min(2 * delayMillis, LIMITS.lease().maxBackoff().toMillis());
        }
    }

    /** The next delay begins at the connect, so the time stops there. */
    private void advanceToTheNextConnect(Duration max) {
        int before = fixture.connects.size();
        Duration step = max.dividedBy(1000);
        for (int i = 0; i < 1001 && fixture.connects.size() == before; i++) {
            fixture.scheduler.advance(step);
        }
        assertThat(fixture.connects).hasSize(before + 1);
        fixture.scheduler.advance(Duration.ZERO);
    }

    @Test
    void search_afterALease_beginsWithTheShortestDelay() {
        start(FIRST);
        fixture.scheduler.advance(Duration.ofMinutes(5));
        PeerId first = fixture.addPeer(FIRST);
        fixture.scheduler.advance(LIMITS.lease().maxBackoff());
        grant(fixture.onlyQuery(), LEASE);
        fixture.peers.remove(FIRST);
        fixture.connected.remove(first);
        fixture.connects.clear();

        PendingQuery renewal = fixture.queryAfter(RENEW_INTERVAL);
        renewal.fail(ErrorCode.UNREACHABLE);
        assertThat(fixture.connects).hasSize(1);
        fixture.scheduler.advance(LIMITS.lease().minBackoff());
        assertThat(fixture.connects).hasSize(2);
    }

    @Test
    void seed_thatDoesNotRespond_isSkippedAfterTheRequestTimeout() {
        fixture.peers.put(FIRST, new CompletableFuture<>());
        fixture.peers.put(SECOND, new CompletableFuture<>());
        start(FIRST, SECOND);
        assertThat(fixture.connects).hasSize(1);
        fixture.scheduler.advance(LIMITS.requestTimeout().minusNanos(1));
        assertThat(fixture.connects).hasSize(1);
        fixture.scheduler.advance(Duration.ofNanos(1));
        assertThat(fixture.connects).containsExactlyInAnyOrder(FIRST, SECOND);
    }

    @Test
    void renewal_thatIsRefusedAsBusy_isRetried_andKeepsTheLease() {
        LeaseClient client = leased();
        for (int i = 0; i < 3; i++) {
            fixture.queryAfter(RENEW_INTERVAL).fail(ErrorCode.BUSY);
            assertThat(client.rendezvous()).isPresent();
        }
        grant(fixture.queryAfter(RENEW_INTERVAL), LEASE);
        assertThat(fixture.metrics.get(Counter.LEASES_LOST)).isZero();
    }

    @Test
    void renewal_thatFails_losesTheLease_andTriesTheLostRendezvousLast() {
        fixture.addPeer(FIRST);
        fixture.addPeer(SECOND);
        LeaseClient client = start(FIRST, SECOND);
        grant(fixture.onlyQuery(), LEASE);
        int losses = 20; // the order is random, except for the one that was lost
        for (int loss = 1; loss <= losses; loss++) {
            PeerId lost = client.rendezvous().orElseThrow();
            fixture.queryAfter(RENEW_INTERVAL).fail(ErrorCode.TIMEOUT);
            assertThat(client.rendezvous()).isEmpty();
            PendingQuery next = fixture.onlyQuery();
            assertThat(next.to()).isNotEqualTo(lost);
            refuse(next);
            PendingQuery last = fixture.onlyQuery();
            assertThat(last.to()).isEqualTo(lost);
            grant(last, LEASE);
            assertThat(fixture.metrics.get(Counter.LEASES_LOST)).isEqualTo(loss);
        }
    }

    @Test
    void grant_afterClose_isReturned() {
        PeerId first = fixture.addPeer(FIRST);
        LeaseClient client = start(FIRST);
        PendingQuery late = fixture.onlyQuery();
        client.close();
        grant(late, LEASE);
        PendingQuery release = fixture.onlyQuery();
        assertThat(release.to()).isEqualTo(first);
        assertThat(request(release)).isEqualTo(LeaseRequest.release());
        assertThat(client.rendezvous()).isEmpty();
        assertThat(freshLeases).isEmpty();
    }

    @Test
    void grant_ofAPeerThatHasDisconnectedBefore_isLostImmediately() {
        PeerId first = fixture.addPeer(FIRST);
        LeaseClient client = start(FIRST);
        fixture.connected.remove(first);
        fixture.peers.remove(FIRST);
        grant(fixture.onlyQuery(), LEASE);
        assertThat(client.rendezvous()).isEmpty();
        assertThat(fixture.metrics.get(Counter.LEASES_LOST)).isEqualTo(1);
    }

    @Test
    void disconnect_losesTheLease_andSearchesImmediately() {
        LeaseClient client = leased();
        PeerId lost = client.rendezvous().orElseThrow();
        client.onDisconnected(lost);
        assertThat(client.rendezvous()).isEmpty();
        assertThat(fixture.onlyQuery().to()).isEqualTo(lost);
    }

    @Test
    void disconnect_whileTheExecutorFails_searchesAgain() {
        fixture.addPeer(FIRST);
        AtomicInteger failures = new AtomicInteger();
        LeaseClient client = start(
                fixture.contextOn(task -> {
                    if (failures.get() > 0) {
                        failures.decrementAndGet();
                        throw new InternalError("no thread (of the test)");
                    }
                    task.run();
                }),
                FIRST);
        grant(fixture.onlyQuery(), LEASE);
        PeerId lost = client.rendezvous().orElseThrow();

        failures.set(1);
        try {
            client.onDisconnected(lost);
        } catch (InternalError e) {
            assertThat(e).hasMessage("no thread (of the test)");
        }
        assertThat(failures).hasValue(0);
        fixture.scheduler.advance(LIMITS.lease().maxBackoff());
        assertThat(fixture.onlyQuery().to()).isEqualTo(lost);
    }

    @Test
    void groupsJoinedDuringARenewal_areSentWithAnotherOne() {
        LeaseClient client = leased();
        CompletableFuture<Void> weather = client.join(GROUP);
        PendingQuery first = fixture.onlyQuery();
        assertThat(request(first).groups()).containsExactly(GROUP);
        GroupId traffic = GroupId.ofName("traffic");
        CompletableFuture<Void> second = client.join(traffic);
        assertThat(fixture.queries).isEmpty();

        grant(first, LEASE);
        assertThat(weather).isCompleted();
        assertThat(second).isNotDone();
        PendingQuery next = fixture.onlyQuery();
        assertThat(request(next).groups()).containsExactlyInAnyOrder(GROUP, traffic);
        grant(next, LEASE);
        assertThat(second).isCompleted();
    }

    @Test
    void groupJoinedBefore_waitsDuringAnOutage_forTheNextLease() {
        LeaseClient client = leased();
        client.join(GROUP);
        grant(fixture.onlyQuery(), LEASE);
        assertThat(client.join(GROUP)).isCompleted();
        client.onDisconnected(client.rendezvous().orElseThrow());
        CompletableFuture<Void> joined = client.join(GROUP);
        assertThat(joined).isNotDone();
        grant(fixture.onlyQuery(), LEASE);
        assertThat(joined).isCompleted();
    }

    @Test
    void freshLease_isNotified_withEachRenewalThatIsFresh() {
        LeaseClient client = leased();
        PeerId rendezvous = client.rendezvous().orElseThrow();
        assertThat(freshLeases).containsExactly(rendezvous);
        fixture.queryAfter(RENEW_INTERVAL).respond(new LeaseResponse(LEASE, false, List.of()).write());
        assertThat(freshLeases).hasSize(1);
        grant(fixture.queryAfter(RENEW_INTERVAL), LEASE);
        assertThat(freshLeases).containsExactly(rendezvous, rendezvous);
    }

    @Test
    void outage_isLogged_whenNoneHasRespondedForTheRequestTimeout() {
        fixture.addPeer(FIRST);
        try (CapturedLog log = new CapturedLog()) {
            start(FIRST);
            fixture.scheduler.advance(Duration.ofSeconds(3));
            fixture.onlyQuery().fail(ErrorCode.TIMEOUT); // as on a busy machine
            fixture.scheduler.advance(LIMITS.lease().minBackoff());
            assertThat(log.lines("WARN")).isEmpty();
            PendingQuery second = fixture.onlyQuery();
            fixture.scheduler.advance(Duration.ofSeconds(2));
            assertThat(log.lines("WARN")).isEmpty();
            second.fail(ErrorCode.TIMEOUT);
            assertThat(log.lines("WARN"))
                    .singleElement()
                    .satisfies(line ->
                            assertThat(line).contains("Cannot acquire a lease from any rendezvous (mem://first)"));
        }
    }

    @Test
    void outage_isLogged_alsoIfTheClockIsSetBack() {
        fixture.addPeer(FIRST);
        try (CapturedLog log = new CapturedLog()) {
            start(FIRST);
            fixture.clock.advance(Duration.ofHours(-1));
            fixture.scheduler.advance(LIMITS.requestTimeout());
            fixture.onlyQuery().fail(ErrorCode.TIMEOUT);
            assertThat(log.lines("WARN")).hasSize(1);
            fixture.clock.advance(Duration.ofHours(-1));
            fixture.scheduler.advance(LIMITS.lease().minBackoff());
            grant(fixture.onlyQuery(), LEASE);
            assertThat(log.lines("Acquired a lease"))
                    .singleElement()
                    .satisfies(line -> assertThat(line).doesNotContain("PT-"));
        }
    }

    @Test
    void lastCandidate_getsTheTimeoutForARequestThatNoOtherCanServe() {
        fixture.addPeer(FIRST);
        fixture.addPeer(SECOND);
        start(FIRST, SECOND);
        PendingQuery first = fixture.onlyQuery();
        assertThat(first.timeout()).isEqualTo(LIMITS.hopTimeout());
        first.fail(ErrorCode.TIMEOUT);
        assertThat(fixture.onlyQuery().timeout()).isEqualTo(LIMITS.requestTimeout());
    }
}
