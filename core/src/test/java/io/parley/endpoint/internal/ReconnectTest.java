package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.activeLink;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.exchangeAddresses;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.sendWhenWritable;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.internal.Backoff;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.TestSeed;
import io.parley.transport.EndpointAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Lost connections, with peers that return and peers that do not. */
class ReconnectTest {

    private final EndpointFixture fixture = new EndpointFixture();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    private static Queue<Integer> collect(PeerEndpoint endpoint) {
        Queue<Integer> received = new ConcurrentLinkedQueue<>();
        endpoint.listen(SERVICE, message -> {
            received.add(Integer.parseInt(message.message().text("text").orElseThrow()));
            message.release();
        });
        return received;
    }

    @Test
    void abortedLinks_theRestIsSentOnTheNextLink_inOrderAndOnce() {
        Random random = TestSeed.random("ReconnectTest.abortedLinks");
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start();
        exchangeAddresses(alice, bob);
        Queue<Integer> received = collect(alice);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        join(messenger.resolve());
        int aborted = 0;
        for (int i = 0; i < 5000; i++) {
            sends.add(sendWhenWritable(messenger, text(Integer.toString(i))));
            if (i == 100 || random.nextInt(200) == 0) {
                Link victim = random.nextBoolean() ? activeLink(bob, alice) : activeLink(alice, bob);
                if (victim != null) {
                    victim.abort(null);
                    aborted++;
                }
            }
        }
        join(messenger.closeAsync());
        sends.forEach(EndpointFixture::join);
        assertThat(aborted).isPositive();
        assertThat(List.copyOf(received))
                .isEqualTo(IntStream.range(0, 5000).boxed().toList());
    }

    @Test
    void restartedPeer_onTheSameAddress_receivesTheQueuedMessages() {
        Identity identity = Identity.generate();
        EndpointAddress address = EndpointAddress.parse("mem://alice");
        PeerEndpoint alice = fixture.start(identity, EndpointLimits.DEFAULTS);
        join(alice.listen(address));
        PeerEndpoint bob = fixture.start();
        bob.addPeerAddress(alice.peerAddress());
        Queue<Integer> first = collect(alice);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        join(messenger.send(text("1")));
        until("the first", () -> first.size() == 1);
        alice.close();
        until("bob to notice", () -> bob.connectedPeers().isEmpty());
        CompletableFuture<Void> queued = messenger.send(text("2"));
        PeerEndpoint restarted = fixture.start(identity, EndpointLimits.DEFAULTS);
        Queue<Integer> second = collect(restarted);
        join(restarted.listen(address));
        join(queued);
        until("the second", () -> second.contains(2));
        messenger.close();
    }

    @Test
    void restartedPeer_beforeItsLossIsNoticed_replacesTheLink() throws Exception {
        PeerEndpoint alice = fixture.start();
        RawPeer raw = RawPeer.connect(fixture, alice);
        RawPeer restarted = RawPeer.dial(fixture, alice, raw.identity);
        restarted.write(frames -> frames.hello(new Hello(
                0, raw.identity.peerId(), 8, 2, OptionalLong.empty(), List.of("binary"), 1 << 20, List.of())));
        restarted.expect("ACCEPT");
        raw.expectClosed();
    }

    @Test
    void peerThatDoesNotReturn_failsAfterTheReconnectTimeout() {
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start(EndpointLimits.DEFAULTS.toBuilder()
                .reconnectTimeout(Duration.ofMillis(300))
                .build());
        exchangeAddresses(alice, bob);
        collect(alice);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        join(messenger.send(text("1")));
        join(bob.send(alice.peerId(), SERVICE, text("1")));
        alice.close();
        until("bob to notice", () -> bob.connectedPeers().isEmpty());
        CompletableFuture<Void> queued = messenger.send(text("2"));
        CompletableFuture<Void> resolving = messenger.resolve();
        assertFails(queued, ErrorCode.UNREACHABLE, alice.peerId().text());
        assertFails(resolving, ErrorCode.UNREACHABLE, alice.peerId().text());
        messenger.close();
        EndpointFixture.assertNothingLeft(bob);
    }

    @Test
    void close_doesNotWaitForALostPeer() {
        Duration tooLong = Eventually.DEADLINE.multipliedBy(4);
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.start(EndpointLimits.DEFAULTS.toBuilder()
                .reconnectTimeout(tooLong)
                .closeTimeout(tooLong)
                .build());
        exchangeAddresses(alice, bob);
        collect(alice);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        join(messenger.send(text("1")));
        alice.close();
        until("bob to notice", () -> bob.connectedPeers().isEmpty());
        CompletableFuture<Void> queued = messenger.send(text("2"));
        Eventually.get(bob.closeAsync(), "closing");
        assertFails(queued, ErrorCode.UNREACHABLE, alice.peerId().text());
        EndpointFixture.assertNothingLeft(bob);
    }

    @Test
    void backoff_delaysGrowUpToTheMaximum() {
        Backoff backoff = new Backoff(new Random(1));
        long expected = Duration.ofMillis(50).toNanos();
        for (int i = 0; i < 30; i++) {
            assertThat(backoff.nextNanos()).isBetween(expected / 2, expected);
            expected = Math.min(2 * expected, Duration.ofSeconds(5).toNanos());
        }
    }
}
