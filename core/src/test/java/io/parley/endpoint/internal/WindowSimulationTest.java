package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.identity.Identity;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two endpoints with default limits over a network with a long delay, in manual time. */
@Tag("extended")
class WindowSimulationTest {

    private static final Duration DELAY = Duration.ofMillis(50);
    private static final int SIZE = 1000;
    private static final int QUEUE = 64 << 20;

    private final ManualScheduler scheduler =
            new ManualScheduler(new ManualClock(Instant.parse("2026-11-22T12:00:00Z")), new Random(1));
    private final InMemoryNetwork network = new InMemoryNetwork(new ManualEventLoops(scheduler, 2), DELAY);
    private final PeerEndpoint alice = start("alice");
    private final PeerEndpoint bob = start("bob");

    WindowSimulationTest() {
        bob.addPeerAddress(alice.peerAddress());
    }

    private PeerEndpoint start(String name) {
        EndpointLimits limits =
                EndpointLimits.DEFAULTS.toBuilder().queueBytes(QUEUE).build();
        PeerEndpoint endpoint = EndpointFixture.startInManualTime(
                Identity.generate(), limits, new BinaryMessageCodec(), network, scheduler);
        endpoint.listen(EndpointAddress.parse("mem://" + name));
        return endpoint;
    }

    @AfterEach
    void closeAll() {
        alice.closeAsync();
        bob.closeAsync();
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(alice.reservedBytes()).isZero();
    }

    /** Returns the number of round trips until the messages are acknowledged. */
    private long roundTrips(PeerMessenger messenger, long bytes) {
        CompletableFuture<Void> last = new CompletableFuture<>();
        for (long sent = 0; sent < bytes; sent += SIZE) {
            last = messenger.send(bytes(SIZE));
        }
        Duration roundTrip = DELAY.multipliedBy(2);
        long trips = 0;
        while (!last.isDone()) {
            scheduler.advance(roundTrip);
            trips++;
            assertThat(trips).isLessThan(1000);
        }
        return trips;
    }

    private PeerMessenger open(Consumer<ReceivedMessage> listener) {
        alice.listen(SERVICE, listener);
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        messenger.resolve();
        scheduler.advance(Duration.ofSeconds(1));
        return messenger;
    }

    @Test
    void fullWindow_isReachedAfterAFewRoundTrips_andKeptWhileItIsUsed() {
        PeerMessenger messenger = open(ReceivedMessage::release);
        assertThat(alice.reservedBytes()).isEqualTo(EndpointLimits.MIN_WINDOW_BYTES);
        assertThat(roundTrips(messenger, 3 << 20)).isLessThanOrEqualTo(7);
        assertThat(alice.reservedBytes()).isEqualTo(EndpointLimits.DEFAULTS.windowBytes());
        assertThat(roundTrips(messenger, 3 << 20)).isLessThanOrEqualTo(3);
    }

    @Test
    void idleChannel_givesItsWindowBack_andGrowsAgain() {
        PeerMessenger messenger = open(ReceivedMessage::release);
        roundTrips(messenger, 6 << 20);
        scheduler.advance(EndpointLimits.DEFAULTS.keepAliveInterval().multipliedBy(3));
        assertThat(alice.reservedBytes()).isEqualTo(EndpointLimits.MIN_WINDOW_BYTES);
        assertThat(roundTrips(messenger, 3 << 20)).isBetween(3L, 7L);
    }

    /** A thousand messages a second, 128 KB for each round trip: more than some times that would only hold more messages. */
    @Test
    void slowService_itsWindowStaysSmall() {
        AtomicLong pending = new AtomicLong();
        PeerMessenger messenger = open(message -> {
            long place = pending.incrementAndGet();
            scheduler.schedule(Duration.ofMillis(place), () -> {
                pending.decrementAndGet();
                message.release();
            });
        });
        for (int i = 0; i < 20_000; i++) {
            messenger.send(bytes(SIZE));
        }
        for (int i = 0; i < 15; i++) {
            scheduler.advance(Duration.ofSeconds(1));
            assertThat(alice.reservedBytes()).isLessThanOrEqualTo((1 << 20) + 2 * SIZE);
        }
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(pending).hasValue(0);
    }

    @Test
    void tenThousandIdleChannels_fitIntoTheMemoryOfOnePeer() {
        for (int i = 0; i < 10_000; i++) {
            alice.listen(new ServiceAddress("many", Integer.toString(i)), ReceivedMessage::release);
            bob.messenger(alice.peerId(), new ServiceAddress("many", Integer.toString(i)))
                    .resolve();
        }
        scheduler.advance(Duration.ofSeconds(5));
        assertThat(alice.reservedBytes()).isEqualTo(10_000L * EndpointLimits.MIN_WINDOW_BYTES);
        assertThat(roundTrips(open(ReceivedMessage::release), 6 << 20)).isLessThan(12);
    }
}
