package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.link;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.transport.StuckTransport;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The rounds of a dialer after the loss of a peer, in manual time. */
class DialerRetryTest {

    private static final Duration RECONNECT_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration STEP = Duration.ofMillis(25);
    private static final EndpointAddress ADDRESS = EndpointAddress.parse("stuck://alice");

    private final EndpointFixture fixture = new EndpointFixture();
    private final ManualScheduler scheduler = new ManualScheduler();
    private final StuckTransport transport = new StuckTransport();
    private final PeerEndpoint alice = fixture.start();
    private final PeerEndpoint bob;
    private final Transport network;

    DialerRetryTest() {
        Identity identity = Identity.generate();
        network = fixture.transport(identity);
        EndpointLimits limits = EndpointLimits.DEFAULTS.toBuilder()
                .reconnectTimeout(RECONNECT_TIMEOUT)
                .build();
        bob = fixture.start(identity, limits, scheduler, transport);
        bob.addPeerAddress(PeerAddress.of(alice.peerId(), ADDRESS));
        alice.listen(SERVICE, ReceivedMessage::release);
        reachAlice();
    }

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    private void reachAlice() {
        EndpointAddress address = alice.addresses().get(0);
        transport.onDial(() -> network.dial(address, alice.peerId()));
    }

    private void failDials() {
        transport.onDial(() -> CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception("on purpose")));
    }

    /** Connects, loses the connection, and returns a message that waits for the next one. */
    private CompletableFuture<Void> sendAfterLoss(PeerMessenger messenger) {
        join(messenger.send(text("1")));
        failDials();
        link(bob, alice).abort(null);
        until(
                "the loss",
                () -> bob.connectedPeers().isEmpty() && alice.connectedPeers().isEmpty());
        CompletableFuture<Void> sent = messenger.send(text("2"));
        awaitRound(sent);
        return sent;
    }

    /** Waits until the dialer has finished its round and waits for the next one, or has given up. */
    private void awaitRound(CompletableFuture<Void> sent) {
        Eventually.until(() -> "no next round", () -> scheduler.pending() == 1 || sent.isDone());
    }

    @Test
    void rounds_haveGrowingDelays_untilTheReconnectTimeout() {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendAfterLoss(messenger);
        List<Duration> delays = new ArrayList<>();
        Duration total = Duration.ZERO;
        Duration delay = Duration.ZERO;
        while (!sent.isDone()) {
            int dials = transport.dials();
            scheduler.advance(STEP);
            awaitRound(sent);
            total = total.plus(STEP);
            delay = delay.plus(STEP);
            if (transport.dials() > dials) {
                delays.add(delay);
                delay = Duration.ZERO;
            }
        }
        assertFails(sent, ErrorCode.UNREACHABLE, alice.peerId().text(), "on purpose");
        assertThat(total)
                .isBetween(RECONNECT_TIMEOUT, RECONNECT_TIMEOUT.plusSeconds(5).plus(STEP));
        Duration longest = Duration.ofMillis(50);
        for (Duration actual : delays) {
            assertThat(actual).isBetween(longest.dividedBy(2), longest.plus(STEP));
            longest = longest.multipliedBy(2).compareTo(Duration.ofSeconds(5)) < 0
                    ? longest.multipliedBy(2)
                    : Duration.ofSeconds(5);
        }
        assertThat(delays).hasSizeBetween(10, 16);
        join(messenger.closeAsync());
        EndpointFixture.assertNothingLeft(bob);
    }

    @Test
    void peerThatReturns_beforeTheReconnectTimeout_receivesTheQueuedMessage() {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendAfterLoss(messenger);
        for (int i = 0; i < 5; i++) {
            scheduler.advance(Duration.ofSeconds(5));
            awaitRound(sent);
            assertThat(sent).isNotDone();
        }
        reachAlice();
        scheduler.advance(Duration.ofSeconds(5));
        join(sent);
        messenger.close();
    }

    @Test
    void peerThatWasNeverConnected_isDialedOnce() {
        failDials();
        assertFails(bob.connect(alice.peerId()), ErrorCode.UNREACHABLE, "on purpose");
        assertThat(transport.dials()).isEqualTo(1);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void errorOfATransport_failsTheDial_andTheNextOneSucceeds() {
        transport.onDial(() -> {
            throw new InternalError("on purpose");
        });
        assertFails(bob.connect(alice.peerId()), ErrorCode.UNREACHABLE, "on purpose");
        reachAlice();
        join(bob.connect(alice.peerId()));
    }

    @Test
    void unsupportedScheme_isRefusedWithoutATimer() {
        PeerAddress unsupported = PeerAddress.of(Identity.generate().peerId(), EndpointAddress.parse("pigeon://roof"));
        bob.addPeerAddress(unsupported);
        String artifact = "io.parley:parley-transport-pigeon";
        assertFails(bob.connect(unsupported.peer()), ErrorCode.NO_TRANSPORT, artifact);
        assertFails(bob.send(unsupported.peer(), SERVICE, text("1")), ErrorCode.NO_TRANSPORT, artifact);
        assertFails(bob.messenger(unsupported.peer(), SERVICE).resolve(), ErrorCode.NO_TRANSPORT, artifact);
        assertThat(bob.connect(unsupported.addresses().get(0))).isCompletedExceptionally();
        assertFails(bob.connect(unsupported.addresses().get(0)), ErrorCode.NO_TRANSPORT, artifact);
    }

    @Test
    void close_whileTheNextRoundIsPending_doesNotWaitForIt() {
        PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendAfterLoss(messenger);
        join(bob.closeAsync());
        assertFails(sent, ErrorCode.UNREACHABLE, "on purpose");
    }
}
