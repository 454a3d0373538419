package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static io.parley.endpoint.internal.ReconnectingPeer.LIMITS;
import static io.parley.endpoint.internal.ReconnectingPeer.NONE;
import static io.parley.endpoint.internal.ReconnectingPeer.ack;
import static io.parley.endpoint.internal.ReconnectingPeer.lose;
import static io.parley.endpoint.internal.ReconnectingPeer.open;
import static io.parley.endpoint.internal.ReconnectingPeer.pass;
import static io.parley.endpoint.internal.ReconnectingPeer.sendFirst;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.codec.MessageLimits;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Acknowledgements of the messages that an endpoint sends. The remote peer is written frame by frame. */
class AcknowledgementTest {

    private final EndpointFixture fixture =
            new EndpointFixture(3); // so that two connections of one peer are on different event loops

    private final PeerEndpoint alice = fixture.start(LIMITS);
    private final ReconnectingPeer bob = new ReconnectingPeer(fixture);

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @Test
    void send_completesWithTheAcknowledgement() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> first = messenger.send(text("1"));
        CompletableFuture<Void> second = messenger.send(text("2"));
        open(raw, NONE);
        raw.expect("MESSAGE");
        raw.expect("MESSAGE");
        pass(alice, raw);
        assertThat(first).isNotDone();
        ack(raw, 1);
        join(first);
        pass(alice, raw);
        assertThat(second).isNotDone();
        ack(raw, 2);
        join(second);
    }

    /** The new run of the remote peer is connected before the acknowledgement of the earlier one is processed. */
    @Test
    void acknowledgement_ofAnEarlierRun_isOfThatRun() throws Exception {
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        assertThat(messenger.remoteInstance()).isEmpty();
        RawPeer raw = bob.connect(alice);
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch restarted = new CountDownLatch(1);
        CompletableFuture<Void> first = sendFirst(messenger, raw);
        CompletableFuture<Void> blocked = first.thenRun(
                () -> { // on the event loop of the link
                    entered.countDown();
                    Eventually.latch(restarted, "the test");
                });
        CompletableFuture<OptionalLong> second =
                messenger.send(text("2")).thenApply(sent -> messenger.remoteInstance());
        raw.expect("MESSAGE");
        raw.connection
                .executor()
                .execute(
                        () -> { // both arrive before the loop of the link is blocked
                            raw.connection.write(raw.frames.ack(1, 1, 0), null);
                            raw.connection.write(raw.frames.ack(1, 2, 0), null);
                            raw.connection.flush();
                        });
        entered.await();
        RawPeer next = bob.connectLaterRun(alice);
        assertThat(alice.remoteInstance(bob.peerId())).hasValue(8);
        restarted.countDown();
        join(blocked);
        assertThat(join(second)).hasValue(7);
        until("the end of the first link", () -> !messenger.remoteInstance().equals(OptionalLong.of(7)));
        CompletableFuture<OptionalLong> third = messenger.send(text("3")).thenApply(sent -> messenger.remoteInstance());
        open(next, NONE);
        next.expect("MESSAGE");
        ack(next, 3);
        assertThat(join(third)).hasValue(8);
    }

    @Test
    void acknowledgementOfAMessageThatWasNotSent_isAViolation() throws Exception {
        RawPeer raw = bob.connect(alice);
        alice.messenger(bob.peerId(), SERVICE).send(text("1"));
        open(raw, NONE);
        raw.expect("MESSAGE");
        ack(raw, 2);
        raw.expect("GOODBYE PROTOCOL_VIOLATION");
        raw.expectClosed();
    }

    @Test
    void refusedChannel_receivedMessagesAreSettled_othersFail() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> first = messenger.send(text("1"));
        CompletableFuture<Void> second = messenger.send(text("2"));
        open(raw, NONE);
        raw.expect("MESSAGE");
        raw.expect("MESSAGE");
        raw.write(frames -> frames.refuse(1, WireStatus.of(ErrorCode.CLOSED, "closed"), OptionalLong.of(1)));
        join(first);
        assertFails(second, ErrorCode.DISCONNECTED, "closed");
    }

    @Test
    void refusedChannel_withAnImpossibleCount_isAViolation_andTheMessageIsSentAgain() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        raw.expect("OPEN 1");
        raw.write(frames -> frames.refuse(1, WireStatus.of(ErrorCode.BUSY, ""), OptionalLong.of(5)));
        raw.expect("GOODBYE PROTOCOL_VIOLATION");
        raw.expectClosed();

        RawPeer next = bob.connect(alice);
        open(next, NONE);
        next.expect("MESSAGE");
        ack(next, 1);
        join(sent);
    }

    /** The callback runs between the end of the channel and the failure of its messages. */
    @Test
    void sendInTheCallbackOfARefusedChannel_failsWithTheOthers() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> first = messenger.send(text("1"));
        CompletableFuture<CompletableFuture<Void>> third = first.thenApply(sent -> messenger.send(text("3")));
        CompletableFuture<Void> second = messenger.send(text("2"));
        open(raw, NONE);
        raw.expect("MESSAGE");
        raw.expect("MESSAGE");
        raw.write(frames -> frames.refuse(1, WireStatus.of(ErrorCode.CLOSED, "closed"), OptionalLong.of(1)));
        assertFails(second, ErrorCode.DISCONNECTED, "closed");
        assertFails(join(third), ErrorCode.DISCONNECTED, "closed");
    }

    @Test
    void close_waitsForTheAcknowledgement() throws Exception {
        PeerEndpoint patient = fixture.start();
        RawPeer raw = bob.connect(patient);
        PeerMessenger messenger = patient.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        CompletableFuture<Void> closing = messenger.closeAsync();
        pass(patient, raw);
        assertThat(closing).isNotDone();
        ack(raw, 1);
        raw.expect("END");
        join(closing);
        join(sent);
        raw.connection.abort(null); // which completes the close without a response to GOODBYE
    }

    @Test
    void close_inTheCallbackOfAMessageThatIsLostWithItsChannel_opensNoOther() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        CompletableFuture<CompletableFuture<Void>> closing =
                sent.handle((acknowledged, failure) -> messenger.closeAsync());
        lose(alice, raw);
        RawPeer earlierVersion = RawPeer.connect(fixture, alice, bob.identity); // which does not resume channels
        join(join(closing));
        assertFails(sent, ErrorCode.LOST);
        earlierVersion.write(frames -> frames.ping(42));
        assertThat(earlierVersion.expect("PONG", "OPEN", "END")).isEqualTo("PONG 42");
    }

    @Test
    void abort_theOutcomeIsUnknown() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        messenger.abort();
        assertFails(sent, ErrorCode.LOST, "may have arrived");
        raw.expect("END");
    }

    /** The link learns of an abort later than the messenger. Meanwhile the receiver may acknowledge. */
    @Test
    void acknowledgementThatCrossesAnAbort_leavesTheConnectionOpen() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        messenger.closeAsync();
        messenger.fail(ErrorCode.CLOSED.exception("aborted")); // what an abort does before it wakes the link
        ack(raw, 1);
        assertThat(raw.expect("END", "CLOSED")).startsWith("END");
        assertFails(sent, ErrorCode.LOST, "may have arrived");
    }

    @Test
    void receiverThatAcknowledgesNothing_getsNoMoreThanTheWindowOfThisPeer() throws Exception {
        PeerEndpoint small = fixture.start(EndpointLimits.DEFAULTS.toBuilder()
                .windowBytes(EndpointLimits.MIN_WINDOW_BYTES)
                .closeTimeout(Duration.ofMillis(100))
                .build());
        RawPeer raw = bob.connect(small);
        PeerMessenger messenger = small.messenger(bob.peerId(), SERVICE);
        Message half = EndpointFixture.bytes(EndpointLimits.MIN_WINDOW_BYTES / 2 + 1);
        for (int i = 0; i < 3; i++) {
            messenger.send(half);
        }
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, Long.MAX_VALUE / 2, NONE));
        raw.expect("MESSAGE");
        raw.expect("MESSAGE");
        CompletableFuture<Duration> ping = small.ping(bob.peerId());
        assertThat(raw.expect("PING", "MESSAGE")).startsWith("PING");
        ack(raw, 1);
        raw.expect("MESSAGE");
        assertThat(ping).isNotDone();
    }

    @Test
    void messageThatCannotBeEncoded_takesNoNumber() throws Exception {
        RawPeer raw = bob.connect(alice);
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        Message unencodable = Message.of("x".repeat(70_000 + MessageLimits.DEFAULTS.maxNameBytes()), "text");
        CompletableFuture<Void> failed = messenger.send(unencodable);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        assertThat(failed).isCompletedExceptionally();
        ack(raw, 1);
        join(sent);
    }
}
