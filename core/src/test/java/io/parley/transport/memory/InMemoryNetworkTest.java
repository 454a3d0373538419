package io.parley.transport.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.transport.ConnectionAcceptor;
import io.parley.testkit.transport.RecordingListener;
import io.parley.testkit.transport.TestTransports;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PropagationTransport;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Isolated peers and networks with a delay. */
class InMemoryNetworkTest {

    private static final EndpointAddress ANY = EndpointAddress.parse("mem://any");
    private static final TransportLimits SHORT_TIMEOUT = TransportLimits.DEFAULTS.toBuilder()
            .connectTimeout(Duration.ofMillis(30))
            .build();
    private static final Duration DELAY = Duration.ofMillis(40);

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final TestTransports transports = new TestTransports(network.transportProvider(), TransportSecurity.TLS);
    private final Identity alice = Identity.generate();
    private final Identity bob = Identity.generate();

    @AfterEach
    void closeAll() {
        transports.close();
    }

    private static void send(RecordingListener from, String text) {
        Connection connection = from.connection();
        Eventually.run(connection.executor(), () -> {
            connection.write(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8), null);
            connection.flush();
        });
    }

    private static List<String> texts(RecordingListener listener) {
        return listener.frames().stream()
                .map(frame -> new String(frame, StandardCharsets.UTF_8))
                .toList();
    }

    private static void awaitTexts(RecordingListener listener, String... texts) {
        Eventually.until(() -> texts(listener).toString(), () -> texts(listener).equals(List.of(texts)));
    }

    /** Waits until everything written so far was delivered or dropped. */
    private static void settle(RecordingListener... ends) {
        for (int i = 0; i < 3; i++) {
            for (RecordingListener end : ends) {
                Eventually.run(end.connection().executor(), () -> {});
            }
        }
    }

    private static void assertTimesOut(CompletableFuture<Connection> dial, EndpointAddress address) {
        Throwable failure = Eventually.failure(dial, "dialing");
        assertThat(((ParleyException) failure).code()).isEqualTo(ErrorCode.TIMEOUT);
        assertThat(failure).hasMessageContaining(address.toString());
    }

    @Test
    void isolatedPeer_sendsAndReceivesNothing_andItsCloseIsNotNoticed() {
        TestTransports.Ends ends = transports.connect(transports.open(alice), transports.open(bob), ANY);
        TestTransports.Ends others =
                transports.connect(transports.open(Identity.generate()), transports.open(Identity.generate()), ANY);
        send(ends.dialer(), "before");
        awaitTexts(ends.acceptor(), "before");

        network.isolate(bob.peerId());
        send(ends.dialer(), "to the isolated peer");
        send(ends.acceptor(), "from the isolated peer");
        send(others.dialer(), "between others");
        ends.acceptor().connection().close();
        Eventually.get(ends.acceptor().closed(), "the end at the closing side");
        settle(ends.dialer(), ends.acceptor());
        awaitTexts(others.acceptor(), "between others");
        assertThat(texts(ends.acceptor())).containsExactly("before");
        assertThat(texts(ends.dialer())).isEmpty();
        assertThat(ends.dialer().closed()).isNotDone();
    }

    @Test
    void senderToAnIsolatedPeer_stops_asWithAFullSocket() {
        TestTransports.Ends ends = transports.connect(transports.open(alice), transports.open(bob), ANY);
        ends.completeHandshake(128 * 1024);
        network.isolate(bob.peerId());
        ends.fillUp(); // asserts that the connection is not writable
        settle(ends.dialer(), ends.acceptor());
        assertThat(ends.acceptor().frameCount()).isZero();
    }

    @Test
    void dialsToAndByAnIsolatedPeer_timeOut_untilItIsRestored() {
        Transport aliceTransport = transports.open(alice, SHORT_TIMEOUT);
        Transport bobTransport = transports.open(bob, SHORT_TIMEOUT);
        ConnectionAcceptor atAlice = new ConnectionAcceptor();
        ConnectionAcceptor atBob = new ConnectionAcceptor();
        EndpointAddress aliceAddress =
                transports.listen(aliceTransport, ANY, atAlice).address();
        TransportServer bobServer = transports.listen(bobTransport, ANY, atBob);
        RecordingListener old = transports.dial(aliceTransport, bobServer.address(), bob.peerId());
        RecordingListener oldAtBob = atBob.next();

        network.isolate(bob.peerId());
        assertTimesOut(aliceTransport.dial(bobServer.address(), null), bobServer.address());
        assertTimesOut(bobTransport.dial(aliceAddress, null), aliceAddress);
        assertThat(atAlice.all()).isEmpty();

        network.restore(bob.peerId());
        RecordingListener fresh = transports.dial(aliceTransport, bobServer.address(), bob.peerId());
        send(fresh, "again");
        awaitTexts(atBob.next(), "again");
        send(old, "on the old connection");
        settle(old, oldAtBob);
        assertThat(texts(oldAtBob)).isEmpty();
        assertThat(old.closed()).isNotDone();
    }

    @Test
    void dialToAnIsolatedPeer_endsWithItsTransport_andCanBeCancelled() {
        Transport aliceTransport = transports.open(alice);
        Transport bobTransport = transports.open(bob);
        EndpointAddress address =
                transports.listen(bobTransport, ANY, new ConnectionAcceptor()).address();
        network.isolate(bob.peerId());
        assertThat(aliceTransport.dial(address, null).cancel(false)).isTrue();
        CompletableFuture<Connection> dial = aliceTransport.dial(address, null);
        aliceTransport.close();
        Throwable failure = Eventually.failure(dial, "dialing");
        assertThat(((ParleyException) failure).code()).isEqualTo(ErrorCode.CLOSED);
    }

    @Test
    void propagation_doesNotReachAnIsolatedPeer_norComesFromIt() {
        List<String> receivedByAlice = new CopyOnWriteArrayList<>();
        List<String> receivedByBob = new CopyOnWriteArrayList<>();
        PropagationTransport aliceTransport = propagation(alice, receivedByAlice);
        PropagationTransport bobTransport = propagation(bob, receivedByBob);
        network.isolate(bob.peerId());
        propagate(aliceTransport, "a1");
        propagate(bobTransport, "b1");
        network.restore(bob.peerId());
        propagate(aliceTransport, "a2");
        propagate(bobTransport, "b2");
        Eventually.until(() -> "received " + receivedByBob, () -> receivedByBob.contains("a2"));
        Eventually.until(() -> "received " + receivedByAlice, () -> receivedByAlice.contains("b2"));
        assertThat(receivedByBob).containsExactly("a2");
        assertThat(receivedByAlice).containsExactly("b2");
        Eventually.get(aliceTransport.closeAsync(), "closing");
        Eventually.get(bobTransport.closeAsync(), "closing");
    }

    private PropagationTransport propagation(Identity identity, List<String> received) {
        PropagationTransport transport = network.propagationProvider().create(context(identity));
        Eventually.get(
                transport.start((sender, payload) -> received.add(payload.toString(StandardCharsets.UTF_8))),
                "starting");
        return transport;
    }

    private static TransportContext context(Identity identity) {
        return new TransportContext(
                identity, TransportSecurity.TLS, TransportLimits.DEFAULTS, new EndpointMetrics(), Scheduler.system());
    }

    private static void propagate(PropagationTransport transport, String text) {
        Eventually.get(
                transport.propagate(List.of(), Unpooled.copiedBuffer(text, StandardCharsets.UTF_8)), "propagating");
    }

    /** On a slow machine everything may take longer, but nothing may arrive before the delay. */
    @Test
    void delay_appliesToConnectsAndFrames_inOrder() {
        TestTransports delayedTransports =
                new TestTransports(new InMemoryNetwork(2, DELAY).transportProvider(), TransportSecurity.TLS);
        try (delayedTransports) {
            Transport from = delayedTransports.open(alice);
            Transport to = delayedTransports.open(bob);
            long start = System.nanoTime();
            TestTransports.Ends ends = delayedTransports.connect(from, to, ANY);
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(2 * DELAY.toNanos());

            List<String> sent = new ArrayList<>();
            long sending = System.nanoTime();
            for (int i = 0; i < 200; i++) {
                sent.add("frame " + i);
                send(ends.dialer(), "frame " + i);
            }
            awaitTexts(ends.acceptor(), sent.toArray(String[]::new));
            assertThat(System.nanoTime() - sending).isGreaterThanOrEqualTo(DELAY.toNanos());

            send(ends.acceptor(), "last");
            ends.acceptor().connection().close();
            Eventually.get(ends.dialer().closed(), "the end");
            awaitTexts(ends.dialer(), "last");
        }
    }

    @Test
    void delayOutOfRange_isRejected() {
        for (Duration delay : List.of(Duration.ofNanos(-1), Duration.ofSeconds(61))) {
            assertThatThrownBy(() -> new InMemoryNetwork(1, delay))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(delay.toString());
        }
    }
}
