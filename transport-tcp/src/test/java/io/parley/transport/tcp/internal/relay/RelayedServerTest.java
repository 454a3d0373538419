package io.parley.transport.tcp.internal.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.parley.common.internal.WireStatus;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.Connection;
import io.parley.transport.ConnectionListener;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.RelayLimits;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that listens at a relay, in manual time. The relay of most tests follows a script, and not the rules of a relay. */
class RelayedServerTest {

    private static final EndpointAddress RELAY = EndpointAddress.parse("mem://relay");
    private static final TransportLimits LIMITS = TransportLimits.DEFAULTS.toBuilder()
            .maxHandshakes(16)
            .maxHandshakesPerHost(4)
            .handshakesPerSecond(10)
            .build();

    private final ManualScheduler scheduler = new ManualScheduler(new ManualClock(Instant.EPOCH), new Random(3));
    private final EndpointMetrics relayMetrics = new EndpointMetrics();
    private final InMemoryNetwork network = new InMemoryNetwork(new ManualEventLoops(scheduler, 3));
    private final Transport relaying = network.transportProvider().create(context(relayMetrics));
    private final TransportContext clientContext = context(new EndpointMetrics());
    private final Transport client = network.transportProvider().create(clientContext);
    private final List<ScriptedRelay> sessions = new ArrayList<>();
    private final List<CompletableFuture<Connection>> accepts = new ArrayList<>();
    private Consumer<Connection> onSession = connection -> sessions.add(new ScriptedRelay(connection));
    private int connects;
    private final RelayedServer server = new RelayedServer(RELAY.relayed(), clientContext, new RelayedServer.Owner() {
        @Override
        public CompletableFuture<Connection> connect() {
            connects++;
            return client.dial(RELAY, null);
        }

        @Override
        public CompletableFuture<Connection> accept(UUID circuit, InetSocketAddress from) {
            CompletableFuture<Connection> accepted = new CompletableFuture<>();
            accepts.add(accepted);
            return accepted;
        }
    });

    private TransportContext context(EndpointMetrics metrics) {
        return new TransportContext(Identity.generate(), TransportSecurity.TLS, LIMITS, metrics, scheduler);
    }

    /** The end of a connection at the relay, or at a client that follows a script. */
    private static final class ScriptedRelay implements ConnectionListener {

        private final Connection connection;
        private final List<RelayFrame> frames = new ArrayList<>();
        private @Nullable Throwable cause;
        private boolean closed;

        private ScriptedRelay(Connection connection) {
            this.connection = connection;
            connection.start(this);
            connection.completeHandshake(RelayFrame.MAX_BYTES);
        }

        private void send(RelayFrame... all) {
            connection.executor().execute(() -> {
                for (RelayFrame frame : all) {
                    connection.write(frame.write(connection.allocator()), null);
                }
                connection.flush();
            });
        }

        private long count(Class<? extends RelayFrame> type) {
            return frames.stream().filter(type::isInstance).count();
        }

        @Override
        public void onFrame(ByteBuf frame) {
            frames.add(RelayFrame.read(frame));
        }

        @Override
        public void onReadComplete() {}

        @Override
        public void onWritable() {}

        @Override
        public void onClosed(@Nullable Throwable reason) {
            closed = true;
            cause = reason;
        }
    }

    @BeforeEach
    void listen() {
        assertThat(relaying.listen(RELAY, connection -> onSession.accept(connection)))
                .isCompleted();
    }

    @AfterEach
    void close() {
        server.closeAsync();
        scheduler.runReady();
        assertThat(server.whenClosed()).isCompleted();
        client.closeAsync();
        relaying.closeAsync();
        scheduler.runReady();
        assertThat(scheduler.pending()).as("timers that were not cancelled").isZero();
    }

    private ScriptedRelay started() {
        server.start();
        scheduler.runReady();
        return last();
    }

    private ScriptedRelay last() {
        return sessions.get(sessions.size() - 1);
    }

    private static RelayFrame.Dialed dialedFrom(int host) {
        return new RelayFrame.Dialed(
                UUID.randomUUID(), new InetSocketAddress("10.0." + host / 250 + "." + host % 250, 1));
    }

    // The session.

    @Test
    void session_pingsItsRelay_andGivesUpOneThatIsSilent() {
        ScriptedRelay relay = started();
        scheduler.advance(RelayedServer.PING_INTERVAL.multipliedBy(RelayedServer.MISSED_PINGS));
        assertThat(relay.count(RelayFrame.Ping.class)).isEqualTo(RelayedServer.MISSED_PINGS);
        relay.send(new RelayFrame.Pong());
        scheduler.advance(RelayedServer.PING_INTERVAL.multipliedBy(RelayedServer.MISSED_PINGS));
        assertThat(relay.closed).isFalse();

        scheduler.advance(RelayedServer.PING_INTERVAL);
        assertThat(relay.closed).isTrue();
        scheduler.advance(Duration.ofSeconds(1));
        assertThat(sessions).as("it connects again").hasSize(2);
    }

    /** The state of a session belongs to the executor of its connection. */
    @Test
    void session_ofAConnectionThatIsThereAtOnce_startsOnItsExecutor() {
        CompletableFuture<Connection> dialed = client.dial(RELAY, null);
        scheduler.runReady();
        assertThat(dialed).isCompleted();
        RelayedServer atOnce = new RelayedServer(RELAY.relayed(), clientContext, new RelayedServer.Owner() {
            @Override
            public CompletableFuture<Connection> connect() {
                return dialed;
            }

            @Override
            public CompletableFuture<Connection> accept(UUID circuit, InetSocketAddress from) {
                throw new AssertionError(from);
            }
        });
        atOnce.start();
        assertThat(scheduler.pending()).as("timers before a task has run").isZero();
        scheduler.runReady();
        assertThat(scheduler.pending()).isEqualTo(1);
        atOnce.closeAsync();
        scheduler.runReady();
        assertThat(atOnce.whenClosed()).isCompleted();
    }

    @Test
    void whenReachable_completesAsSoonAsTheRelayServes_andStaysSo() {
        CompletableFuture<Void> reachable = server.whenReachable();
        server.start();
        scheduler.runReady();
        assertThat(reachable).as("before the relay serves").isNotDone();
        last().send(new RelayFrame.Served());
        scheduler.runReady();
        assertThat(reachable).isCompleted();
        server.closeAsync();
        scheduler.runReady();
        assertThat(server.whenReachable()).isCompleted();
    }

    @Test
    void whenReachable_fails_ifTheServerIsClosedBefore() {
        server.start();
        scheduler.runReady();
        server.closeAsync();
        scheduler.runReady();
        assertThat(server.whenReachable())
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableOfType(ExecutionException.class)
                .withMessageContaining("CLOSED");
    }

    @Test
    void relay_thatIsGone_isConnectedAgain_withGrowingDelays() {
        onSession = Connection::close;
        server.start();
        scheduler.advance(Duration.ofMinutes(10));
        assertThat(connects).isBetween(20, 60);

        onSession = connection -> sessions.add(new ScriptedRelay(connection));
        scheduler.advance(Duration.ofSeconds(30));
        last().send(new RelayFrame.Served());
        scheduler.advance(RelayedServer.PING_INTERVAL);
        last().send(new RelayFrame.Pong());
        scheduler.runReady();
        int before = connects;
        last().connection.close();
        scheduler.advance(Duration.ofMillis(250));
        assertThat(connects).as("at once after a session that was good").isEqualTo(before + 1);
    }

    /** A relay that serves and closes in turn costs few connections, and few lines. */
    @Test
    void relay_thatServesAndCloses_isConnectedAgain_withGrowingDelays() {
        onSession = connection -> {
            ScriptedRelay relay = new ScriptedRelay(connection);
            relay.send(new RelayFrame.Served());
            connection.executor().execute(connection::close);
        };
        try (CapturedLog log = new CapturedLog()) {
            server.start();
            scheduler.advance(Duration.ofMinutes(10));
            assertThat(connects).isBetween(20, 60);
            assertThat(log.lines("eachable at relay")).hasSizeLessThan(2 * 60);
        }
    }

    @Test
    void relay_thatReportsTwiceThatItServes_isDisconnected() {
        ScriptedRelay relay = started();
        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 100; i++) {
                relay.send(new RelayFrame.Served());
            }
            scheduler.runReady();
            assertThat(relay.closed).isTrue();
            assertThat(log.lines("Reachable at relay")).hasSize(1);
            assertThat(log.lines("Not reachable at relay")).hasSize(1);
        }
    }

    @Test
    void relay_thatSendsFramesOfAClient_isDisconnected() {
        ScriptedRelay relay = started();
        relay.send(new RelayFrame.Ping());
        scheduler.runReady();
        assertThat(relay.closed).isTrue();
    }

    @Test
    void relay_thatRefuses_isConnectedAgain_andTheReasonIsLogged() {
        ScriptedRelay relay = started();
        try (CapturedLog log = new CapturedLog()) {
            relay.send(new RelayFrame.Refused(WireStatus.of(ErrorCode.BUSY, "maxClients 1")));
            scheduler.advance(Duration.ofSeconds(1));
            assertThat(log.lines("Not reachable at relay"))
                    .singleElement()
                    .asString()
                    .contains("refused by the relay: maxClients 1");
        }
        assertThat(sessions).hasSizeGreaterThan(1);
    }

    // Circuits.

    @Test
    void circuits_atTheSameTime_areLimited_moreThanThoseOfOneHost() {
        ScriptedRelay relay = started();
        for (int i = 0; i < 20; i++) {
            relay.send(dialedFrom(i));
        }
        scheduler.runReady();
        assertThat(accepts).hasSize(LIMITS.maxHandshakes() / 2);
        assertThat(relay.frames)
                .hasSize(20 - LIMITS.maxHandshakes() / 2)
                .allSatisfy(frame -> assertThat(frame)
                        .isInstanceOfSatisfying(
                                RelayFrame.Declined.class,
                                declined -> assertThat(declined.status().code()).isEqualTo(ErrorCode.BUSY)));

        accepts.forEach(accept -> accept.cancel(false));
        scheduler.runReady();
        relay.send(dialedFrom(1));
        scheduler.runReady();
        assertThat(accepts).as("there is room again").hasSize(LIMITS.maxHandshakes() / 2 + 1);
    }

    /** A relay can invent hosts. It must not use up the handshakes of those that connect directly. */
    @Test
    void circuits_haveTheRateOfOneHost() {
        ScriptedRelay relay = started();
        for (int i = 0; i < 100; i++) {
            relay.send(dialedFrom(i));
            scheduler.runReady();
            accepts.forEach(accept -> accept.completeExceptionally(new IllegalStateException("at once")));
            scheduler.runReady();
        }
        assertThat(accepts).hasSize(2 * LIMITS.handshakesPerSecond());
        assertThat(relay.count(RelayFrame.Declined.class)).isEqualTo(100);

        scheduler.advance(Duration.ofSeconds(1));
        relay.send(dialedFrom(1));
        scheduler.runReady();
        assertThat(accepts).hasSize(2 * LIMITS.handshakesPerSecond() + 1);
    }

    @Test
    void circuit_thatIsNotAccepted_isDeclinedWithTheReason() {
        ScriptedRelay relay = started();
        RelayFrame.Dialed dialed = dialedFrom(1);
        relay.send(dialed);
        scheduler.runReady();
        accepts.get(0).completeExceptionally(ErrorCode.TIMEOUT.exception("too slow"));
        scheduler.runReady();
        assertThat(relay.frames)
                .containsExactly(
                        new RelayFrame.Declined(dialed.circuit(), WireStatus.of(ErrorCode.TIMEOUT, "too slow")));
    }

    // Closing.

    @Test
    void close_beforeTheStart_completes() {
        server.closeAsync();
        assertThat(server.whenClosed()).isCompleted();
        server.start();
        scheduler.runReady();
        assertThat(connects).isZero();
    }

    @Test
    void close_whileItConnects_completes_andLeavesNothing() {
        server.start();
        assertThat(server.closeAsync()).isCompleted();
        assertThat(server.closeAsync()).isCompleted();
        scheduler.runReady();
        assertThat(sessions).allMatch(relay -> relay.closed);
    }

    @Test
    void close_whileItListens_endsTheSessionOrderly_twice() {
        ScriptedRelay relay = started();
        relay.send(new RelayFrame.Served());
        scheduler.runReady();
        CompletableFuture<Void> first = server.closeAsync();
        CompletableFuture<Void> second = server.closeAsync();
        scheduler.runReady();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(relay.closed).isTrue();
        assertThat(relay.cause).isNull();
        assertThat(server.isClosing()).isTrue();
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(connects).isEqualTo(1);
    }

    @Test
    void close_whileItWaitsToConnectAgain_completes() {
        onSession = Connection::close;
        server.start();
        scheduler.runReady();
        assertThat(server.closeAsync()).isCompleted();
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(connects).isEqualTo(1);
    }

    /** The connection is there, and its session is not. */
    @Test
    void close_betweenTheConnectionAndItsSession_completes_andLeavesNothing() {
        CompletableFuture<Connection> dialed = client.dial(RELAY, null);
        scheduler.runReady();
        RelayedServer closing = new RelayedServer(RELAY.relayed(), clientContext, new RelayedServer.Owner() {
            @Override
            public CompletableFuture<Connection> connect() {
                return dialed;
            }

            @Override
            public CompletableFuture<Connection> accept(UUID circuit, InetSocketAddress from) {
                throw new AssertionError(from);
            }
        });
        closing.start();
        closing.closeAsync();
        scheduler.runReady();
        assertThat(closing.whenClosed()).isCompleted();
        assertThat(last().closed).isTrue();
    }

    @Test
    void circuit_afterTheClose_isNotAccepted() {
        ScriptedRelay relay = started();
        relay.send(dialedFrom(1));
        server.closeAsync();
        scheduler.runReady();
        assertThat(accepts).isEmpty();
        assertThat(relay.closed).isTrue();
    }

    // At the relay.

    private Relay serveRelay(RelayLimits limits, PeerId claimed) {
        Relay relay = new Relay(limits, relayMetrics, scheduler);
        onSession = connection -> relay.listen(connection, claimed);
        return relay;
    }

    private ScriptedRelay connectClient() {
        CompletableFuture<Connection> dialed = client.dial(RELAY, null);
        scheduler.runReady();
        return new ScriptedRelay(dialed.join());
    }

    @Test
    void relay_keepsAClientThatPings_andDropsASilentOne() {
        Relay relay = serveRelay(RelayLimits.DEFAULTS, clientContext.identity().peerId());
        server.start();
        ScriptedRelay silent = connectClient();
        assertThat(relay.clientCount()).isEqualTo(2);

        scheduler.advance(Duration.ofMinutes(5));
        assertThat(relay.clientCount()).isEqualTo(1);
        assertThat(silent.closed).isTrue();
        assertThat(silent.frames).containsExactly(new RelayFrame.Served());
        assertThat(connects).isEqualTo(1);
    }

    @Test
    void relay_refusesTheIdOfAnotherPeer() {
        PeerId other = Identity.generate().peerId();
        Relay relay = serveRelay(RelayLimits.DEFAULTS, other);
        ScriptedRelay liar = connectClient();
        scheduler.runReady();
        assertThat(liar.frames).singleElement().isInstanceOfSatisfying(RelayFrame.Refused.class, refused -> {
            assertThat(refused.status().code()).isEqualTo(ErrorCode.IDENTITY_REFUSED);
            assertThat(refused.status().text())
                    .contains(
                            other.toString(), clientContext.identity().peerId().toString());
        });
        assertThat(liar.closed).isTrue();
        assertThat(relay.clientCount()).isZero();
        assertThat(relayMetrics.get(Counter.HANDSHAKES_FAILED)).isEqualTo(1);
    }

    @Test
    void relay_refusesMoreClientsThanItsLimit() {
        Relay relay = serveRelay(
                RelayLimits.DEFAULTS.toBuilder().maxClients(1).build(),
                clientContext.identity().peerId());
        ScriptedRelay first = connectClient();
        ScriptedRelay second = connectClient();
        scheduler.runReady();
        assertThat(second.frames).singleElement().isInstanceOfSatisfying(RelayFrame.Refused.class, refused -> {
            assertThat(refused.status().code()).isEqualTo(ErrorCode.BUSY);
            assertThat(refused.status().text()).contains("maxClients 1");
        });
        assertThat(second.closed).isTrue();
        assertThat(relayMetrics.get(Counter.CONNECTIONS_REFUSED)).isEqualTo(1);

        first.connection.close();
        scheduler.runReady();
        assertThat(relay.clientCount()).isZero();
        ScriptedRelay third = connectClient();
        scheduler.runReady();
        assertThat(third.frames).containsExactly(new RelayFrame.Served());
        third.connection.close();
    }

    /** The relay learns late that connections of a peer behind a router are dead. The peer that comes again is served at once. */
    @Test
    void relay_newConnectionOfAClient_replacesItsOldest() {
        Relay relay = serveRelay(RelayLimits.DEFAULTS, clientContext.identity().peerId());
        List<ScriptedRelay> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(connectClient());
        }
        scheduler.runReady();
        assertThat(all.get(4).frames).containsExactly(new RelayFrame.Served());
        assertThat(all.get(0).closed).isTrue();
        assertThat(all.stream().filter(each -> !each.closed)).hasSize(4);
        assertThat(relay.clientCount()).isEqualTo(4);
        all.forEach(each -> each.connection.close());
        scheduler.runReady();
        assertThat(relay.clientCount()).isZero();
    }

    /** A dial finds a client whose connection ends before the circuit is offered. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void relay_dialOfAClientThatHasJustGone_waitsForItsReturn(boolean returns) {
        PeerId peer = clientContext.identity().peerId();
        Relay relay = serveRelay(RelayLimits.DEFAULTS, peer);
        Consumer<Connection> serve = onSession;
        AtomicReference<Connection> served = new AtomicReference<>();
        onSession = connection -> {
            served.set(connection);
            serve.accept(connection);
        };
        connectClient();
        scheduler.runReady();
        Connection atRelay = served.get();
        atRelay.executor().execute(() -> atRelay.abort(null));
        EmbeddedChannel dialer = dialer(relay, peer); // behind the end of the connection
        scheduler.runReady();
        assertThat(relay.clientCount()).isZero();
        dialer.runPendingTasks();
        assertThat(dialer.outboundMessages()).as("a response").isEmpty();
        if (returns) {
            ScriptedRelay returned = connectClient();
            scheduler.runReady();
            assertThat(returned.count(RelayFrame.Dialed.class)).isEqualTo(1);
            returned.connection.close();
        } else {
            scheduler.advance(RelayLimits.DEFAULTS.acceptTimeout().dividedBy(5));
            dialer.runPendingTasks();
            ByteBuf response = dialer.readOutbound();
            assertThat(response.toString(StandardCharsets.UTF_8)).contains("does not listen at this relay");
            response.release();
        }
        dialer.finishAndReleaseAll();
        dialer.runPendingTasks();
        scheduler.runReady();
        assertThat(relay.circuitCount()).isZero();
    }

    /** The client has got the circuit, and its connection ends before it accepts. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void relay_circuitOfAClientThatGoes_isOfferedToItsOtherConnection_orTheNextOne(boolean hasOther) {
        PeerId peer = clientContext.identity().peerId();
        Relay relay = serveRelay(RelayLimits.DEFAULTS, peer);
        ScriptedRelay other = hasOther ? connectClient() : null;
        ScriptedRelay first = connectClient();
        scheduler.runReady();
        EmbeddedChannel dialer = dialer(relay, peer);
        scheduler.runReady();
        assertThat(first.count(RelayFrame.Dialed.class)).isEqualTo(1);
        first.connection.close();
        scheduler.runReady();
        ScriptedRelay next = other == null ? connectClient() : other;
        scheduler.runReady();
        assertThat(next.count(RelayFrame.Dialed.class)).isEqualTo(1);
        ScriptedRelay later = connectClient();
        next.connection.close();
        scheduler.runReady();
        assertThat(later.count(RelayFrame.Dialed.class)).isEqualTo(1);
        dialer.runPendingTasks();
        assertThat(dialer.outboundMessages()).as("a response").isEmpty();
        later.connection.close();
        scheduler.runReady();
        scheduler.advance(RelayLimits.DEFAULTS.acceptTimeout().dividedBy(5));
        dialer.runPendingTasks();
        ByteBuf response = dialer.readOutbound();
        assertThat(response.toString(StandardCharsets.UTF_8)).contains("does not listen at this relay");
        response.release();
        dialer.finishAndReleaseAll();
        dialer.runPendingTasks();
        scheduler.runReady();
        assertThat(relay.circuitCount()).isZero();
    }

    private EmbeddedChannel dialer(Relay relay, PeerId target) {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.pipeline()
                .addLast(new RelayRequestHandler(
                        context(new EndpointMetrics()),
                        relay,
                        channel,
                        new InetSocketAddress("192.0.2.1", 1),
                        new RelayRequestHandler.Owner() {
                            @Override
                            public void onDirect() {}

                            @Override
                            public void onListen(PeerId peer) {}

                            @Override
                            public void onJoined() {}

                            @Override
                            public void onRejected(ParleyException reason) {}
                        }));
        channel.writeInbound(new RelayRequest.Dial(target).write(channel.alloc()));
        return channel;
    }

    @Test
    void relay_aClientThatSendsFramesOfARelay_isDisconnected() {
        Relay relay = serveRelay(RelayLimits.DEFAULTS, clientContext.identity().peerId());
        ScriptedRelay hostile = connectClient();
        hostile.send(new RelayFrame.Served());
        scheduler.runReady();
        assertThat(hostile.closed).isTrue();
        assertThat(relay.clientCount()).isZero();
    }

    @Test
    void relay_pings_haveAResponse_andUnknownCircuitsAreDeclinedWithoutEffect() {
        serveRelay(RelayLimits.DEFAULTS, clientContext.identity().peerId());
        ScriptedRelay flooding = connectClient();
        for (int i = 0; i < 50; i++) {
            flooding.send(
                    new RelayFrame.Ping(),
                    new RelayFrame.Declined(UUID.randomUUID(), WireStatus.of(ErrorCode.BUSY, "no")));
        }
        scheduler.runReady();
        assertThat(flooding.count(RelayFrame.Pong.class)).isEqualTo(50);
        assertThat(flooding.closed).isFalse();
        assertThat(relayMetrics.get(Counter.CIRCUITS_REFUSED)).isZero();
        flooding.connection.close();
    }
}
