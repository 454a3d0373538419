package io.parley.rendezvous.internal;

import static io.parley.rendezvous.internal.Publisher.GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.discovery.DiscoveryQuery;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousFixture.Node;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaseClientTest {

    private static final RendezvousLimits FULL = RendezvousLimits.DEFAULTS.toBuilder()
            .lease(RendezvousLimits.LeaseLimits.DEFAULTS.toBuilder()
                    .maxClients(0)
                    .build())
            .build();

    private final RendezvousFixture fixture = new RendezvousFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void client_withASeed_acquiresALease() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.client(rendezvous);
        fixture.await("a lease", () -> client.isLeasedWith(rendezvous));
        assertThat(client.service().isRendezvous()).isFalse();
        assertThat(client.service().index().isAvailable()).isTrue();
        fixture.await("the lease to be counted", () -> client.count(Counter.LEASES_ACQUIRED) == 1);
        assertThat(rendezvous.count(Counter.LEASES_GRANTED)).isEqualTo(1);
    }

    @Test
    void lease_isRenewed_whileTheClientLives() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.client(rendezvous);
        fixture.await("a lease", () -> client.isLeasedWith(rendezvous));
        long received = received(rendezvous);
        // One renewal every ten seconds, during more than a lease.
        fixture.advanceUntil("fifteen renewals", () -> received(rendezvous) >= received + 15);
        assertThat(client.isLeasedWith(rendezvous)).isTrue();
        assertThat(rendezvous.count(Counter.LEASES_GRANTED)).isEqualTo(1);
        assertThat(client.count(Counter.LEASES_LOST)).isZero();
    }

    private static long received(Node node) {
        return node.endpoint().metrics().get(EndpointMetrics.Counter.MESSAGES_RECEIVED);
    }

    @Test
    void lease_ofAnIsolatedClient_expires() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.client(rendezvous);
        fixture.await("a lease", () -> client.isLeasedWith(rendezvous));
        client.isolate();
        fixture.advance(RendezvousLimits.DEFAULTS.lease().lease());
        assertThat(rendezvous.service().clients()).isEmpty();
    }

    @Test
    void close_returnsTheLease() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.client(rendezvous);
        fixture.await("a lease", () -> client.isLeasedWith(rendezvous));
        Eventually.get(client.service().closeAsync(), "closing");
        assertThat(rendezvous.service().clients()).isEmpty();
        assertThat(client.service().rendezvous()).isEmpty();
        assertThat(client.service().index().isAvailable()).isFalse();
        assertThat(RendezvousFixture.failure(client.service().join(GROUP))).isEqualTo(ErrorCode.CLOSED);
    }

    @Test
    void lease_ofAClientWhoseEndpointCloses_ends() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.client(rendezvous);
        fixture.await("a lease", () -> client.isLeasedWith(rendezvous));
        fixture.kill(client);
        fixture.await(
                "the end of the lease", () -> rendezvous.service().clients().isEmpty());
    }

    @Test
    void client_ofAFullRendezvous_isRedirectedToAnother() {
        Node full = fixture.rendezvous(FULL);
        Node other = fixture.rendezvous(full);
        fixture.awaitFullView(List.of(full, other));
        Node client = fixture.client(full);
        fixture.await("a lease with the other", () -> client.isLeasedWith(other));
        assertThat(full.count(Counter.CLIENTS_REDIRECTED)).isEqualTo(1);
        assertThat(full.service().clients()).isEmpty();
    }

    @Test
    void client_ifAllAreFull_retriesLater() {
        Node full = fixture.rendezvous(FULL);
        Node client = fixture.client(full);
        fixture.advanceUntil("several attempts", () -> full.count(Counter.CLIENTS_REDIRECTED) >= 3);
        assertThat(client.service().rendezvous()).isEmpty();
    }

    @Test
    void client_whoseSeedStartsLater_acquiresALeaseThen() {
        EndpointAddress address = EndpointAddress.parse("mem://late");
        Node client = fixture.clientOf(RendezvousLimits.DEFAULTS, address);
        CompletableFuture<Void> joined = client.service().join(GROUP);
        fixture.await(
                "the first search to fail", () -> client.service().status().lastFailure() != null);
        assertThat(client.service().rendezvous()).isEmpty();
        assertThat(joined).isNotDone();
        Node late = fixture.rendezvousAt(address);
        fixture.advanceUntil("a lease", () -> client.isLeasedWith(late));
        Eventually.get(joined, "joining the group");
    }

    @Test
    void client_whoseRendezvousCloses_movesToAReferral() {
        assertMoves(lost -> Eventually.get(lost.service().closeAsync(), "closing"));
    }

    @Test
    void client_whoseRendezvousIsKilled_movesToAReferral() {
        assertMoves(fixture::kill);
    }

    @Test
    void client_whoseRendezvousIsIsolated_movesToAReferral() {
        assertMoves(Node::isolate);
    }

    private void assertMoves(Consumer<Node> loss) {
        fixture.timePasses = true;
        List<Node> overlay = fixture.overlay(2);
        Node lost = overlay.get(0);
        Node other = overlay.get(1);
        Node client = fixture.member(lost);
        AtomicInteger available = new AtomicInteger();
        client.service().index().onAvailable(available::incrementAndGet);
        fixture.await("the index to be available", () -> available.get() > 0);
        int before = available.get();
        loss.accept(lost);
        fixture.advanceUntil("a lease with the other", () -> client.isLeasedWith(other));
        fixture.await("another index to be available", () -> available.get() > before);
        assertThat(client.count(Counter.LEASES_LOST)).isEqualTo(1);
        // The new rendezvous knows the groups immediately.
        client.published("rain");
        assertThat(client.find("rain")).hasSize(1);
    }

    @Test
    void client_whoseLeaseExpired_getsAFreshOne() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.member(rendezvous);
        AtomicInteger available = new AtomicInteger();
        client.service().index().onAvailable(available::incrementAndGet);
        int before = available.get();
        // The lease expires before the renewal, which is due as well, arrives.
        fixture.advanceAtOnce(RendezvousLimits.DEFAULTS.lease().lease());
        fixture.await("the index to be available", () -> available.get() > before);
        fixture.await("the lease", () -> client.isLeasedWith(rendezvous));
        assertThat(client.find("nothing")).isEmpty();
    }

    @Test
    void join_isSentToTheRendezvousImmediately_andSoIsLeave() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.member(rendezvous);
        client.published("rain");
        client.service().leave(GROUP);
        fixture.await(
                "the group to be closed",
                () -> Eventually.get(
                        client.service()
                                .index()
                                .find(GROUP, DiscoveryQuery.any(), 0, 1, RendezvousFixture.TIMEOUT)
                                .handle((page, failure) -> failure != null),
                        "a response"));
        client.joined();
        assertThat(client.find("rain")).hasSize(1);
    }

    @Test
    void find_andPublish_inAGroupThatIsNotJoined_areRefused() {
        Node rendezvous = fixture.rendezvous();
        Node insider = fixture.member(rendezvous);
        insider.published("rain");
        Node outsider = fixture.client(rendezvous);
        fixture.await("a lease", () -> outsider.isLeasedWith(rendezvous));
        Eventually.get(outsider.service().join(GroupId.ofName("traffic")), "joining another group");
        assertThat(RendezvousFixture.failure(
                        outsider.service().index().find(GROUP, DiscoveryQuery.any(), 0, 10, RendezvousFixture.TIMEOUT)))
                .isEqualTo(ErrorCode.NO_SUCH_SERVICE);
        assertThat(RendezvousFixture.failure(
                        outsider.publish(outsider.publisher().signPipe("hail"))))
                .isEqualTo(ErrorCode.NO_SUCH_SERVICE);
        assertThat(insider.find("hail")).isEmpty();
        assertThat(rendezvous.count(Counter.REQUESTS_UNAUTHORIZED)).isEqualTo(2);
    }

    @Test
    void index_withoutARendezvous_isNotAvailable() {
        Node client = fixture.client();
        assertThat(client.service().index().isAvailable()).isFalse();
        assertThat(RendezvousFixture.failure(client.publish(client.publisher().signPipe("rain"))))
                .isEqualTo(ErrorCode.UNREACHABLE);
        assertThat(RendezvousFixture.failure(
                        client.service().index().find(GROUP, DiscoveryQuery.any(), 0, 10, RendezvousFixture.TIMEOUT)))
                .isEqualTo(ErrorCode.UNREACHABLE);
    }
}
