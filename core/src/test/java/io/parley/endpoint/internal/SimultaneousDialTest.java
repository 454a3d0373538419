package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.link;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.internal.WireStatus;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.error.ErrorCode;
import io.parley.identity.Identity;
import io.parley.testkit.transport.StuckTransport;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Peers that dial each other at the same time keep one connection per pair and lose no message. */
@Tag("extended")
class SimultaneousDialTest {

    private static final int MESSAGES = 5;

    private final EndpointFixture fixture = new EndpointFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @Test
    void twoPeers_manyRounds() throws Exception {
        for (int round = 0; round < 100; round++) {
            connectAll(round, 2);
        }
    }

    @Test
    void fivePeers_someRounds() throws Exception {
        for (int round = 0; round < 10; round++) {
            connectAll(round, 5);
        }
    }

    private void connectAll(int round, int peers) throws Exception {
        List<PeerEndpoint> all = new ArrayList<>();
        List<Queue<String>> received = new ArrayList<>();
        for (int i = 0; i < peers; i++) {
            PeerEndpoint endpoint = fixture.start();
            Queue<String> queue = new ConcurrentLinkedQueue<>();
            endpoint.listen(SERVICE, message -> {
                queue.add(message.from().text() + message.message().text("text").orElseThrow());
                message.release();
            });
            all.add(endpoint);
            received.add(queue);
        }
        exchangeAddresses(all.toArray(PeerEndpoint[]::new));
        CyclicBarrier start = new CyclicBarrier(peers);
        List<CompletableFuture<Void>> sending = new ArrayList<>();
        for (PeerEndpoint from : all) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            sending.add(done);
            Thread thread = new Thread(() -> {
                try {
                    start.await(20, TimeUnit.SECONDS);
                    List<CompletableFuture<Void>> sends = new ArrayList<>();
                    for (int i = 0; i < MESSAGES; i++) {
                        for (PeerEndpoint to : all) {
                            if (to != from) {
                                sends.add(from.send(to.peerId(), SERVICE, text(" " + i)));
                            }
                        }
                    }
                    CompletableFuture.allOf(sends.toArray(CompletableFuture<?>[]::new))
                            .whenComplete((sent, failure) -> complete(done, failure));
                } catch (Exception e) {
                    done.completeExceptionally(e);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }
        sending.forEach(EndpointFixture::join);
        for (int i = 0; i < peers; i++) {
            Queue<String> queue = received.get(i);
            until("all messages of round " + round, () -> queue.size() >= MESSAGES * (peers - 1));
            for (PeerEndpoint from : all) {
                if (from != all.get(i)) {
                    assertThat(queue.stream()
                                    .filter(text ->
                                            text.startsWith(from.peerId().text())))
                            .as("round %d, from %s", round, from)
                            .containsExactlyElementsOf(expected(from));
                }
            }
        }
        for (PeerEndpoint one : all) {
            until("one connection per remote peer", () -> open(one) == peers - 1);
            for (PeerEndpoint other : all) {
                if (one != other) {
                    assertThat(link(one, other).connectionId())
                            .isEqualTo(link(other, one).connectionId());
                    assertThat(join(one.ping(other.peerId()))).isPositive();
                }
            }
            assertThat(count(one, Counter.CONNECTIONS_DROPPED)).isZero();
        }
        all.forEach(PeerEndpoint::closeAsync);
        all.forEach(endpoint -> join(endpoint.whenClosed()));
        all.forEach(EndpointFixture::assertNothingLeft);
    }

    private static void complete(CompletableFuture<Void> done, Throwable failure) {
        if (failure == null) {
            done.complete(null);
        } else {
            done.completeExceptionally(failure);
        }
    }

    private static List<String> expected(PeerEndpoint from) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            texts.add(from.peerId().text() + " " + i);
        }
        return texts;
    }

    private static long open(PeerEndpoint endpoint) {
        return count(endpoint, Counter.CONNECTIONS_OPENED) - count(endpoint, Counter.CONNECTIONS_CLOSED);
    }

    @Test
    void peerThatLostTheConnection_dialsBeforeTheRemotePeerNotices() throws Exception {
        for (int round = 0; round < 50; round++) {
            PeerEndpoint alice = fixture.start();
            RawPeer raw = RawPeer.connect(fixture, alice);
            // The same peer again: first without, then with a report that it has lost the first connection.
            RawPeer again = RawPeer.dial(fixture, alice, raw.identity);
            again.write(frames -> frames.hello(RawPeer.hello(raw.identity.peerId(), 2)));
            again.expect("REJECT DUPLICATE_CONNECTION");
            RawPeer third = RawPeer.dial(fixture, alice, raw.identity);
            third.write(frames -> frames.hello(new Hello(
                    0,
                    raw.identity.peerId(),
                    7,
                    3,
                    OptionalLong.of(RawPeer.CONNECTION),
                    List.of("binary"),
                    1 << 20,
                    List.of())));
            third.expect("ACCEPT");
            raw.expectClosed();
            assertThat(alice.connectedPeers()).containsExactly(raw.identity.peerId());
            third.connection.abort(null);
            EndpointFixture.assertNothingLeft(alice);
        }
    }

    /** The peer with the smaller id waits for the response to its HELLO, and not for its other addresses. */
    @Test
    void heldHello_isAcceptedAfterTheOtherOneIsRejected_whileTheDialGoesOn() throws Exception {
        try (EndpointFixture oneLoop = new EndpointFixture(1)) { // which processes the held HELLO before the rejection
            List<Identity> identities = EndpointFixture.identities(2);
            Identity bob = identities.get(1);
            StuckTransport blackHole = new StuckTransport();
            PeerEndpoint alice = oneLoop.start(identities.get(0), EndpointLimits.DEFAULTS, blackHole);
            join(alice.listen(EndpointAddress.parse("mem://any")));
            RawAcceptor acceptor = new RawAcceptor(oneLoop, bob);
            alice.addPeerAddress(PeerAddress.of(bob.peerId(), EndpointAddress.parse("stuck://bob")));
            alice.addPeerAddress(PeerAddress.of(bob.peerId(), acceptor.address())); // dialed first
            CompletableFuture<Void> connecting = alice.connect(bob.peerId());
            Connection first = join(acceptor.firstHello());
            RawPeer raw = RawPeer.dial(oneLoop, alice, bob);
            raw.write(frames -> frames.hello(raw.hello()));
            first.executor().execute(() -> {
                first.write(raw.frames.reject(WireStatus.of(ErrorCode.BUSY, "on purpose")), null);
                first.flush();
            });
            raw.expect("ACCEPT");
            join(connecting);
            raw.connection.abort(null);
        }
    }
}
