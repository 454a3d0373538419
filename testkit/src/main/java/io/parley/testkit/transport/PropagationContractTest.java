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
import io.parley.testkit.Eventually;
import io.parley.testkit.ThreadWatch;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.PropagationListener;
import io.parley.transport.PropagationTransport;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
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
 * What every {@link PropagationTransport} does. A subclass says which one it is; all that its provider makes is on one
 * channel, which nobody else uses. After each test all is closed and its threads have to end.
 */
public abstract class PropagationContractTest {

    private static final EndpointAddress ADDRESS = EndpointAddress.parse("tcp://192.0.2.7:9701");
    private static final EndpointAddress OTHER_ADDRESS = EndpointAddress.parse("tcp://[2001:db8::7]:9701");

    private final ThreadWatch threads = new ThreadWatch();
    private final List<Ear> ears = new ArrayList<>();

    /** Makes the transports. */
    protected abstract PropagationTransportProvider provider();

    /** A peer's transport, and all that it has heard. */
    protected static final class Ear implements PropagationListener {

        private final TransportContext context;
        private final PropagationTransport transport;
        private final PropagationListener then;
        private final List<PeerAddress> senders = new CopyOnWriteArrayList<>();
        private final List<byte[]> payloads = new CopyOnWriteArrayList<>();
        private final AtomicInteger inside = new AtomicInteger();
        private volatile boolean entered;
        private volatile boolean overlapped;

        private Ear(PropagationTransportProvider provider, Identity identity, PropagationListener then) {
            this.context = new TransportContext(
                    identity,
                    TransportSecurity.TLS,
                    TransportLimits.DEFAULTS,
                    new EndpointMetrics(),
                    Scheduler.system());
            this.transport = provider.create(context);
            this.then = then;
        }

        @Override
        public void onPropagated(PeerAddress sender, ByteBuf payload) {
            overlapped |= inside.incrementAndGet() > 1;
            try {
                senders.add(sender);
                payloads.add(ByteBufUtil.getBytes(payload));
                then.onPropagated(sender, payload);
            } finally {
                inside.decrementAndGet();
            }
        }

        /** The transport. */
        public PropagationTransport transport() {
            return transport;
        }

        /** The payloads so far, as text. */
        public List<String> texts() {
            return payloads.stream()
                    .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                    .toList();
        }

        /** Waits for these, in any order, and fails when there are others. */
        public void awaitTexts(String... expected) {
            Eventually.until(
                    () -> context.identity() + " heard " + texts() + ", not " + List.of(expected),
                    () -> texts().size() >= expected.length);
            assertThat(texts()).containsExactlyInAnyOrder(expected);
        }

        /** Propagates a text, and waits until it is on the network. */
        public void say(String text) {
            Eventually.get(transport.propagate(List.of(ADDRESS), utf8(text)), "propagating " + text);
        }

        /** A counter of this peer. */
        public long count(Counter counter) {
            return context.metrics().get(counter);
        }
    }

    /** A started transport of a new peer. */
    protected final Ear open() {
        return open((sender, payload) -> {});
    }

    /** The same, with something to do for each payload. */
    protected final Ear open(PropagationListener then) {
        return started(new Ear(provider(), Identity.generate(), then));
    }

    /** The same, from another provider. */
    protected final Ear open(PropagationTransportProvider provider) {
        return started(new Ear(provider, Identity.generate(), (sender, payload) -> {}));
    }

    private Ear unstarted(Identity identity) {
        Ear ear = new Ear(provider(), identity, (sender, payload) -> {});
        ears.add(ear);
        return ear;
    }

    private Ear started(Ear ear) {
        ears.add(ear);
        Eventually.get(ear.transport.start(ear), "starting");
        return ear;
    }

    @AfterEach
    void closeAll() {
        ears.forEach(ear -> ear.transport.closeAsync());
        ears.forEach(ear -> Eventually.get(ear.transport.whenClosed(), "closing"));
        threads.untilGone();
        assertThat(ears).as("no listener was called inside another call").noneMatch(ear -> ear.overlapped);
    }

    private static ByteBuf utf8(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    @Test
    void propagate_allOthersHearItOnce_withWhoAndWhere() {
        Ear alice = open();
        Ear bob = open();
        Ear carol = open();

        Eventually.get(
                alice.transport().propagate(List.of(ADDRESS, OTHER_ADDRESS), utf8("who is there?")), "propagating");
        bob.awaitTexts("who is there?");
        carol.awaitTexts("who is there?");
        bob.say("bob");
        carol.say("carol");
        alice.awaitTexts("bob", "carol");
        bob.awaitTexts("who is there?", "carol");
        carol.awaitTexts("who is there?", "bob");

        PeerAddress expected = PeerAddress.of(alice.context.identity().peerId(), ADDRESS, OTHER_ADDRESS);
        assertThat(bob.senders).contains(expected);
        assertThat(carol.senders).contains(expected);
        assertThat(alice.count(Counter.PROPAGATIONS_SENT)).isEqualTo(1);
        assertThat(alice.count(Counter.PROPAGATIONS_RECEIVED)).isEqualTo(2);
        assertThat(alice.count(Counter.PROPAGATIONS_REJECTED)).isZero();
        assertThat(alice.transport().scheme()).isEqualTo(provider().scheme()).isLowerCase();
    }

    @Test
    void propagate_addressesInAllNumbers_arrive() {
        Ear alice = open();
        Ear bob = open();
        List<EndpointAddress> many = Collections.nCopies(PeerAddress.MAX_ADDRESSES, OTHER_ADDRESS);

        Eventually.get(alice.transport().propagate(List.of(), utf8("none")), "propagating");
        bob.awaitTexts("none");
        Eventually.get(alice.transport().propagate(many, utf8("many")), "propagating");
        bob.awaitTexts("none", "many");
        assertThat(bob.senders).extracting(PeerAddress::addresses).containsExactly(List.of(), many);
    }

    @Test
    void propagate_tooManyAddresses_isRefused() {
        List<EndpointAddress> tooMany = Collections.nCopies(PeerAddress.MAX_ADDRESSES + 1, ADDRESS);
        assertThat(Eventually.failure(open().transport().propagate(tooMany, utf8("x")), "propagating"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("addresses: 17");
    }

    @Test
    void propagate_everySizeUpToTheLargest_arrivesWhole() {
        Ear alice = open();
        Ear bob = open();
        long seed = System.nanoTime();
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
                    () -> content.length + " bytes have not come, seed " + seed, () -> bob.payloads.size() == expected);
            assertThat(bob.payloads.get(i))
                    .as("%s bytes, seed %s", sizes[i], seed)
                    .isEqualTo(content);
        }
    }

    @Test
    void propagate_tooLarge_isRefused() {
        ByteBuf payload = Unpooled.buffer().writeZero(PropagationTransport.MAX_PAYLOAD_BYTES + 1);
        assertFailsWith(open().transport().propagate(List.of(), payload), ErrorCode.MESSAGE_TOO_LARGE);
        assertThat(payload.refCnt()).isZero();
    }

    @Test
    void propagate_partOfADirectBuffer_isTakenAndReleased() {
        Ear alice = open();
        Ear bob = open();
        ByteBuf payload = ByteBufAllocator.DEFAULT
                .directBuffer()
                .writeBytes("--hello".getBytes(StandardCharsets.UTF_8))
                .skipBytes(2);

        Eventually.get(alice.transport().propagate(List.of(), payload), "propagating");
        bob.awaitTexts("hello");
        assertThat(payload.refCnt()).isZero();
    }

    @Test
    void propagate_fromAListener_isHeard() {
        CompletableFuture<Ear> answering = new CompletableFuture<>();
        Ear alice = open();
        Ear bob = open((sender, payload) -> answering.join().transport().propagate(List.of(), utf8("answer")));
        answering.complete(bob);

        alice.say("question");
        alice.awaitTexts("answer");
    }

    @Test
    void listenerThrows_theNextIsHeard() {
        AtomicInteger calls = new AtomicInteger();
        Ear alice = open();
        Ear bob = open((sender, payload) -> {
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("a listener that fails, on purpose");
            }
        });

        alice.say("first");
        bob.awaitTexts("first");
        alice.say("second");
        bob.awaitTexts("first", "second");
        assertThat(bob.count(Counter.LISTENER_FAILURES)).isEqualTo(1);
    }

    @Test
    void samePeerTwice_doesNotHearItself() {
        Identity identity = Identity.generate();
        Ear one = started(new Ear(provider(), identity, (sender, payload) -> {}));
        Ear two = started(new Ear(provider(), identity, (sender, payload) -> {}));
        Ear bob = open();

        one.say("hello");
        bob.awaitTexts("hello");
        bob.say("hello yourself");
        one.awaitTexts("hello yourself");
        two.awaitTexts("hello yourself");
    }

    @Test
    void propagate_beforeStart_isRefused_andUnheard() {
        Ear alice = unstarted(Identity.generate());
        Ear bob = open();

        assertThat(Eventually.failure(alice.transport().propagate(List.of(), utf8("too early")), "propagating"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not been started");
        Eventually.get(alice.transport().start(alice), "starting");
        alice.say("in time");
        bob.awaitTexts("in time");
    }

    @Test
    void start_again_isRefused_andTheFirstListenerHears() {
        Ear alice = open();
        Ear bob = open();
        assertThat(Eventually.failure(bob.transport().start((sender, payload) -> {}), "starting again"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("started before");

        alice.say("hello");
        bob.awaitTexts("hello");
    }

    @Test
    void afterClose_everythingFailsWithClosed_andClosingAgainIsHarmless() {
        Ear never = unstarted(Identity.generate());
        Ear alice = open();
        for (Ear ear : List.of(never, alice)) {
            assertThat(ear.transport().isClosing()).isFalse();
            ear.transport().close();
            assertThat(ear.transport().isClosing()).isTrue();
            assertThat(ear.transport().whenClosed()).as("close() waits").isDone();
            ear.transport().close();
            Eventually.get(ear.transport().closeAsync(), "closing again");

            assertFailsWith(ear.transport().start(ear), ErrorCode.CLOSED);
            assertFailsWith(ear.transport().propagate(List.of(), utf8("too late")), ErrorCode.CLOSED);
        }
    }

    @Test
    void closed_hearsNothingMore_andTheOthersGoOn() {
        Ear alice = open();
        Ear bob = open();
        Ear carol = open();
        alice.say("all");
        bob.awaitTexts("all");
        bob.transport().close();

        alice.say("without bob");
        carol.awaitTexts("all", "without bob");
        assertThat(bob.texts()).containsExactly("all");
    }

    @Test
    void close_whileAListenerRuns_waitsForIt_andCallsNoOther() {
        CountDownLatch goOn = new CountDownLatch(1);
        Ear alice = open();
        CompletableFuture<Ear> entering = new CompletableFuture<>();
        Ear bob = open((sender, payload) -> {
            entering.join().entered = true;
            Eventually.latch(goOn, "the test to go on");
        });
        entering.complete(bob);
        alice.say("first");
        Eventually.until(() -> "the listener has not been called", () -> bob.entered);
        alice.say("second");

        CompletableFuture<Void> closed = bob.transport().closeAsync();
        assertThat(closed).isNotDone();
        goOn.countDown();
        Eventually.get(closed, "closing");
        assertThat(bob.texts()).containsExactly("first");
    }

    @Test
    void propagate_manyWhileItCloses_allFuturesComplete() {
        Ear alice = open();
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

    /** Callbacks see the failure itself, not one that wraps it. */
    private static void assertFailsWith(CompletableFuture<?> future, ErrorCode code) {
        Object outcome = Eventually.get(
                future.handle((value, failure) ->
                        String.valueOf(failure instanceof ParleyException parleys ? parleys.code() : failure)),
                "a failure");
        assertThat(outcome).isEqualTo(code.toString());
    }
}
