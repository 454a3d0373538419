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

/** Peers that vanish, and long ways. */
class InMemoryNetworkTest {

    private static final EndpointAddress ANY = EndpointAddress.parse("mem://any");
    private static final TransportLimits QUICK = TransportLimits.DEFAULTS.toBuilder()
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

    /** All that has been given to either end by now has been delivered, or never will be. */
    private static void settle(RecordingListener... ends) {
        for (int i = 0; i < 3; i++) {
            for (RecordingListener end : ends) {
                Eventually.run(end.connection().executor(), () -> {});
            }
        }
    }

    private static void assertTimesOut(CompletableFuture<Connection> dialing, EndpointAddress address) {
        Throwable failure = Eventually.failure(dialing, "dialing");
        assertThat(((ParleyException) failure).code()).isEqualTo(ErrorCode.TIMEOUT);
        assertThat(failure).hasMessageContaining(address.toString());
    }

    @Test
    void peerThatVanishes_isHeardNoMore_norHears_norIsItsEndNoticed() {
        TestTransports.Ends ends = transports.connect(transports.open(alice), transports.open(bob), ANY);
        TestTransports.Ends others =
                transports.connect(transports.open(Identity.generate()), transports.open(Identity.generate()), ANY);
        send(ends.dialer(), "before");
        awaitTexts(ends.acceptor(), "before");

        network.isolate(bob.peerId());
        send(ends.dialer(), "to the void");
        send(ends.acceptor(), "from the void");
        send(others.dialer(), "what is it to us");
        ends.acceptor().connection().close();
        Eventually.get(ends.acceptor().closed(), "the end where it was closed");
        settle(ends.dialer(), ends.acceptor());
        awaitTexts(others.acceptor(), "what is it to us");
        assertThat(texts(ends.acceptor())).containsExactly("before");
        assertThat(texts(ends.dialer())).isEmpty();
        assertThat(ends.dialer().closed()).isNotDone();
    }

    @Test
    void senderToAPeerThatHasVanished_isStopped_asByAFullSocket() {
        TestTransports.Ends ends = transports.connect(transports.open(alice), transports.open(bob), ANY);
        ends.admit(128 * 1024);
        network.isolate(bob.peerId());
        ends.fillUp(); // which says that it is no longer writable
        settle(ends.dialer(), ends.acceptor());
        assertThat(ends.acceptor().frameCount()).isZero();
    }

    @Test
    void dialsToAndByAPeerThatHasVanished_timeOut_untilItReappears() {
        Transport alices = transports.open(alice, QUICK);
        Transport bobs = transports.open(bob, QUICK);
        ConnectionAcceptor atAlice = new ConnectionAcceptor();
        ConnectionAcceptor atBob = new ConnectionAcceptor();
        EndpointAddress alicesAddress = transports.listen(alices, ANY, atAlice).address();
        TransportServer bobsListener = transports.listen(bobs, ANY, atBob);
        RecordingListener old = transports.dial(alices, bobsListener.address(), bob.peerId());
        RecordingListener oldAtBob = atBob.next();

        network.isolate(bob.peerId());
        assertTimesOut(alices.dial(bobsListener.address(), null), bobsListener.address());
        assertTimesOut(bobs.dial(alicesAddress, null), alicesAddress);
        assertThat(atAlice.all()).isEmpty();

        network.restore(bob.peerId());
        RecordingListener fresh = transports.dial(alices, bobsListener.address(), bob.peerId());
        send(fresh, "again");
        awaitTexts(atBob.next(), "again");
        send(old, "what was lost is lost");
        settle(old, oldAtBob);
        assertThat(texts(oldAtBob)).isEmpty();
        assertThat(old.closed()).isNotDone();
    }

    @Test
    void dialOfAPeerThatHasVanished_endsWithItsTransport_andCanBeGivenUp() {
        Transport alices = transports.open(alice);
        Transport bobs = transports.open(bob);
        EndpointAddress address =
                transports.listen(bobs, ANY, new ConnectionAcceptor()).address();
        network.isolate(bob.peerId());
        assertThat(alices.dial(address, null).cancel(false)).isTrue();
        CompletableFuture<Connection> dialing = alices.dial(address, null);
        alices.close();
        Throwable failure = Eventually.failure(dialing, "dialing");
        assertThat(((ParleyException) failure).code()).isEqualTo(ErrorCode.CLOSED);
    }

    @Test
    void propagation_doesNotReachAPeerThatHasVanished_norComesFromIt() {
        List<String> heardByAlice = new CopyOnWriteArrayList<>();
        List<String> heardByBob = new CopyOnWriteArrayList<>();
        PropagationTransport alices = propagation(alice, heardByAlice);
        PropagationTransport bobs = propagation(bob, heardByBob);
        network.isolate(bob.peerId());
        say(alices, "a1");
        say(bobs, "b1");
        network.restore(bob.peerId());
        say(alices, "a2");
        say(bobs, "b2");
        Eventually.until(() -> "heard " + heardByBob, () -> heardByBob.contains("a2"));
        Eventually.until(() -> "heard " + heardByAlice, () -> heardByAlice.contains("b2"));
        assertThat(heardByBob).containsExactly("a2");
        assertThat(heardByAlice).containsExactly("b2");
        Eventually.get(alices.closeAsync(), "closing");
        Eventually.get(bobs.closeAsync(), "closing");
    }

    private PropagationTransport propagation(Identity identity, List<String> heard) {
        PropagationTransport transport = network.propagationProvider().create(context(identity));
        Eventually.get(
                transport.start((sender, payload) -> heard.add(payload.toString(StandardCharsets.UTF_8))), "starting");
        return transport;
    }

    private static TransportContext context(Identity identity) {
        return new TransportContext(
                identity,
                TransportSecurity.TLS,
                TransportLimits.DEFAULTS,
                new io.parley.transport.EndpointMetrics(),
                Scheduler.system());
    }

    private static void say(PropagationTransport transport, String text) {
        Eventually.get(
                transport.propagate(List.of(), Unpooled.copiedBuffer(text, StandardCharsets.UTF_8)), "propagating");
    }

    /** However slow the machine is, nothing may come sooner than the delay says. */
    @Test
    void longWay_takesItsTime_toConnectAndForEachFrame_inOrder() {
        TestTransports farTransports =
                new TestTransports(new InMemoryNetwork(2, DELAY).transportProvider(), TransportSecurity.TLS);
        try (farTransports) {
            Transport from = farTransports.open(alice);
            Transport to = farTransports.open(bob);
            long start = System.nanoTime();
            TestTransports.Ends ends = farTransports.connect(from, to, ANY);
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
    void delayOutOfRange_isRefused() {
        for (Duration delay : List.of(Duration.ofNanos(-1), Duration.ofSeconds(61))) {
            assertThatThrownBy(() -> new InMemoryNetwork(1, delay))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(delay.toString());
        }
    }
}
