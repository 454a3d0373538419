package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.EndpointLimits;
import io.parley.identity.Identity;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The keep-alive, idle and close timers of a link, in manual time. */
class LinkTimerTest {

    private static final Duration INTERVAL = Duration.ofSeconds(15);
    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS.toBuilder()
            .keepAliveInterval(INTERVAL)
            .idleTimeout(INTERVAL.multipliedBy(4))
            .build();

    private final EndpointFixture fixture = new EndpointFixture();

    /** Without jitter, so that each step of the time ends when a timer is due: the link sets its next timer in another thread. */
    private final ManualScheduler scheduler =
            new ManualScheduler(new ManualClock(Instant.parse("2026-11-21T12:00:00Z")), new MiddleRandom());

    private final PeerEndpoint endpoint = fixture.start(Identity.generate(), LIMITS, scheduler);
    private int pings;

    private static final class MiddleRandom extends Random {
        private static final long serialVersionUID = 1L;

        @Override
        public double nextDouble() {
            return 0.5;
        }
    }

    LinkTimerTest() {
        join(endpoint.listen(EndpointAddress.parse("mem://any")));
    }

    @AfterEach
    void closeAll() {
        endpoint.closeAsync();
        scheduler.advance(LIMITS.closeTimeout().multipliedBy(2)); // the raw peers do not respond to GOODBYE
        fixture.close();
    }

    private RawPeer connect() throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, endpoint);
        awaitTimer();
        return raw;
    }

    /** Waits until the link has scheduled its next check, which is its only timer. */
    private void awaitTimer() {
        until("the keep-alive timer", () -> scheduler.pending() == 1);
    }

    /** Lets the link receive a frame. */
    private void exchangeFrames(RawPeer raw) throws InterruptedException {
        int number = ++pings;
        raw.write(frames -> frames.ping(number));
        raw.expect("PONG " + number);
    }

    @Test
    void silentPeer_isPingedTwice_andDroppedAfterThreeIntervals() throws Exception {
        RawPeer raw = connect();
        scheduler.advance(INTERVAL);
        raw.expect("PING 0");
        awaitTimer();
        scheduler.advance(INTERVAL);
        raw.expect("PING 0");
        awaitTimer();
        scheduler.advance(INTERVAL.minusNanos(1));
        assertThat(endpoint.connectedPeers()).containsExactly(raw.identity.peerId());
        scheduler.advance(Duration.ofNanos(1));
        raw.expectClosed();
        until("the loss", () -> endpoint.connectedPeers().isEmpty());
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void peerThatSendsFrames_isNotPinged_andStaysConnectedUntilItIsIdle() throws Exception {
        RawPeer raw = connect();
        for (int i = 1; i < 4; i++) {
            exchangeFrames(raw);
            scheduler.advance(INTERVAL);
            awaitTimer();
            assertThat(endpoint.connectedPeers()).containsExactly(raw.identity.peerId());
        }
        exchangeFrames(raw);
        scheduler.advance(INTERVAL);
        assertThat(raw.expect("GOODBYE", "PING")).isEqualTo("GOODBYE null");
        assertThat(endpoint.connectedPeers()).isEmpty();
    }

    @Test
    void peerThatDoesNotRespondToGoodbye_isDisconnectedAfterTheCloseTimeout() throws Exception {
        RawPeer raw = connect();
        endpoint.closeAsync();
        raw.expect("GOODBYE");
        assertThat(endpoint.metrics().get(Counter.CONNECTIONS_CLOSED)).isZero();
        assertThat(endpoint.isClosed()).isFalse();
        scheduler.advance(LIMITS.closeTimeout().multipliedBy(2));
        raw.expectClosed();
        join(endpoint.whenClosed());
    }

    @Test
    void peerThatSendsNoHello_isDisconnectedAfterTheHandshakeTimeout() throws Exception {
        RawPeer raw = RawPeer.dial(fixture, endpoint);
        until("the handshake timer", () -> scheduler.pending() == 1);
        scheduler.advance(endpoint.limits().transport().handshakeTimeout());
        raw.expectClosed();
        until("the failure to be counted", () -> endpoint.metrics().get(Counter.HANDSHAKES_FAILED) == 1);
    }
}
