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
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeaseClientTest {

    /** Those who say nothing are not waited for long, in real time. */
    private static final RendezvousLimits IMPATIENT = RendezvousLimits.DEFAULTS.toBuilder()
            .requestTimeout(Duration.ofSeconds(2))
            .hopTimeout(Duration.ofMillis(500))
            .build();

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
    void client_withASeed_getsALease() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.client(rendezvous);
        fixture.await("a lease", () -> client.isLeasedWith(rendezvous));
        assertThat(client.service().isRendezvous()).isFalse();
        assertThat(client.service().index().isAvailable()).isTrue();
        assertThat(client.count(Counter.LEASES_ACQUIRED)).isEqualTo(1);
        assertThat(rendezvous.count(Counter.LEASES_GRANTED)).isEqualTo(1);
    }

    @Test
    void lease_isRenewed_asLongAsTheClientLives() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.client(rendezvous);
        fixture.await("a lease", () -> client.isLeasedWith(rendezvous));
        long received = received(rendezvous);
        // One renewal for each ten seconds, over more than a lease.
        fixture.passUntil("fifteen renewals", () -> received(rendezvous) >= received + 15);
        assertThat(client.isLeasedWith(rendezvous)).isTrue();
        assertThat(rendezvous.count(Counter.LEASES_GRANTED)).isEqualTo(1);
        assertThat(client.count(Counter.LEASES_LOST)).isZero();
    }

    private static long received(Node node) {
        return node.endpoint().metrics().get(EndpointMetrics.Counter.MESSAGES_RECEIVED);
    }

    @Test
    void lease_ofAClientThatVanished_runsOut() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.client(rendezvous);
        fixture.await("a lease", () -> client.isLeasedWith(rendezvous));
        client.vanish();
        fixture.pass(RendezvousLimits.DEFAULTS.lease().lease());
        assertThat(rendezvous.service().clients()).isEmpty();
    }

    @Test
    void close_givesTheLeaseBack() {
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
    void lease_ofAClientWhosePeerEnds_ends() {
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
    void client_whenAllAreFull_triesAgainLater() {
        Node full = fixture.rendezvous(FULL);
        Node client = fixture.client(full);
        fixture.passUntil("several attempts", () -> full.count(Counter.CLIENTS_REDIRECTED) >= 3);
        assertThat(client.service().rendezvous()).isEmpty();
    }

    @Test
    void client_whoseSeedStartsLater_findsItThen() {
        EndpointAddress address = EndpointAddress.parse("mem://late");
        Node client = fixture.clientOf(IMPATIENT, address);
        CompletableFuture<Void> joined = client.service().join(GROUP);
        fixture.await(
                "the first search to fail", () -> client.service().status().lastFailure() != null);
        assertThat(client.service().rendezvous()).isEmpty();
        assertThat(joined).isNotDone();
        Node late = fixture.rendezvousAt(address);
        fixture.passUntil("a lease", () -> client.isLeasedWith(late));
        Eventually.get(joined, "joining the group");
    }

    @Test
    void client_whoseRendezvousCloses_movesToAnotherItWasToldOf() {
        assertMoves(IMPATIENT, lost -> Eventually.get(lost.service().closeAsync(), "closing"));
    }

    @Test
    void client_whoseRendezvousIsKilled_movesToAnotherItWasToldOf() {
        assertMoves(IMPATIENT, fixture::kill);
    }

    @Test
    void client_whoseRendezvousVanishesWithoutAWord_movesToAnotherItWasToldOf() {
        assertMoves(IMPATIENT, Node::vanish);
    }

    private void assertMoves(RendezvousLimits limits, Consumer<Node> loss) {
        fixture.timePasses = true;
        List<Node> overlay = fixture.overlay(limits, 2);
        Node lost = overlay.get(0);
        Node other = overlay.get(1);
        Node client = fixture.member(limits, lost);
        AtomicInteger available = new AtomicInteger();
        client.service().index().onAvailable(available::incrementAndGet);
        fixture.await("news of an index", () -> available.get() > 0);
        int before = available.get();
        loss.accept(lost);
        fixture.passUntil("a lease with the other", () -> client.isLeasedWith(other));
        fixture.await("news of another index", () -> available.get() > before);
        assertThat(client.count(Counter.LEASES_LOST)).isEqualTo(1);
        // The groups are known there at once.
        client.published("rain");
        assertThat(client.find("rain")).hasSize(1);
    }

    @Test
    void client_whoseRendezvousForgotIt_isToldThatItIsNew() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.member(rendezvous);
        AtomicInteger available = new AtomicInteger();
        client.service().index().onAvailable(available::incrementAndGet);
        int before = available.get();
        // Long enough for the lease to run out before the renewal, which is due as well, arrives.
        fixture.pass(RendezvousLimits.DEFAULTS.lease().lease());
        fixture.await("news of an index", () -> available.get() > before);
        fixture.await("the lease", () -> client.isLeasedWith(rendezvous));
        assertThat(client.find("nothing")).isEmpty();
    }

    @Test
    void join_isKnownToTheRendezvousAtOnce_andSoIsLeave() {
        Node rendezvous = fixture.rendezvous();
        Node client = fixture.member(rendezvous);
        client.published("rain");
        client.service().leave(GROUP);
        fixture.await(
                "the group to be closed",
                () -> Eventually.get(
                        client.service()
                                .index()
                                .find(GROUP, DiscoveryQuery.any(), 0, 1, RendezvousFixture.PATIENCE)
                                .handle((page, failure) -> failure != null),
                        "an answer"));
        client.joined();
        assertThat(client.find("rain")).hasSize(1);
    }

    @Test
    void find_andPublish_inAGroupThatWasNotJoined_areRefused() {
        Node rendezvous = fixture.rendezvous();
        Node insider = fixture.member(rendezvous);
        insider.published("rain");
        Node outsider = fixture.client(rendezvous);
        fixture.await("a lease", () -> outsider.isLeasedWith(rendezvous));
        Eventually.get(outsider.service().join(GroupId.ofName("traffic")), "joining another group");
        assertThat(RendezvousFixture.failure(outsider.service()
                        .index()
                        .find(GROUP, DiscoveryQuery.any(), 0, 10, RendezvousFixture.PATIENCE)))
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
                        client.service().index().find(GROUP, DiscoveryQuery.any(), 0, 10, RendezvousFixture.PATIENCE)))
                .isEqualTo(ErrorCode.UNREACHABLE);
    }
}
