package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.internal.context.DirectDialLimiter;
import io.parley.endpoint.internal.frame.FrameReader;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.TestSeed;
import io.parley.testkit.transport.StuckTransport;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Moves of Bob from a relayed link to a direct one that fail. All runs in manual time, on the thread of the test. */
class DirectLinkMoveTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration HANDSHAKE = TransportLimits.DEFAULTS.handshakeTimeout();
    private static final EndpointAddress DIRECT = EndpointAddress.parse("mem://alice-direct");
    private static final EndpointAddress SILENT = EndpointAddress.parse("mem://silent");
    private static final List<Identity> IDENTITIES = EndpointFixture.identities(2);

    private final ManualScheduler scheduler =
            new ManualScheduler(new ManualClock(START), TestSeed.random("the order of tasks"));
    private final InMemoryNetwork network = new InMemoryNetwork(new ManualEventLoops(scheduler, 2));
    private final List<Transport> transports = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final List<String> received = new ArrayList<>();

    /** The direct connections of Bob to a peer with the identity of Alice that does not respond, and their HELLO. */
    private final List<Connection> silent = new ArrayList<>();

    private final List<Connection> dialed = new ArrayList<>();
    private final List<Hello> hellos = new ArrayList<>();
    private final StuckTransport stuck = new StuckTransport();
    private final Transport memory = transport(IDENTITIES.get(1));
    private final PeerEndpoint alice = start(0, new RelayedMemoryTransport(transport(IDENTITIES.get(0))));
    private final PeerEndpoint bob = start(1, stuck, new RelayedMemoryTransport(memory));

    DirectLinkMoveTest() {
        alice.listen(EndpointAddress.parse("relay+mem://alice")).join();
        alice.listen(DIRECT).join();
        transport(IDENTITIES.get(0)).listen(SILENT, this::accept).join();
        alice.listen(SERVICE, message -> {
            received.add(message.message().text("text").orElseThrow());
            message.release();
        });
        bob.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onConnected(PeerId peer) {
                events.add("connected");
            }

            @Override
            public void onDisconnected(PeerId peer) {
                events.add("disconnected");
            }
        });
    }

    private PeerEndpoint start(int index, Transport... furtherTransports) {
        return EndpointFixture.startInManualTime(
                IDENTITIES.get(index),
                EndpointLimits.DEFAULTS,
                new BinaryMessageCodec(),
                network,
                scheduler,
                furtherTransports);
    }

    private Transport transport(Identity identity) {
        Transport transport = network.transportProvider()
                .create(new TransportContext(
                        identity, TransportSecurity.TLS, TransportLimits.DEFAULTS, new EndpointMetrics(), scheduler));
        transports.add(transport);
        return transport;
    }

    private void accept(Connection connection) {
        connection.start(new SilentListener(connection));
    }

    @AfterEach
    void closeAll() {
        bob.closeAsync();
        alice.closeAsync();
        scheduler.advance(Duration.ofMinutes(1));
        transports.forEach(Transport::closeAsync); // those without an endpoint
        scheduler.advance(Duration.ofMinutes(2));
        for (PeerEndpoint endpoint : List.of(alice, bob)) {
            assertThat(endpoint.whenClosed()).isCompleted();
            assertThat(endpoint.associationCount()).isZero();
        }
        assertThat(scheduler.pending()).as("timers").isZero();
    }

    private void dialTo(EndpointAddress address) {
        stuck.onDial(() -> memory.dial(address, alice.peerId()).whenComplete((connection, failure) -> {
            if (connection != null) {
                dialed.add(connection);
            }
        }));
    }

    private void failDials() {
        stuck.onDial(() -> CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception("on purpose")));
    }

    private @Nullable Link link() {
        return EndpointFixture.activeLink(bob, alice);
    }

    /** Connects Bob to Alice through the relay. */
    private Link connectRelayed() {
        bob.addPeerAddress(EndpointFixture.at(alice, "relay+mem://alice"));
        bob.connect(alice.peerId());
        scheduler.runReady();
        return Objects.requireNonNull(link());
    }

    private void addAddress(String name) {
        bob.addPeerAddress(PeerAddress.of(alice.peerId(), EndpointAddress.parse("stuck://" + name)));
        scheduler.runReady();
    }

    /** Leaves the handshake of a direct connection without a response. */
    private Link startSilentMove() {
        Link relayed = connectRelayed();
        dialTo(SILENT);
        addAddress("silent");
        assertThat(hellos).hasSize(1);
        assertThat(hellos.get(0).lost()).isEqualTo(OptionalLong.of(relayed.connectionId()));
        return relayed;
    }

    @Test
    void relayedLinkThatIsLostDuringTheHandshake_isReported_andTheMessageGoesThroughTheRelay() {
        Link relayed = startSilentMove();
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        relayed.abort(null);
        scheduler.runReady();
        CompletableFuture<Void> sent = messenger.send(text("1"));
        scheduler.runReady();
        assertThat(events).containsExactly("connected");
        assertThat(sent).isNotDone();

        failDials();
        scheduler.advance(HANDSHAKE);
        assertThat(sent).isCompleted();
        assertThat(received).containsExactly("1");
        assertThat(events).containsExactly("connected", "disconnected", "connected");
        assertThat(Objects.requireNonNull(link()).isRelayed()).isTrue();
    }

    /** The failure of the handshake may be on its way to the dialer when the relayed link ends. */
    @RepeatedTest(100)
    void bothConnectionsThatAreLostAtOnce_leadToTheRelay() {
        Link relayed = startSilentMove();
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        failDials();
        network.isolate(alice.peerId()); // so that the message is not acknowledged
        network.restore(alice.peerId());
        CompletableFuture<Void> sent = messenger.send(text("1"));
        scheduler.runReady();
        dialed.get(0).abort(null);
        runAfterTasks(scheduler.random().nextInt(8), () -> relayed.abort(null));
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(sent).isCompleted();
        assertThat(received).containsExactly("1");
        assertThat(events).containsExactly("connected", "disconnected", "connected");
    }

    private void runAfterTasks(int tasks, Runnable last) {
        scheduler.newExecutor().execute(() -> {
            if (tasks == 0) {
                last.run();
            } else {
                runAfterTasks(tasks - 1, last);
            }
        });
    }

    /** Alice has lost the relayed link, and Bob has not noticed it. */
    @Test
    void relayedLinkThatReplacesARelayedOne_isReported() {
        connectRelayed();
        bob.listen(EndpointAddress.parse("relay+mem://bob")).join();
        network.isolate(alice.peerId());
        network.restore(alice.peerId());
        Objects.requireNonNull(EndpointFixture.activeLink(alice, bob)).abort(null);
        scheduler.runReady();
        assertThat(events).containsExactly("connected");
        alice.addPeerAddress(EndpointFixture.at(bob, "relay+mem://bob"));
        CompletableFuture<Void> connected = alice.connect(bob.peerId());
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(connected).isCompleted();
        assertThat(events).containsExactly("connected", "disconnected", "connected");
    }

    @Test
    void relayedLinkThatIsLost_leavesNoTimerOfTheNextRound() {
        Link relayed = connectRelayed();
        failDials();
        addAddress("first");
        addAddress("second");
        assertThat(stuck.dials()).isEqualTo(1);
        assertThat(scheduler.pendingWithin(DirectDialLimiter.MIN_DELAY)).isEqualTo(1);
        relayed.abort(null);
        scheduler.runReady();
        assertThat(scheduler.pendingWithin(DirectDialLimiter.MIN_DELAY)).isZero();
    }

    @Test
    void closingEndpoint_startsNoMove() {
        connectRelayed();
        bob.messenger(alice.peerId(), SERVICE).send(text("1"));
        failDials();
        addAddress("first");
        addAddress("second"); // which waits for the next round
        network.isolate(alice.peerId()); // so that the message is not acknowledged
        bob.messenger(alice.peerId(), SERVICE).send(text("2"));
        bob.closeAsync();
        addAddress("third");
        scheduler.advance(DirectDialLimiter.MIN_DELAY.multipliedBy(2));
        assertThat(link()).isNotNull();
        assertThat(stuck.dials()).isEqualTo(1);
    }

    /** The dialer of the direct connection continues as that of the peer: it repeats its rounds until the reconnect timeout. */
    @Test
    void messageThatWaitsForALostPeer_failsAfterTheReconnectTimeout() {
        Link relayed = startSilentMove();
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        alice.closeAsync();
        relayed.abort(null);
        scheduler.runReady();
        CompletableFuture<Void> sent = messenger.send(text("1"));
        failDials();
        Duration timeout = EndpointLimits.DEFAULTS.reconnectTimeout();
        scheduler.advance(timeout.minusSeconds(6));
        assertThat(sent).isNotDone();
        assertThat(events).containsExactly("connected", "disconnected");
        scheduler.advance(Duration.ofSeconds(12));
        EndpointFixture.assertFails(sent, ErrorCode.UNREACHABLE, "relay+mem://alice", "stuck://silent");
    }

    @Test
    void peerThatIsOffered_duringTheHandshake_isUsedAfterIt() {
        Link relayed = startSilentMove();
        relayed.abort(null);
        scheduler.runReady();
        CompletableFuture<PeerId> byAddress = bob.connect(DIRECT);
        scheduler.runReady();
        assertThat(byAddress).isNotDone();
        scheduler.advance(HANDSHAKE);
        assertThat(byAddress).isCompletedWithValue(alice.peerId());
        assertThat(Objects.requireNonNull(link()).isRelayed()).isFalse();
    }

    @Test
    void peerThatClosesInOrder_duringTheHandshake_isNotDialedAgain() {
        startSilentMove();
        alice.closeAsync();
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(link()).isNull();
        scheduler.advance(Duration.ofMinutes(2));
        assertThat(events).containsExactly("connected", "disconnected");
        assertThat(stuck.dials()).isEqualTo(1);
        assertThat(bob.associationCount()).isZero();
    }

    @Test
    void endpointThatClosesDuringAMove_reportsTheDisconnect() {
        Link relayed = startSilentMove();
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        relayed.abort(null);
        scheduler.runReady();
        CompletableFuture<Void> sent = messenger.send(text("1"));
        bob.closeAsync();
        scheduler.advance(EndpointLimits.DEFAULTS.closeTimeout());
        assertThat(bob.whenClosed()).isCompleted();
        EndpointFixture.assertFails(sent, ErrorCode.CLOSED);
        assertThat(events).containsExactly("connected", "disconnected");
    }

    @RepeatedTest(100)
    void relayedLinkThatEndsInOrder_asTheDirectConnectionOpens_isNotFollowedByAnotherConnect() {
        connectRelayed();
        CompletableFuture<Connection> dial = new CompletableFuture<>();
        stuck.onDial(() -> dial);
        addAddress("direct");
        CompletableFuture<Connection> opened = memory.dial(DIRECT, alice.peerId());
        scheduler.runReady();
        dial.complete(opened.join());
        runAfterTasks(
                scheduler.random().nextInt(8),
                () -> Objects.requireNonNull(bob.association(alice.peerId())).retire());
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(events).isIn(List.of("connected"), List.of("connected", "disconnected"));
    }

    @Test
    void directLinkThatEndsAtOnce_givesWayToTheRelay() {
        connectRelayed();
        dialTo(DIRECT);
        addAddress("direct");
        Link direct = Objects.requireNonNull(link());
        assertThat(direct.isRelayed()).isFalse();
        failDials();
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        direct.abort(null);
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(sent).isCompleted();
        assertThat(received).containsExactly("1");
        assertThat(Objects.requireNonNull(link()).isRelayed()).isTrue();
        assertThat(events).containsExactly("connected", "disconnected", "connected");
    }

    /** A peer that does not know of lost connections keeps the relayed one. */
    @Test
    void peerThatKeepsTheRelayedLink_isDialedOnce_andAgainAtANewAddress() {
        Link relayed = startSilentMove();
        reject(WireStatus.duplicateOf(relayed.connectionId()));
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(hellos).hasSize(1);
        addAddress("another");
        assertThat(hellos).hasSize(2);
        assertThat(link()).isSameAs(relayed);
        assertThat(events).containsExactly("connected");
    }

    @Test
    void newAddressesWithoutEnd_areNotDialedWithoutEnd() {
        connectRelayed();
        failDials();
        for (int i = 0; i < 1000; i++) {
            addAddress("address" + i);
            scheduler.advance(Duration.ofMillis(10));
        }
        int rounds = 4; // within 10 s: after 0, 1, 3 and 7 s
        assertThat(stuck.dials()).isBetween(rounds, 2 * rounds * PeerAddress.MAX_ADDRESSES);
        scheduler.advance(Duration.ofSeconds(8)); // the next round
        assertThat(stuck.dials()).isLessThanOrEqualTo(2 * (rounds + 1) * PeerAddress.MAX_ADDRESSES);
        dialTo(DIRECT);
        addAddress("last");
        scheduler.advance(Duration.ofSeconds(20));
        assertThat(Objects.requireNonNull(link()).isRelayed()).isFalse();
    }

    /** The remote peer causes each of these links, and the association need not outlive them. */
    @Test
    void relayedLinksWithoutEnd_doNotCauseDialsWithoutEnd() {
        bob.listen(EndpointAddress.parse("relay+mem://bob")).join();
        failDials();
        alice.addPublicAddress(EndpointAddress.parse("stuck://third-party"));
        alice.addPeerAddress(EndpointFixture.at(bob, "relay+mem://bob"));
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Void> connected = alice.connect(bob.peerId());
            scheduler.advance(Duration.ofMillis(50));
            assertThat(connected).isCompleted();
            Objects.requireNonNull(EndpointFixture.activeLink(alice, bob)).abort(null);
            scheduler.advance(Duration.ofMillis(50));
        }
        assertThat(stuck.dials()).isBetween(1, 4);
    }

    /** Rejects the last HELLO. */
    private void reject(WireStatus status) {
        Connection connection = silent.get(silent.size() - 1);
        connection.executor().execute(() -> {
            connection.write(new FrameWriter(connection.allocator()).reject(status), null);
            connection.flush();
        });
        scheduler.runReady();
    }

    private final class SilentListener implements ConnectionListener, FrameVisitor {

        private final Connection connection;

        SilentListener(Connection connection) {
            this.connection = connection;
        }

        @Override
        public void onFrame(ByteBuf frame) {
            FrameReader.read(frame, this);
        }

        @Override
        public void onHello(Hello hello) {
            hellos.add(hello);
            silent.add(connection);
        }

        @Override
        public void onReadComplete() {}

        @Override
        public void onWritable() {}

        @Override
        public void onClosed(@Nullable Throwable cause) {}
    }
}
