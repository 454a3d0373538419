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
import io.parley.endpoint.internal.context.ConnectionEventDispatcher;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.link.Link;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
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

/** A connection listener receives every connect and disconnect in order. */
class PeerConnectionListenerTest {

    private final EndpointFixture fixture = new EndpointFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    /** Records connects as {@code +} and disconnects as {@code -}, with the peer id. */
    private static final class EventRecorder implements PeerConnectionListener {

        private final List<String> recorded = new CopyOnWriteArrayList<>();

        @Override
        public void onConnected(PeerId peer) {
            recorded.add("+" + peer);
        }

        @Override
        public void onDisconnected(PeerId peer) {
            recorded.add("-" + peer);
        }

        void await(String... expected) {
            Eventually.until(() -> recorded + ", not " + List.of(expected), () -> recorded.size() >= expected.length);
            assertThat(recorded).containsExactly(expected);
        }

        void awaitCount(int count) {
            Eventually.until(() -> recorded.toString(), () -> recorded.size() == count);
        }
    }

    private static EventRecorder record(PeerEndpoint endpoint) {
        EventRecorder events = new EventRecorder();
        endpoint.addPeerConnectionListener(events);
        return events;
    }

    @Test
    void listeners_ofBothPeers_receiveConnectAndDisconnect() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        EventRecorder eventsOfAlice = record(alice);
        EventRecorder eventsOfBob = record(bob);
        join(bob.connect(alice.peerId()));
        eventsOfAlice.await("+" + bob.peerId());
        eventsOfBob.await("+" + alice.peerId());
        link(bob, alice).abort(null);
        eventsOfAlice.await("+" + bob.peerId(), "-" + bob.peerId());
        eventsOfBob.await("+" + alice.peerId(), "-" + alice.peerId());
        join(alice.connect(bob.peerId()));
        eventsOfAlice.await("+" + bob.peerId(), "-" + bob.peerId(), "+" + bob.peerId());
    }

    @Test
    void orderlyClose_isReceivedOnce_byBothPeers() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        EventRecorder eventsOfAlice = record(alice);
        EventRecorder eventsOfBob = record(bob);
        join(bob.connect(alice.peerId()));
        bob.close();
        eventsOfAlice.await("+" + bob.peerId(), "-" + bob.peerId());
        eventsOfBob.await("+" + alice.peerId(), "-" + alice.peerId());
    }

    /** The keep-alive timers are in manual time. */
    @Test
    void isolatedPeer_isDisconnectedAfterThreeKeepAliveIntervals() {
        EndpointLimits quick = EndpointLimits.DEFAULTS.toBuilder()
                .connectTimeout(Duration.ofMillis(30))
                .build();
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint alice = fixture.start(Identity.generate(), quick, time);
        PeerEndpoint bob = fixture.start(Identity.generate(), quick, time);
        join(alice.listen(EndpointAddress.parse("mem://any")));
        join(bob.listen(EndpointAddress.parse("mem://any")));
        exchangeAddresses(alice, bob);
        join(alice.connect(bob.peerId()));
        EventRecorder events = record(alice);
        fixture.network.isolate(bob.peerId());
        until("both to notice", () -> {
            time.advance(quick.keepAliveInterval());
            return alice.associationCount() == 0 && bob.associationCount() == 0;
        });
        events.await("-" + bob.peerId());
        EndpointFixture.assertFails(alice.connect(bob.peerId()), ErrorCode.TIMEOUT);
        fixture.network.restore(bob.peerId());
        join(alice.connect(bob.peerId()));
        events.await("-" + bob.peerId(), "+" + bob.peerId());
    }

    @Test
    void peerConnectedBeforeRegistration_onlyItsDisconnectIsReceived() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        EventRecorder early = record(alice);
        join(bob.connect(alice.peerId()));
        early.await("+" + bob.peerId()); // the event is on its way to those that were registered before
        EventRecorder late = record(alice);
        link(bob, alice).abort(null);
        late.await("-" + bob.peerId());
    }

    @Test
    void replacedLink_disconnectComesBeforeConnect_andTheEndOfTheOldLinkIsNoDisconnect() throws Exception {
        PeerEndpoint alice = fixture.start();
        EventRecorder events = record(alice);
        RawPeer raw = RawPeer.connect(fixture, alice);
        String peer = raw.identity.peerId().toString();
        events.await("+" + peer);
        RawPeer restarted = RawPeer.dial(fixture, alice, raw.identity);
        restarted.write(frames -> frames.hello(new Hello(
                0, raw.identity.peerId(), 8, 2, OptionalLong.empty(), List.of("binary"), 1 << 20, List.of())));
        restarted.expect("ACCEPT");
        raw.expectClosed();
        until("the old connection to be closed", () -> count(alice, Counter.CONNECTIONS_CLOSED) == 1);
        events.await("+" + peer, "-" + peer, "+" + peer);
        assertThat(alice.connectedPeers()).containsExactly(raw.identity.peerId());
        restarted.connection.abort(null);
        events.await("+" + peer, "-" + peer, "+" + peer, "-" + peer);
    }

    @Test
    void loopback_causesNoEvents() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        EventRecorder events = record(alice);
        join(alice.connect(alice.peerId()));
        link(alice, alice).abort(null);
        join(alice.connect(bob.peerId()));
        events.await("+" + bob.peerId());
    }

    @Test
    void closedRegistration_receivesNothing_andOthersDo() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        EventRecorder first = new EventRecorder();
        AsyncCloseable registration = alice.addPeerConnectionListener(first);
        EventRecorder second = record(alice);
        join(alice.connect(bob.peerId()));
        first.await("+" + bob.peerId());
        registration.close();
        registration.close();
        assertThat(registration.isClosing()).isTrue();
        assertThat(registration.whenClosed()).isCompleted();
        link(alice, bob).abort(null);
        second.await("+" + bob.peerId(), "-" + bob.peerId());
        first.await("+" + bob.peerId());
    }

    @Test
    void closeOfTheEndpoint_closesRegistrations_afterTheLastDisconnect() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        EventRecorder events = new EventRecorder();
        AsyncCloseable registration = alice.addPeerConnectionListener(events);
        join(alice.connect(bob.peerId()));
        join(alice.closeAsync());
        assertThat(events.recorded).containsExactly("+" + bob.peerId(), "-" + bob.peerId());
        assertThat(registration.isClosing()).isTrue();
        assertThatThrownBy(() -> alice.addPeerConnectionListener(events)).hasMessageContaining("closed");
    }

    @Test
    void listenerThatThrows_isCounted_andAffectsNeitherOtherListenersNorTheConnection() {
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
        EventRecorder events = record(alice);
        bob.listen(SERVICE, ReceivedMessage::release);
        join(alice.send(bob.peerId(), SERVICE, text("hello")));
        events.await("+" + bob.peerId());
        link(alice, bob).abort(null);
        events.await("+" + bob.peerId(), "-" + bob.peerId());
        assertThat(count(alice, Counter.LISTENER_FAILURES)).isEqualTo(2);
        assertThat(count(bob, Counter.CONNECTIONS_DROPPED)).isZero();
    }

    @Test
    void manyLostConnections_eventsAlternateForEachPeer() {
        PeerEndpoint alice = fixture.start();
        EventRecorder events = record(alice);
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
        PeerEndpoint last = fixture.start();
        exchangeAddresses(alice, last);
        join(alice.connect(last.peerId()));
        until("the events until then", () -> events.recorded.contains("+" + last.peerId()));
        for (PeerEndpoint other : others) {
            List<String> recorded = recordedOf(events, other);
            assertThat(recorded).hasSizeGreaterThanOrEqualTo(50);
            for (int i = 0; i < recorded.size(); i++) {
                assertThat(recorded.get(i)).startsWith(i % 2 == 0 ? "+" : "-");
            }
            assertThat(recorded.size() % 2).isZero();
        }
    }

    private static List<String> recordedOf(EventRecorder events, PeerEndpoint other) {
        return events.recorded.stream()
                .filter(event -> event.endsWith(other.peerId().toString()))
                .toList();
    }

    @Test
    void listenerThatBlocks_newConnectionsAreRefused() throws Exception {
        PeerEndpoint alice = fixture.start(
                EndpointLimits.DEFAULTS.toBuilder().maxConnections(3).build());
        CountDownLatch proceed = new CountDownLatch(1);
        CountDownLatch entered = new CountDownLatch(1);
        EventRecorder events = new EventRecorder();
        alice.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onConnected(PeerId peer) {
                events.onConnected(peer);
                entered.countDown();
                Eventually.latch(proceed, "the end of the test");
            }
        });
        CompletableFuture<Void> stuck = CompletableFuture.runAsync(() -> {
            ConnectionEventDispatcher dispatcher = alice.connectionEvents();
            dispatcher.recordConnected(Identity.generate().peerId());
            dispatcher.dispatch();
        });
        Eventually.latch(entered, "the listener to be called");
        int accepted = 0;
        String response = "ACCEPT";
        while (response.equals("ACCEPT") && accepted < 10) {
            RawPeer raw = RawPeer.dial(fixture, alice);
            raw.write(frames -> frames.hello(raw.hello()));
            response = raw.expect("ACCEPT", "REJECT");
            raw.connection.abort(null);
            until("the events of the connection to be counted", () -> alice.associationCount() == 0);
            accepted++;
        }
        assertThat(response).isEqualTo("REJECT BUSY");
        assertThat(accepted).isBetween(2, 4);
        proceed.countDown();
        join(stuck);
        events.awaitCount(accepted);
        RawPeer.connect(fixture, alice);
        events.awaitCount(accepted + 1);
    }

    @Test
    void eventsOfManyThreads_areDispatchedOneAtATime() {
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
