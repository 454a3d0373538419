package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.link;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.link.Link;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.transport.StuckTransport;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportSecurity;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connects to an address whose peer is unknown. */
class ConnectByAddressTest {

    private static final EndpointAddress ADDRESS = EndpointAddress.parse("stuck://somewhere");

    private final EndpointFixture fixture = new EndpointFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    private static EndpointAddress addressOf(PeerEndpoint endpoint) {
        return endpoint.addresses().get(0);
    }

    private static long open(PeerEndpoint endpoint) {
        return count(endpoint, Counter.CONNECTIONS_OPENED) - count(endpoint, Counter.CONNECTIONS_CLOSED);
    }

    /** Returns a transport that counts dials and connects every address to the endpoint. */
    private StuckTransport leadingTo(PeerEndpoint endpoint, Identity dialer) {
        StuckTransport transport = new StuckTransport();
        Transport memory = fixture.transport(dialer);
        EndpointAddress address = addressOf(endpoint);
        transport.onDial(() -> memory.dial(address, null));
        return transport;
    }

    @Test
    void connect_usesTheDialedConnection_andAddsTheAddress() {
        PeerEndpoint alice = fixture.start();
        Identity identity = Identity.generate();
        StuckTransport counting = leadingTo(alice, identity);
        PeerEndpoint bob = fixture.start(identity, EndpointLimits.DEFAULTS, counting);
        assertThat(join(bob.connect(ADDRESS))).isEqualTo(alice.peerId());
        assertThat(bob.connectedPeers()).containsExactly(alice.peerId());
        assertThat(join(bob.ping(alice.peerId()))).isPositive();
        assertThat(counting.dials()).isEqualTo(1);
        assertThat(open(alice)).isEqualTo(1);

        link(bob, alice).abort(null);
        until(
                "the loss",
                () -> bob.connectedPeers().isEmpty() && alice.connectedPeers().isEmpty());
        join(bob.connect(alice.peerId()));
        assertThat(counting.dials()).isEqualTo(2);
    }

    @Test
    void connectedPeer_keepsItsConnection() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        bob.addPeerAddress(alice.peerAddress());
        join(bob.connect(alice.peerId()));
        Link before = link(bob, alice);
        for (int i = 0; i < 20; i++) {
            assertThat(join(bob.connect(addressOf(alice)))).isEqualTo(alice.peerId());
        }
        assertThat(join(bob.ping(alice.peerId()))).isPositive();
        assertThat(link(bob, alice)).isSameAs(before);
        assertThat(count(alice, Counter.CONNECTIONS_OPENED)).isEqualTo(1);
        assertThat(count(alice, Counter.HANDSHAKES_FAILED)).isZero();
    }

    @Test
    void concurrentConnects_openOneConnection() {
        PeerEndpoint alice = fixture.start();
        for (int round = 0; round < 100; round++) {
            PeerEndpoint bob = fixture.start();
            bob.addPeerAddress(alice.peerAddress());
            List<CompletableFuture<?>> all = List.of(
                    bob.connect(addressOf(alice)),
                    bob.connect(alice.peerId()),
                    bob.connect(addressOf(alice)),
                    bob.ping(alice.peerId()));
            all.forEach(EndpointFixture::join);
            assertThat(open(bob)).isEqualTo(1);
            until("one connection at alice", () -> open(alice) == 1);
            assertThat(bob.connectedPeers()).containsExactly(alice.peerId());
            bob.close();
            EndpointFixture.assertNothingLeft(alice);
        }
    }

    @Test
    void mutualConnects_openOneConnection() {
        for (int round = 0; round < 100; round++) {
            PeerEndpoint alice = fixture.start();
            PeerEndpoint bob = fixture.start();
            CompletableFuture<PeerId> byAlice = CompletableFuture.supplyAsync(() -> alice.connect(addressOf(bob)))
                    .thenCompose(Function.identity());
            CompletableFuture<PeerId> byBob = bob.connect(addressOf(alice));
            assertThat(join(byAlice)).isEqualTo(bob.peerId());
            assertThat(join(byBob)).isEqualTo(alice.peerId());
            until("one connection each", () -> open(alice) == 1 && open(bob) == 1);
            assertThat(link(alice, bob).connectionId())
                    .isEqualTo(link(bob, alice).connectionId());
            assertThat(join(bob.ping(alice.peerId()))).isPositive();
            bob.close();
            alice.close();
        }
    }

    @Test
    void peerWhoseDialHangs_isConnected_andThatDialSucceeds() {
        PeerEndpoint alice = fixture.start();
        StuckTransport stuck = new StuckTransport();
        PeerEndpoint bob = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS, stuck);
        bob.addPeerAddress(PeerAddress.of(alice.peerId(), ADDRESS));
        CompletableFuture<Void> dialing = bob.connect(alice.peerId());
        until("the dial", () -> stuck.dials() == 1);
        assertThat(dialing).isNotDone();
        assertThat(join(bob.connect(addressOf(alice)))).isEqualTo(alice.peerId());
        join(dialing);
        until("one connection", () -> open(alice) == 1);
    }

    @Test
    void peerWhoseNextRoundIsPending_isConnectedImmediately() {
        PeerEndpoint alice = fixture.start();
        PendingRound pending = waitForNextRound(alice);
        assertThat(join(pending.bob.connect(addressOf(alice)))).isEqualTo(alice.peerId());
        join(pending.connecting);
        until("both to be counted", () -> count(alice, Counter.CONNECTIONS_OPENED) == 2);
    }

    @Test
    void addressAdded_whileTheNextRoundIsPending_isTriedImmediately() {
        PeerEndpoint alice = fixture.start();
        PendingRound pending = waitForNextRound(alice);
        pending.bob.addPeerAddress(PeerAddress.of(alice.peerId(), ADDRESS)); // a known address
        join(pending.bob.ping(pending.bob.peerId())); // runs on the executor of the endpoint after the dialer
        assertThat(pending.transport().dials()).isEqualTo(2);
        pending.bob.addPeerAddress(alice.peerAddress());
        join(pending.connecting);
    }

    /**
     * An endpoint that has lost a peer and failed to reconnect, and whose next round never starts, because its time stands
     * still.
     */
    private record PendingRound(PeerEndpoint bob, StuckTransport transport, CompletableFuture<Void> connecting) {}

    private PendingRound waitForNextRound(PeerEndpoint alice) {
        Identity identity = Identity.generate();
        StuckTransport transport = leadingTo(alice, identity);
        PeerEndpoint bob = fixture.start(identity, EndpointLimits.DEFAULTS, new ManualScheduler(), transport);
        join(bob.connect(ADDRESS));
        bob.messenger(alice.peerId(), EndpointFixture.SERVICE); // keeps the association in use
        transport.onDial(() -> CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception("on purpose")));
        link(bob, alice).abort(null);
        until("the loss", () -> bob.connectedPeers().isEmpty() && alice.associationCount() == 0);
        CompletableFuture<Void> connecting = bob.connect(alice.peerId());
        until("the first round", () -> transport.dials() == 2);
        join(bob.ping(bob.peerId())); // runs on the executor of the endpoint after the dialer
        assertThat(connecting).isNotDone();
        return new PendingRound(bob, transport, connecting);
    }

    @Test
    void addressAdded_whileAnotherIsTried_isTriedInTheSameRound() {
        PeerEndpoint alice = fixture.start();
        StuckTransport stuck = new StuckTransport();
        CompletableFuture<Connection> first = new CompletableFuture<>();
        stuck.onDial(() -> first);
        PeerEndpoint bob = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS, stuck);
        bob.addPeerAddress(PeerAddress.of(alice.peerId(), ADDRESS));
        CompletableFuture<Void> connecting = bob.connect(alice.peerId());
        until("the dial", () -> stuck.dials() == 1);
        bob.addPeerAddress(alice.peerAddress());
        first.completeExceptionally(ErrorCode.UNREACHABLE.exception("on purpose"));
        join(connecting);
        assertThat(stuck.dials()).isEqualTo(1);
    }

    @Test
    void addressesThatAreAddedAllTheTime_doNotExtendTheRound() {
        StuckTransport transport = new StuckTransport();
        PeerId far = Identity.generate().peerId();
        PeerEndpoint bob = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS, transport);
        transport.onDial(() -> {
            bob.addPeerAddress(PeerAddress.of(far, EndpointAddress.parse("stuck://a" + transport.dials())));
            return CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception("on purpose"));
        });
        bob.addPeerAddress(PeerAddress.of(far, ADDRESS));
        assertFails(bob.connect(far), ErrorCode.UNREACHABLE, "stuck://somewhere");
        assertThat(transport.dials()).isEqualTo(2 * PeerAddress.MAX_ADDRESSES);
    }

    @Test
    void ownAddress_isRefused_andTheEndpointStaysUsable() {
        PeerEndpoint alice = fixture.start();
        assertFails(
                alice.connect(addressOf(alice)),
                ErrorCode.IDENTITY_REFUSED,
                addressOf(alice).toString(),
                "itself");
        assertThat(count(alice, Counter.CONNECTIONS_OPENED)).isZero();
        assertThat(join(alice.ping(alice.peerId()))).isPositive();
    }

    @Test
    void transportWithoutAuthentication_isRefused() {
        PeerEndpoint alice = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        join(alice.listen(EndpointAddress.parse("mem://any")));
        assertFails(bob.connect(addressOf(alice)), ErrorCode.IDENTITY_REFUSED, "authenticate");
        assertThat(bob.associationCount()).isZero();
    }

    @Test
    void unusedAddress_failsWithTheReason() {
        PeerEndpoint bob = fixture.start();
        assertFails(bob.connect(EndpointAddress.parse("mem://absent")), ErrorCode.UNREACHABLE, "absent");
        assertFails(bob.connect(EndpointAddress.parse("pigeon://roof")), ErrorCode.NO_TRANSPORT, "pigeon");
        bob.close();
        assertFails(bob.connect(EndpointAddress.parse("mem://absent")), ErrorCode.CLOSED);
    }

    @Test
    void transportThatThrows_isUnreachable() {
        StuckTransport broken = new StuckTransport();
        broken.onDial(() -> {
            throw new IllegalStateException("on purpose");
        });
        PeerEndpoint bob = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS, broken);
        assertFails(bob.connect(ADDRESS), ErrorCode.UNREACHABLE, "on purpose");
    }

    @Test
    void peerWithoutFreeConnections_isBusy_andNothingIsLeft() {
        PeerEndpoint alice = fixture.start(
                EndpointLimits.DEFAULTS.toBuilder().maxConnections(1).build());
        PeerEndpoint carol = fixture.start();
        join(carol.connect(addressOf(alice)));
        PeerEndpoint bob = fixture.start();
        assertFails(
                bob.connect(addressOf(alice)),
                ErrorCode.BUSY,
                alice.peerId().toString(),
                addressOf(alice).toString());
        EndpointFixture.assertNothingLeft(bob);
        carol.close();
        until("room", () -> alice.associationCount() == 0); // a connection is counted as closed before there is room
        assertThat(join(bob.connect(addressOf(alice)))).isEqualTo(alice.peerId());
    }

    @Test
    void callerThatGivesUp_whileTheAddressIsDialed_abandonsTheDial() {
        StuckTransport transport = new StuckTransport();
        CompletableFuture<Connection> dialed = new CompletableFuture<>();
        transport.onDial(() -> dialed);
        PeerEndpoint bob = fixture.start(Identity.generate(), EndpointLimits.DEFAULTS, transport);
        assertThat(bob.connect(ADDRESS).cancel(false)).isTrue();
        assertThat(dialed).isCancelled();
    }

    @Test
    void callerThatGivesUp_afterTheDial_leavesAConnectionThatIsUsed() {
        PeerEndpoint alice = fixture.start();
        Identity identity = Identity.generate();
        StuckTransport transport = new StuckTransport();
        Transport memory = fixture.transport(identity);
        Connection connection = join(memory.dial(addressOf(alice), null));
        CompletableFuture<Connection> dialed = new CompletableFuture<>();
        transport.onDial(() -> dialed);
        PeerEndpoint bob = fixture.start(identity, EndpointLimits.DEFAULTS, transport);
        CompletableFuture<PeerId> connecting = bob.connect(ADDRESS);
        dialed.complete(connection);
        connecting.cancel(false);
        assertThat(link(bob, alice).connectionId()).isEqualTo(link(alice, bob).connectionId());
    }

    @Test
    void endpointClosedMeanwhile_failsWithClosed_andLeavesNoConnection() {
        PeerEndpoint alice = fixture.start();
        Identity identity = Identity.generate();
        StuckTransport transport = new StuckTransport();
        Transport memory = fixture.transport(identity);
        CompletableFuture<Connection> dialed = new CompletableFuture<>();
        transport.onDial(() -> dialed);
        PeerEndpoint bob = fixture.start(identity, EndpointLimits.DEFAULTS, transport);
        CompletableFuture<PeerId> connecting = bob.connect(ADDRESS);
        bob.close();
        Connection connection = join(memory.dial(addressOf(alice), null));
        dialed.complete(connection);
        assertFails(connecting, ErrorCode.CLOSED);
        join(connection.whenClosed());
    }
}
