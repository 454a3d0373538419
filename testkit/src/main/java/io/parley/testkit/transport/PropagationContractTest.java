package io.parley.testkit.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.common.Scheduler;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.testkit.TestSeed;
import io.parley.testkit.ThreadWatch;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.PropagationListener;
import io.parley.transport.PropagationTransport;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of a {@link PropagationTransport}. A subclass supplies the provider; all its transports are on one channel,
 * which no other test uses. After each test the transports are closed, and their threads must end.
 */
public abstract class PropagationContractTest {

    private static final EndpointAddress ADDRESS = EndpointAddress.parse("tcp://192.0.2.7:9701");
    private static final EndpointAddress OTHER_ADDRESS = EndpointAddress.parse("tcp://[2001:db8::7]:9701");

    private final ThreadWatch threads = new ThreadWatch();
    private final List<TestPeer> peers = new ArrayList<>();

    /** Returns the provider of the transports. */
    protected abstract PropagationTransportProvider provider();

    /** The transport of a peer, which records the received payloads. */
    protected static final class TestPeer implements PropagationListener {

        private final TransportContext context;
        private final PropagationTransport transport;
        private final PropagationListener action;
        private final List<PeerAddress> senders = new CopyOnWriteArrayList<>();
        private final List<byte[]> payloads = new CopyOnWriteArrayList<>();
        private final AtomicInteger inside = new AtomicInteger();
        private volatile boolean entered;
        private volatile boolean overlapped;

        private TestPeer(PropagationTransportProvider provider, Identity identity, PropagationListener action) {
            this.context = new TransportContext(
                    identity,
                    TransportSecurity.TLS,
                    TestTransports.PATIENT_LIMITS,
                    new EndpointMetrics(),
                    Scheduler.system());
            this.transport = provider.create(context);
            this.action = action;
        }

        @Override
        public void onPropagated(PeerAddress sender, ByteBuf payload) {
            overlapped |= inside.incrementAndGet() > 1;
            try {
                senders.add(sender);
                payloads.add(ByteBufUtil.getBytes(payload));
                action.onPropagated(sender, payload);
            } finally {
                inside.decrementAndGet();
            }
        }

        /** Returns the transport. */
        public PropagationTransport transport() {
            return transport;
        }

        /** Returns the payloads received so far, as text. */
        public List<String> texts() {
            return payloads.stream()
                    .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                    .toList();
        }

        /** Waits for these payloads, in any order; fails if there are others. */
        public void awaitTexts(String... expected) {
            Eventually.until(
                    () -> context.identity() + " received " + texts() + ", not " + List.of(expected),
                    () -> texts().size() >= expected.length);
            assertThat(texts()).containsExactlyInAnyOrder(expected);
        }

        /** Propagates a text and waits until the network has accepted it. */
        public void propagate(String text) {
            Eventually.get(transport.propagate(List.of(ADDRESS), utf8(text)), "propagating " + text);
        }

        /** Returns a counter of this peer. */
        public long count(Counter counter) {
            return context.metrics().get(counter);
        }
    }

    /** Opens and starts the transport of a new peer. */
    protected final TestPeer open() {
        return open((sender, payload) -> {});
    }

    /** Opens and starts the transport of a new peer, which also runs the action for each payload. */
    protected final TestPeer open(PropagationListener action) {
        return started(new TestPeer(provider(), Identity.generate(), action));
    }

    /** Opens and starts the transport of a new peer from another provider. */
    protected final TestPeer open(PropagationTransportProvider provider) {
        return started(new TestPeer(provider, Identity.generate(), (sender, payload) -> {}));
    }

    private TestPeer unstarted(Identity identity) {
        TestPeer peer = new TestPeer(provider(), identity, (sender, payload) -> {});
        peers.add(peer);
        return peer;
    }

    private TestPeer started(TestPeer peer) {
        peers.add(peer);
        Eventually.get(peer.transport.start(peer), "starting");
        return peer;
    }

    @AfterEach
    void closeAll() {
        peers.forEach(peer -> peer.transport.closeAsync());
        peers.forEach(peer -> Eventually.get(peer.transport.whenClosed(), "closing"));
        threads.untilGone();
        assertThat(peers).as("no listener call overlapped another one").noneMatch(peer -> peer.overlapped);
    }

    private static ByteBuf utf8(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    @Test
    void propagate_allOthersReceiveItOnce_withSenderAndAddresses() {
        TestPeer alice = open();
        TestPeer bob = open();
        TestPeer carol = open();

        Eventually.get(alice.transport().propagate(List.of(ADDRESS, OTHER_ADDRESS), utf8("request")), "propagating");
        bob.awaitTexts("request");
        carol.awaitTexts("request");
        bob.propagate("from bob");
        carol.propagate("from carol");
        alice.awaitTexts("from bob", "from carol");
        bob.awaitTexts("request", "from carol");
        carol.awaitTexts("request", "from bob");

        PeerAddress expected = PeerAddress.of(alice.context.identity().peerId(), ADDRESS, OTHER_ADDRESS);
        assertThat(bob.senders).contains(expected);
        assertThat(carol.senders).contains(expected);
        assertThat(alice.count(Counter.PROPAGATIONS_SENT)).isEqualTo(1);
        assertThat(alice.count(Counter.PROPAGATIONS_RECEIVED)).isEqualTo(2);
        assertThat(alice.count(Counter.PROPAGATIONS_REJECTED)).isZero();
        assertThat(alice.transport().scheme()).isEqualTo(provider().scheme()).isLowerCase();
    }

    @Test
    void propagate_anyNumberOfAddresses_arrives() {
        TestPeer alice = open();
        TestPeer bob = open();
        List<EndpointAddress> many = Collections.nCopies(PeerAddress.MAX_ADDRESSES, OTHER_ADDRESS);

        Eventually.get(alice.transport().propagate(List.of(), utf8("none")), "propagating");
        bob.awaitTexts("none");
        Eventually.get(alice.transport().propagate(many, utf8("many")), "propagating");
        bob.awaitTexts("none", "many");
        assertThat(bob.senders).extracting(PeerAddress::addresses).containsExactly(List.of(), many);
    }

    @Test
    void propagate_tooManyAddresses_isRejected() {
        List<EndpointAddress> tooMany = Collections.nCopies(PeerAddress.MAX_ADDRESSES + 1, ADDRESS);
        assertThat(Eventually.failure(open().transport().propagate(tooMany, utf8("x")), "propagating"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("addresses: 17");
    }

    @Test
    void propagate_everySizeUpToTheLargest_arrivesWhole() {
        TestPeer alice = open();
        TestPeer bob = open();
        long seed = TestSeed.next("payloads");
        Random random = new Random(seed);
        int[] sizes = {0, 1, 1000, 1400, 10_000, PropagationTransport.MAX_PAYLOAD_BYTES};
        for (int i = 0; i < sizes.length; i++) {
            byte[] content = new byte[sizes[i]];
            random.nextBytes(content);
            Eventually.get(
                    alice.transport().propagate(List.of(ADDRESS), Unpooled.wrappedBuffer(content)),
                    sizes[i] + " bytes");
            int expected = i + 1;
            Eventually.until(
                    () -> content.length + " bytes were not received, seed " + seed,
                    () -> bob.payloads.size() == expected);
            assertThat(bob.payloads.get(i))
                    .as("%s bytes, seed %s", sizes[i], seed)
                    .isEqualTo(content);
        }
    }

    @Test
    void propagate_tooLarge_isRejected() {
        ByteBuf payload = Unpooled.buffer().writeZero(PropagationTransport.MAX_PAYLOAD_BYTES + 1);
        assertFailsWith(open().transport().propagate(List.of(), payload), ErrorCode.MESSAGE_TOO_LARGE);
        assertThat(payload.refCnt()).isZero();
    }

    @Test
    void propagate_partOfADirectBuffer_isSentAndReleased() {
        TestPeer alice = open();
        TestPeer bob = open();
        ByteBuf payload = ByteBufAllocator.DEFAULT
                .directBuffer()
                .writeBytes("--hello".getBytes(StandardCharsets.UTF_8))
                .skipBytes(2);

        Eventually.get(alice.transport().propagate(List.of(), payload), "propagating");
        bob.awaitTexts("hello");
        assertThat(payload.refCnt()).isZero();
    }

    @Test
    void propagate_fromAListener_isReceived() {
        CompletableFuture<TestPeer> responder = new CompletableFuture<>();
        TestPeer alice = open();
        TestPeer bob = open((sender, payload) -> responder.join().transport().propagate(List.of(), utf8("response")));
        responder.complete(bob);

        alice.propagate("query");
        alice.awaitTexts("response");
    }

    /** Strangers send as often as they want, so their messages do not make a line of log each. */
    @Test
    void listenerThrows_theNextIsReceived_andTheLogHasOneLine() {
        AtomicInteger calls = new AtomicInteger();
        TestPeer alice = open();
        TestPeer bob = open((sender, payload) -> {
            if (calls.incrementAndGet() <= 2) {
                throw new IllegalStateException("thrown on purpose");
            }
        });

        try (CapturedLog log = new CapturedLog()) {
            alice.propagate("first");
            bob.awaitTexts("first");
            alice.propagate("second");
            bob.awaitTexts("first", "second");
            alice.propagate("third");
            bob.awaitTexts("first", "second", "third");
            assertThat(bob.count(Counter.LISTENER_FAILURES)).isEqualTo(2);
            assertThat(log.lines("thrown on purpose")).hasSizeLessThanOrEqualTo(1);
        }
    }

    @Test
    void samePeerTwice_doesNotReceiveItsOwn() {
        Identity identity = Identity.generate();
        TestPeer one = started(new TestPeer(provider(), identity, (sender, payload) -> {}));
        TestPeer two = started(new TestPeer(provider(), identity, (sender, payload) -> {}));
        TestPeer bob = open();

        one.propagate("hello");
        bob.awaitTexts("hello");
        bob.propagate("hello yourself");
        one.awaitTexts("hello yourself");
        two.awaitTexts("hello yourself");
    }

    @Test
    void propagate_beforeStart_fails_andIsNotReceived() {
        TestPeer alice = unstarted(Identity.generate());
        TestPeer bob = open();

        assertThat(Eventually.failure(alice.transport().propagate(List.of(), utf8("too early")), "propagating"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not been started");
        Eventually.get(alice.transport().start(alice), "starting");
        alice.propagate("in time");
        bob.awaitTexts("in time");
    }

    @Test
    void start_again_fails_andTheFirstListenerReceives() {
        TestPeer alice = open();
        TestPeer bob = open();
        assertThat(Eventually.failure(bob.transport().start((sender, payload) -> {}), "starting again"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("started before");

        alice.propagate("hello");
        bob.awaitTexts("hello");
    }

    @Test
    void afterClose_everythingFailsWithClosed_andClosingAgainIsHarmless() {
        TestPeer never = unstarted(Identity.generate());
        TestPeer alice = open();
        for (TestPeer peer : List.of(never, alice)) {
            assertThat(peer.transport().isClosing()).isFalse();
            peer.transport().whenClosed().complete(null);
            assertThat(peer.transport().whenClosed()).as("a copy of the future").isNotDone();
            peer.transport().close();
            assertThat(peer.transport().isClosing()).isTrue();
            assertThat(peer.transport().whenClosed()).as("close() waits").isDone();
            peer.transport().close();
            Eventually.get(peer.transport().closeAsync(), "closing again");

            assertFailsWith(peer.transport().start(peer), ErrorCode.CLOSED);
            assertFailsWith(peer.transport().propagate(List.of(), utf8("too late")), ErrorCode.CLOSED);
        }
    }

    @Test
    void closed_receivesNothing_andTheOthersContinue() {
        TestPeer alice = open();
        TestPeer bob = open();
        TestPeer carol = open();
        alice.propagate("all");
        bob.awaitTexts("all");
        bob.transport().close();

        alice.propagate("without bob");
        carol.awaitTexts("all", "without bob");
        assertThat(bob.texts()).containsExactly("all");
    }

    @Test
    void close_whileAListenerRuns_waitsForIt_andNoOtherCallFollows() {
        CountDownLatch resume = new CountDownLatch(1);
        TestPeer alice = open();
        CompletableFuture<TestPeer> own = new CompletableFuture<>();
        TestPeer bob = open((sender, payload) -> {
            own.join().entered = true;
            Eventually.latch(resume, "the test to resume the listener");
        });
        own.complete(bob);
        alice.propagate("first");
        Eventually.until(() -> "the listener has not been called", () -> bob.entered);
        // Not awaited here: transports of one JVM may share the thread on which the listener waits.
        CompletableFuture<Void> second = alice.transport().propagate(List.of(), utf8("second"));

        CompletableFuture<Void> closed = bob.transport().closeAsync();
        assertThat(closed).isNotDone();
        resume.countDown();
        Eventually.get(closed, "closing");
        Eventually.get(second, "propagating second");
        assertThat(bob.texts()).containsExactly("first");
    }

    @Test
    void propagate_manyWhileItCloses_allFuturesComplete() {
        TestPeer alice = open();
        open();
        List<CompletableFuture<Void>> pending = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            pending.add(alice.transport().propagate(List.of(), Unpooled.buffer().writeZero(20_000)));
        }
        Eventually.get(alice.transport().closeAsync(), "closing");
        for (CompletableFuture<Void> each : pending) {
            Eventually.until(() -> "a future never completes", each::isDone);
        }
    }

    /** Callbacks must see the failure itself, not an exception that wraps it. */
    private static void assertFailsWith(CompletableFuture<?> future, ErrorCode code) {
        Object outcome = Eventually.get(
                future.handle((value, failure) ->
                        String.valueOf(failure instanceof ParleyException parleys ? parleys.code() : failure)),
                "a failure");
        assertThat(outcome).isEqualTo(code.toString());
    }
}
