package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.link;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who watches hears of every connection's beginning and end, in order. */
class PeerConnectionListenerTest {

    private final EndpointFixture fixture = new EndpointFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    /** Keeps what it hears: {@code +} and {@code -} with the peer's id. */
    private static final class Heard implements PeerConnectionListener {

        private final List<String> changes = new CopyOnWriteArrayList<>();

        @Override
        public void onConnected(PeerId peer) {
            changes.add("+" + peer);
        }

        @Override
        public void onDisconnected(PeerId peer) {
            changes.add("-" + peer);
        }

        void await(String... expected) {
            Eventually.until(() -> changes + ", not " + List.of(expected), () -> changes.size() >= expected.length);
            assertThat(changes).containsExactly(expected);
        }

        void awaitCount(int count) {
            Eventually.until(() -> changes.toString(), () -> changes.size() == count);
        }
    }

    private static Heard watch(PeerEndpoint endpoint) {
        Heard heard = new Heard();
        endpoint.addPeerConnectionListener(heard);
        return heard;
    }

    @Test
    void bothSides_hearThatTheyAreConnected_andNoLonger() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        Heard byAlice = watch(alice);
        Heard byBob = watch(bob);
        join(bob.connect(alice.peerId()));
        byAlice.await("+" + bob.peerId());
        byBob.await("+" + alice.peerId());
        link(bob, alice).abort(null);
        byAlice.await("+" + bob.peerId(), "-" + bob.peerId());
        byBob.await("+" + alice.peerId(), "-" + alice.peerId());
        join(alice.connect(bob.peerId()));
        byAlice.await("+" + bob.peerId(), "-" + bob.peerId(), "+" + bob.peerId());
    }

    @Test
    void orderlyEnd_isHeardOnce_byBothSides() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        Heard byAlice = watch(alice);
        Heard byBob = watch(bob);
        join(bob.connect(alice.peerId()));
        bob.close();
        byAlice.await("+" + bob.peerId(), "-" + bob.peerId());
        byBob.await("+" + alice.peerId(), "-" + alice.peerId());
    }

    @Test
    void peerThatVanishes_isNoLongerConnected_whenItHasBeenSilentForTooLong() {
        EndpointLimits quick = EndpointLimits.DEFAULTS.toBuilder()
                .keepAliveInterval(Duration.ofMillis(30))
                .connectTimeout(Duration.ofMillis(30))
                .reconnectTimeout(Duration.ofMillis(200))
                .closeTimeout(Duration.ofMillis(200))
                .build();
        PeerEndpoint alice = fixture.start(quick);
        PeerEndpoint bob = fixture.start(quick);
        exchangeAddresses(alice, bob);
        join(alice.connect(bob.peerId()));
        Heard heard = watch(alice);
        fixture.network.isolate(bob.peerId());
        heard.await("-" + bob.peerId());
        EndpointFixture.assertFails(alice.connect(bob.peerId()), ErrorCode.TIMEOUT);
        fixture.network.restore(bob.peerId());
        join(alice.connect(bob.peerId()));
        heard.await("-" + bob.peerId(), "+" + bob.peerId());
    }

    @Test
    void connectedBefore_isNotToldAgain_butItsEndIs() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        join(bob.connect(alice.peerId()));
        until("alice's side", () -> alice.connectedPeers().contains(bob.peerId()));
        Heard late = watch(alice);
        link(bob, alice).abort(null);
        late.await("-" + bob.peerId());
    }

    @Test
    void linkReplacedByANewerOne_endsBeforeThatBegins_andTheOldOnesEndIsNotTakenForIt() throws Exception {
        PeerEndpoint alice = fixture.start();
        Heard heard = watch(alice);
        RawPeer raw = RawPeer.connect(fixture, alice);
        String peer = raw.identity.peerId().toString();
        heard.await("+" + peer);
        RawPeer restarted = RawPeer.dial(fixture, alice, raw.identity);
        restarted.write(frames -> frames.hello(
                new Hello(raw.identity.peerId(), 8, 2, OptionalLong.empty(), List.of("binary"), 1 << 20, List.of())));
        restarted.expect("ACCEPT");
        raw.expectClosed();
        until("the old one to be closed here too", () -> count(alice, Counter.CONNECTIONS_CLOSED) == 1);
        heard.await("+" + peer, "-" + peer, "+" + peer);
        assertThat(alice.connectedPeers()).containsExactly(raw.identity.peerId());
        restarted.connection.abort(null);
        heard.await("+" + peer, "-" + peer, "+" + peer, "-" + peer);
    }

    @Test
    void thatThisPeerIsConnectedToItself_isNotTold() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        Heard heard = watch(alice);
        join(alice.connect(alice.peerId()));
        link(alice, alice).abort(null);
        join(alice.connect(bob.peerId()));
        heard.await("+" + bob.peerId());
    }

    @Test
    void watchThatIsClosed_hearsNoMore_andTheOthersDo() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        Heard first = new Heard();
        AsyncCloseable watching = alice.addPeerConnectionListener(first);
        Heard second = watch(alice);
        join(alice.connect(bob.peerId()));
        first.await("+" + bob.peerId());
        watching.close();
        watching.close();
        assertThat(watching.isClosing()).isTrue();
        assertThat(watching.whenClosed()).isCompleted();
        link(alice, bob).abort(null);
        second.await("+" + bob.peerId(), "-" + bob.peerId());
        first.await("+" + bob.peerId());
    }

    @Test
    void closingTheEndpoint_endsTheWatch_afterTheLastConnection() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        Heard heard = new Heard();
        AsyncCloseable watching = alice.addPeerConnectionListener(heard);
        join(alice.connect(bob.peerId()));
        alice.close();
        assertThat(heard.changes).containsExactly("+" + bob.peerId(), "-" + bob.peerId());
        assertThat(watching.isClosing()).isTrue();
        assertThatThrownBy(() -> alice.addPeerConnectionListener(heard)).hasMessageContaining("closed");
    }

    @Test
    void listenerThatThrows_isCounted_andHarmsNeitherTheOthersNorTheConnection() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        alice.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onConnected(PeerId peer) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void onDisconnected(PeerId peer) {
                throw new AssertionError("on purpose");
            }
        });
        Heard heard = watch(alice);
        bob.listen(SERVICE, ReceivedMessage::release);
        join(alice.send(bob.peerId(), SERVICE, text("all the same")));
        heard.await("+" + bob.peerId());
        link(alice, bob).abort(null);
        heard.await("+" + bob.peerId(), "-" + bob.peerId());
        assertThat(count(alice, Counter.LISTENER_FAILURES)).isEqualTo(2);
        assertThat(count(bob, Counter.CONNECTIONS_DROPPED)).isZero();
    }

    @Test
    void manyConnectionsThatBreak_endUpAsTheyAre_forEachPeer() {
        PeerEndpoint alice = fixture.start();
        Heard heard = watch(alice);
        List<PeerEndpoint> others = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            PeerEndpoint other = fixture.start();
            exchangeAddresses(alice, other);
            others.add(other);
        }
        List<CompletableFuture<Void>> busy = new ArrayList<>();
        for (PeerEndpoint other : others) {
            busy.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 50; i++) {
                    PeerEndpoint from = i % 2 == 0 ? alice : other;
                    PeerEndpoint to = i % 2 == 0 ? other : alice;
                    from.connect(to.peerId()).handle((done, failure) -> done).join();
                    Link victim = link(to, from);
                    victim.abort(null);
                    until("the loss", () -> EndpointFixture.activeLink(to, from) != victim);
                }
            }));
        }
        busy.forEach(EndpointFixture::join);
        others.forEach(other -> join(alice.connect(other.peerId())));
        others.forEach(PeerEndpoint::close);
        until("alice to notice", () -> alice.connectedPeers().isEmpty());
        until("all connections to have ended", () -> alice.associationCount() == 0);
        for (PeerEndpoint other : others) {
            List<String> changes = changesOf(heard, other);
            assertThat(changes).hasSizeGreaterThanOrEqualTo(50);
            for (int i = 0; i < changes.size(); i++) {
                assertThat(changes.get(i)).startsWith(i % 2 == 0 ? "+" : "-");
            }
            assertThat(changes.size() % 2).isZero();
        }
    }

    private static List<String> changesOf(Heard heard, PeerEndpoint other) {
        return heard.changes.stream()
                .filter(change -> change.endsWith(other.peerId().toString()))
                .toList();
    }

    @Test
    void listenerThatStandsStill_newConnectionsAreRefused_insteadOfChangesPilingUp() throws Exception {
        PeerEndpoint alice =
                fixture.start(EndpointLimits.DEFAULTS.toBuilder().maxConnections(3).build());
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch entered = new CountDownLatch(1);
        Heard heard = new Heard();
        alice.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onConnected(PeerId peer) {
                heard.onConnected(peer);
                entered.countDown();
                Eventually.latch(goOn, "the end of the test");
            }
        });
        CompletableFuture<Void> stuck = CompletableFuture.runAsync(() -> {
            ConnectionEventDispatcher events = alice.connectionEvents();
            events.recordConnected(Identity.generate().peerId());
            events.dispatch();
        });
        Eventually.latch(entered, "the listener to be called");
        int taken = 0;
        String answer = "ACCEPT";
        while (answer.equals("ACCEPT") && taken < 10) {
            RawPeer raw = RawPeer.dial(fixture, alice);
            raw.write(frames -> frames.hello(raw.hello()));
            answer = raw.expect("ACCEPT", "REJECT");
            raw.connection.abort(null);
            until("it to have ended", () -> alice.connectedPeers().isEmpty());
            taken++;
        }
        assertThat(answer).isEqualTo("REJECT BUSY");
        assertThat(taken).isBetween(2, 4);
        goOn.countDown();
        join(stuck);
        heard.awaitCount(taken);
        RawPeer.connect(fixture, alice);
        heard.awaitCount(taken + 1);
    }

    @Test
    void notedByManyThreads_isToldOneAtATime() {
        ConnectionEventDispatcher events = new ConnectionEventDispatcher(new EndpointMetrics(), 10);
        PeerId peer = Identity.generate().peerId();
        int[] count = new int[1]; // no lock: calls that ran together would lose some
        events.add(new PeerConnectionListener() {
            @Override
            public void onConnected(PeerId connected) {
                count[0]++;
            }
        });
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(CompletableFuture.runAsync(() -> {
                for (int n = 0; n < 20_000; n++) {
                    events.recordConnected(peer);
                    events.dispatch();
                }
            }));
        }
        threads.forEach(EndpointFixture::join);
        events.dispatch();
        assertThat(count[0]).isEqualTo(80_000);
        assertThat(events.isOverloaded()).isFalse();
    }
}
