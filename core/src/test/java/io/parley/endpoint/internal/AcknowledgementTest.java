package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.codec.MessageLimits;
import io.parley.common.Scheduler;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.QueueLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.frame.Open;
import io.parley.error.ErrorCode;
import io.parley.identity.Identity;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics.Counter;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages and their acknowledgements, over one connection and over several. The remote peer is written frame by frame. */
class AcknowledgementTest {

    private static final OptionalLong NONE = OptionalLong.empty();
    private static final long WINDOW = 1 << 20;
    private static final Duration RECONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** Does not wait long for acknowledgements that the test never sends. */
    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS.toBuilder()
            .closeTimeout(Duration.ofMillis(100))
            .build();

    private final EndpointFixture fixture =
            new EndpointFixture(3); // so that two connections of one peer are on different event loops

    private final PeerEndpoint alice = fixture.start(LIMITS);

    private final Identity bob = Identity.generate();
    private int connections;

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    private RawPeer connect() throws InterruptedException {
        return connect(alice, NONE);
    }

    private RawPeer replace() throws InterruptedException {
        return connect(alice, OptionalLong.of(connections));
    }

    private RawPeer connect(PeerEndpoint endpoint, OptionalLong lost) throws InterruptedException {
        RawPeer raw = RawPeer.connectAcknowledging(fixture, endpoint, bob, ++connections, lost);
        until("the link", () -> endpoint.isConnected(bob.peerId()));
        return raw;
    }

    private void lose(RawPeer raw) {
        lose(alice, raw);
    }

    /** Returns after the messengers have left the lost link. */
    private static void lose(PeerEndpoint endpoint, RawPeer raw) {
        Association association = Objects.requireNonNull(endpoint.association(raw.identity.peerId()));
        Link link = Objects.requireNonNull(association.activeLink());
        raw.connection.abort(null);
        join(link.whenClosed());
        until("the loss", () -> endpoint.connectedPeers().isEmpty());
    }

    /** Ends the connection with a failure. Returns after the messengers have left it. */
    private static void drop(PeerEndpoint endpoint, RawPeer raw) {
        Link link = Objects.requireNonNull(Objects.requireNonNull(endpoint.association(raw.identity.peerId()))
                .activeLink());
        raw.write(frames -> frames.goodbye(WireStatus.of(ErrorCode.PROTOCOL_VIOLATION, "no")));
        raw.connection.close();
        join(link.whenClosed());
    }

    /** Returns after all frames that the endpoint has written so far have arrived, and the responses to them. */
    private void pass(PeerEndpoint endpoint, RawPeer raw) throws InterruptedException {
        CompletableFuture<Duration> ping = endpoint.ping(bob.peerId());
        String number = raw.expect("PING").substring("PING ".length());
        raw.write(frames -> frames.pong(Long.parseLong(number)));
        join(ping);
    }

    private static void open(RawPeer raw, OptionalLong received) throws InterruptedException {
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, WINDOW, received));
    }

    private static void ack(RawPeer raw, long count) {
        raw.write(frames -> frames.ack(1, count, 0));
    }

    // -- this endpoint sends

    /** Sends the first message of a messenger. Returns after the remote peer has opened the channel and has got the message. */
    private static CompletableFuture<Void> sendFirst(PeerMessenger messenger, RawPeer raw) throws InterruptedException {
        CompletableFuture<Void> sent = messenger.send(text("1"));
        open(raw, NONE);
        raw.expect("MESSAGE");
        return sent;
    }

    @Test
    void send_completesWithTheAcknowledgement() throws Exception {
        RawPeer raw = connect();
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
        RawPeer raw = connect();
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch restarted = new CountDownLatch(1);
        CompletableFuture<Void> first = sendFirst(messenger, raw);
        CompletableFuture<Void> blocked = first.thenRun(
                () -> { // on the event loop of the link
                    entered.countDown();
                    awaitQuietly(restarted);
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
        RawPeer next = RawPeer.connectAcknowledging(fixture, alice, bob, 8, ++connections, NONE);
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
        RawPeer raw = connect();
        alice.messenger(bob.peerId(), SERVICE).send(text("1"));
        open(raw, NONE);
        raw.expect("MESSAGE");
        ack(raw, 2);
        raw.expect("GOODBYE PROTOCOL_VIOLATION");
        raw.expectClosed();
    }

    @Test
    void lostConnection_messagesThatDidNotArriveAreSentAgain() throws Exception {
        RawPeer raw = connect();
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        List<CompletableFuture<Void>> sent =
                List.of(messenger.send(text("1")), messenger.send(text("22")), messenger.send(text("333")));
        open(raw, NONE);
        String firstMessage = raw.expect("MESSAGE");
        raw.expect("MESSAGE");
        String third = raw.expect("MESSAGE");
        assertThat(third).isNotEqualTo(firstMessage);
        ack(raw, 1);
        join(sent.get(0));
        long channel = raw.openedChannel();
        lose(raw);

        RawPeer next = connect();
        next.expect("OPEN 1 " + SERVICE + " from 1");
        assertThat(next.openedChannel()).isEqualTo(channel);
        next.write(frames -> frames.opened(1, WINDOW, OptionalLong.of(2)));
        join(sent.get(1)); // it had arrived
        assertThat(next.expect("MESSAGE")).isEqualTo(third);
        pass(alice, next);
        assertThat(sent.get(2)).isNotDone();
        ack(next, 3);
        join(sent.get(2));
        assertThat(count(alice, Counter.MESSAGES_RESENT)).isEqualTo(1);
    }

    /** A sender that has seen room finds it, also if the connection was lost meanwhile. */
    @Test
    void lostConnection_messagesThatReturnToTheQueue_takeNoRoom() throws Exception {
        RawPeer raw = connect();
        PeerMessenger messenger = alice.messenger(
                bob.peerId(), SERVICE, MessengerOptions.DEFAULTS.withQueueLimits(QueueLimits.of(2, 1 << 20)));
        List<CompletableFuture<Void>> sent =
                new ArrayList<>(List.of(messenger.send(text("1")), messenger.send(text("22"))));
        assertThat(messenger.isWritable()).isFalse();
        open(raw, NONE);
        int firstBytes = Integer.parseInt(raw.expect("MESSAGE").split(" ")[2]);
        raw.expect("MESSAGE");
        assertThat(messenger.isWritable()).isTrue();
        lose(raw);

        RawPeer next = connect();
        next.expect("OPEN 1 " + SERVICE + " from 0");
        next.write(frames -> frames.opened(1, 0, OptionalLong.of(0))); // so that nothing leaves the queue
        until("both messages in the queue", () -> count(alice, Counter.MESSAGES_RESENT) == 2);
        assertThat(messenger.isWritable()).isTrue();
        sent.add(messenger.send(text("333")));
        sent.add(messenger.send(text("4444")));
        assertThat(messenger.isWritable()).isFalse();
        assertFails(messenger.send(text("5")), ErrorCode.QUEUE_FULL, "maxMessages: 2");
        assertThat(sent.remove(0).cancel(false)).isTrue();
        assertThat(messenger.isWritable()).isFalse();

        next.write(frames -> frames.credit(1, WINDOW));
        for (int i = 1; i < 4; i++) { // each is a byte longer than the one before
            next.expect("MESSAGE 1 " + (firstBytes + i));
        }
        ack(next, 3);
        sent.forEach(EndpointFixture::join);
        lose(next);
        messenger.send(text("6"));
        assertThat(messenger.isWritable()).isTrue();
        messenger.send(text("7"));
        assertThat(messenger.isWritable()).isFalse();
    }

    @Test
    void turnThatCannotBeWritten_messagesThatReturnToTheQueue_takeNoRoom() throws Exception {
        RawPeer raw = connect();
        PeerMessenger messenger = alice.messenger( // whose channel is not open yet
                bob.peerId(), SERVICE, MessengerOptions.DEFAULTS.withQueueLimits(QueueLimits.of(1, 1 << 20)));
        messenger.send(text("1"));
        Deque<OutboundMessage> polled = new ArrayDeque<>();
        messenger.queue().poll(polled, Long.MAX_VALUE, true);
        assertThat(messenger.isWritable()).isTrue();
        messenger.queue().restore(polled, true); // as a link does whose connection takes no more
        assertThat(messenger.isWritable()).isTrue();
        messenger.send(text("22"));
        assertThat(messenger.isWritable()).isFalse();
        open(raw, NONE);
        String first = raw.expect("MESSAGE");
        assertThat(raw.expect("MESSAGE")).isNotEqualTo(first);
        until("room", messenger::isWritable);
    }

    /** The borrowed memory is gone when the message is sent again, so its encoded form is kept. */
    @Test
    void lostConnection_borrowedMessageIsSentAgain_withoutItsMemory() throws Exception {
        RawPeer raw = connect();
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> opening = sendFirst(messenger, raw);
        ack(raw, 1);
        join(opening);
        byte[] memory = {1, 2, 3, 4};
        BorrowScope scope = new BorrowScope(() -> {});
        CompletableFuture<Void> sent = messenger.send(Message.of(MessageElement.of(
                "", "data", MessageElement.TYPE_BYTES, Payload.borrowed(scope, ByteBuffer.wrap(memory)))));
        scope.end();
        Arrays.fill(memory, (byte) 9);
        raw.expect("MESSAGE");
        assertThat(raw.lastMessage().bytes("data").orElseThrow()).containsExactly(1, 2, 3, 4);
        for (int i = 0; i < 2; i++) {
            lose(raw);
            raw = connect();
            open(raw, OptionalLong.of(1));
            raw.expect("MESSAGE");
            assertThat(raw.lastMessage().bytes("data").orElseThrow()).containsExactly(1, 2, 3, 4);
        }
        ack(raw, 2);
        join(sent);
    }

    @Test
    void messageCutInTheMiddle_isSentAgainAsAWhole() throws Exception {
        RawPeer raw = connect();
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = messenger.send(EndpointFixture.bytes(3 << 20));
        open(raw, NONE);
        String begin = raw.expect("FIRST");
        lose(raw);
        RawPeer next = connect();
        open(next, OptionalLong.of(0));
        assertThat(next.expect("FIRST")).isEqualTo(begin);
        ack(next, 1);
        join(sent);
    }

    @Test
    void receiverThatHasForgottenTheChannel_theOutcomeIsUnknown_andTheRestIsSent() throws Exception {
        RawPeer raw = connect();
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> unknown = sendFirst(messenger, raw);
        lose(raw);
        CompletableFuture<Void> queued = messenger.send(text("22"));
        RawPeer next = connect();
        open(next, NONE);
        assertFails(unknown, ErrorCode.LOST, "may have arrived");
        next.expect("MESSAGE");
        ack(next, 1);
        join(queued);
    }

    @Test
    void peerThatDoesNotReturn_theOutcomeIsUnknown() throws Exception {
        PeerEndpoint impatient = fixture.start(EndpointLimits.DEFAULTS.toBuilder()
                .reconnectTimeout(Duration.ofMillis(50))
                .closeTimeout(Duration.ofMillis(100))
                .build());
        RawPeer raw = connect(impatient, NONE);
        PeerMessenger messenger = impatient.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        CompletableFuture<Void> queued = new CompletableFuture<>();
        raw.connection.abort(null);
        assertFails(sent, ErrorCode.LOST, "may have arrived");
        assertThat(queued).isNotDone();
    }

    /** The messengers fail one after another, and call the application. */
    @Test
    void peerThatReturns_whileTheMessengersFail_getsTheMessagesOfThoseThatHaveNotFailed() throws Exception {
        PeerEndpoint impatient = fixture.start(EndpointLimits.DEFAULTS.toBuilder()
                .reconnectTimeout(Duration.ofMillis(50))
                .closeTimeout(Duration.ofMillis(100))
                .build());
        RawPeer raw = connect(impatient, NONE);
        CountDownLatch failing = new CountDownLatch(1);
        CountDownLatch returned = new CountDownLatch(1);
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        for (int handle = 1; handle <= 2; handle++) {
            int opened = handle;
            CompletableFuture<Void> sent =
                    impatient.messenger(bob.peerId(), SERVICE).send(text("1"));
            raw.expect("OPEN " + handle);
            raw.write(frames -> frames.opened(opened, WINDOW, NONE));
            raw.expect("MESSAGE " + handle);
            sent.whenComplete((done, failure) -> {
                failing.countDown();
                Eventually.latch(returned, "the return");
            });
            sends.add(sent);
        }
        raw.connection.abort(null);
        Eventually.latch(failing, "the first failure");
        RawPeer next = connect(impatient, NONE);
        next.expect("OPEN 1 " + SERVICE + " from 0");
        returned.countDown();
        assertFails(
                impatient.connect(Identity.generate().peerId()), ErrorCode.UNREACHABLE); // after the other messenger
        next.write(frames -> frames.opened(1, WINDOW, OptionalLong.of(1)));
        until("both", () -> sends.stream().allMatch(CompletableFuture::isDone));
        assertThat(sends)
                .filteredOn(CompletableFuture::isCompletedExceptionally)
                .hasSize(1);
        assertThat(count(impatient, Counter.CONNECTIONS_DROPPED)).isZero();
        next.connection.abort(null);
    }

    @Test
    void peerThatDropsTheConnection_doesNotGetTheMessagesAgain() throws Exception {
        RawPeer raw = connect();
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        raw.write(frames -> frames.goodbye(WireStatus.of(ErrorCode.MALFORMED_MESSAGE, "bad")));
        raw.connection.close();
        assertFails(sent, ErrorCode.LOST, "bad");
    }

    @Test
    void peerThatEndsTheConnectionForAWhile_getsTheMessagesAgain() throws Exception {
        RawPeer raw = connect();
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        Link link = Objects.requireNonNull(
                Objects.requireNonNull(alice.association(bob.peerId())).activeLink());
        raw.write(frames -> frames.goodbye(WireStatus.of(ErrorCode.BUSY, "no memory")));
        raw.connection.close();
        join(link.whenClosed());
        RawPeer next = connect();
        next.expect("OPEN 1 " + SERVICE + " from 0");
        next.write(frames -> frames.opened(1, WINDOW, OptionalLong.of(0)));
        next.expect("MESSAGE");
        ack(next, 1);
        join(sent);
    }

    @Test
    void connectionsLostWithoutProgress_pauseTheMessenger_andEndTheAttemptsAfterTheReconnectTimeout() throws Exception {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint patient = startPatient(time);
        PeerMessenger messenger = patient.messenger(bob.peerId(), SERVICE);
        RawPeer raw = connect(patient, NONE);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        OptionalLong received = NONE;
        for (int links = 1; links <= 8; links++) {
            open(raw, received);
            raw.expect("MESSAGE");
            lose(patient, raw);
            received = OptionalLong.of(0);
            raw = connect(patient, NONE);
        }

        messenger.send(text("2"));
        expectNoOpen(patient, raw);
        assertThat(sent).isNotDone();
        endPause(time, messenger);
        open(raw, received);
        raw.expect("MESSAGE");
        long channel = raw.openedChannel();
        time.advance(RECONNECT_TIMEOUT);
        lose(patient, raw);
        assertFails(sent, ErrorCode.LOST, "9 connections in a row");

        raw = connect(patient, NONE);
        CompletableFuture<Void> last = messenger.send(text("3"));
        open(raw, NONE);
        assertThat(raw.openedChannel()).isNotEqualTo(channel);
        raw.expect("MESSAGE");
        ack(raw, 1);
        join(last);
        raw.connection.abort(null); // which completes the close without a response to GOODBYE
    }

    private PeerMessenger messenger(PeerEndpoint patient, boolean reliable) {
        MessengerOptions.Delivery delivery =
                reliable ? MessengerOptions.Delivery.RELIABLE : MessengerOptions.Delivery.DROP_OLDEST;
        return patient.messenger(bob.peerId(), SERVICE, MessengerOptions.DEFAULTS.withDelivery(delivery));
    }

    private PeerEndpoint startPatient(ManualScheduler time) {
        PeerEndpoint patient = fixture.start(
                Identity.generate(),
                EndpointLimits.DEFAULTS.toBuilder()
                        .reconnectTimeout(RECONNECT_TIMEOUT)
                        .build(),
                time);
        join(patient.listen(EndpointAddress.parse("mem://any")));
        return patient;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectionsLostWithoutProgress_doNotCountForLaterMessages(boolean cancelled) throws Exception {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint patient = startPatient(time);
        PeerMessenger messenger = patient.messenger(bob.peerId(), SERVICE);
        RawPeer raw = connect(patient, NONE);
        CompletableFuture<Void> first = messenger.send(text("1"));
        OptionalLong received = NONE;
        for (int links = 1; links <= 7; links++) {
            open(raw, received);
            raw.expect("MESSAGE");
            lose(patient, raw);
            received = OptionalLong.of(0);
            raw = connect(patient, NONE);
        }
        raw.expect("OPEN 1");
        if (cancelled) {
            raw.write(frames -> frames.opened(1, 0, OptionalLong.of(0)));
            until("the return of the message to the queue", () -> first.cancel(false));
            raw.write(frames -> frames.credit(1, WINDOW));
        } else {
            raw.write(frames -> frames.refuse(1, WireStatus.of(ErrorCode.BUSY, ""), OptionalLong.of(0)));
            assertFails(first, ErrorCode.BUSY);
        }
        time.advance(RECONNECT_TIMEOUT);

        CompletableFuture<Void> second = messenger.send(text("2"));
        if (!cancelled) {
            raw.expect("OPEN 2");
            raw.write(frames -> frames.opened(2, WINDOW, NONE));
        }
        raw.expect("MESSAGE");
        lose(patient, raw);
        raw = connect(patient, NONE);
        open(raw, OptionalLong.of(0));
        raw.expect("MESSAGE");
        ack(raw, 1);
        join(second);
        raw.connection.abort(null);
    }

    /** Loses links in a row, each after the OPEN frame. Returns the next one. */
    private RawPeer loseUnopened(PeerEndpoint endpoint, RawPeer first, int links) throws InterruptedException {
        RawPeer raw = first;
        for (int i = 0; i < links; i++) {
            raw.expect("OPEN 1");
            lose(endpoint, raw);
            raw = connect(endpoint, NONE);
        }
        return raw;
    }

    private static void expectNoOpen(PeerEndpoint endpoint, RawPeer raw) throws InterruptedException {
        CompletableFuture<Duration> ping = endpoint.ping(raw.identity.peerId());
        assertThat(raw.expect("PING", "OPEN")).isEqualTo("PING 1");
        raw.write(frames -> frames.pong(1));
        join(ping);
    }

    private static void endPause(ManualScheduler time, PeerMessenger messenger) {
        time.advance(Duration.ofSeconds(1));
        until("the end of the pause", () -> messenger.codec().isPresent());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectionsLostBeforeTheChannelIsOpen_pauseTheMessenger_andFailItAfterTheReconnectTimeout(boolean reliable)
            throws Exception {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint patient = startPatient(time);
        PeerMessenger messenger = messenger(patient, reliable);
        RawPeer raw = connect(patient, NONE);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        CompletableFuture<Void> resolved = messenger.resolve();
        raw = loseUnopened(patient, raw, 8);
        expectNoOpen(patient, raw);
        assertThat(sent).isNotDone();
        endPause(time, messenger);
        raw.expect("OPEN 1");
        time.advance(RECONNECT_TIMEOUT);
        lose(patient, raw);
        assertFails(sent, ErrorCode.UNREACHABLE, "9 connections in a row were lost before the channel was open");
        assertFails(resolved, ErrorCode.UNREACHABLE);
        join(messenger.whenIdle());

        raw = connect(patient, NONE);
        CompletableFuture<Void> next = messenger.send(text("2"));
        raw = loseUnopened(patient, raw, 7);
        raw.expect("OPEN 1");
        assertThat(next).isNotDone();
        messenger.abort();
        raw.connection.abort(null);
    }

    /** Opens the channel without a window, as a receiver that does not read, so that the message is not sent. */
    private static void openWithoutWindow(RawPeer raw) throws InterruptedException {
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, 0, NONE));
        raw.expect("BLOCKED 1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void connectionsLostWithoutAWindow_pauseTheMessenger_andDoNotFailIt(boolean reliable) throws Exception {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint patient = startPatient(time);
        PeerMessenger messenger = messenger(patient, reliable);
        RawPeer raw = connect(patient, NONE);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        for (int links = 1; links <= 8; links++) {
            openWithoutWindow(raw);
            lose(patient, raw);
            raw = connect(patient, NONE);
        }
        expectNoOpen(patient, raw);
        assertThat(sent).isNotDone();
        endPause(time, messenger);
        openWithoutWindow(raw);
        time.advance(RECONNECT_TIMEOUT);
        lose(patient, raw);
        raw = connect(patient, NONE);
        assertThat(sent).isNotDone();
        endPause(time, messenger);
        open(raw, NONE);
        raw.expect("MESSAGE");
        if (reliable) {
            ack(raw, 1);
        }
        join(sent);
        raw.connection.abort(null);
    }

    @Test
    void connectionsDroppedWithoutAWindow_pauseTheMessenger() throws Exception {
        PeerEndpoint patient = startPatient(new ManualScheduler());
        PeerMessenger messenger = patient.messenger(bob.peerId(), SERVICE);
        RawPeer raw = connect(patient, NONE);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        for (int links = 1; links <= 8; links++) {
            openWithoutWindow(raw);
            drop(patient, raw);
            raw = connect(patient, NONE);
        }
        expectNoOpen(patient, raw);
        assertThat(sent).isNotDone();
        messenger.abort();
        raw.connection.abort(null);
    }

    /** Lets a message go after a wait that is longer than the reconnect timeout, and ends before a link sends a ping. */
    private record SlowRate(Scheduler scheduler) implements MessengerOptions.Rate {

        static final Duration WAIT = RECONNECT_TIMEOUT.multipliedBy(2);

        @Override
        public long reserve(long payloadBytes) {
            return WAIT.toNanos();
        }

        @Override
        public void putBack(long payloadBytes) {}
    }

    /** The message is sent for the first time on the last one but one of them. */
    @Test
    void connectionsLostWhileMessagesWaitForTheirRate_pauseTheMessenger_andDoNotFailIt() throws Exception {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint patient = startPatient(time);
        PeerMessenger messenger =
                patient.messenger(bob.peerId(), SERVICE, MessengerOptions.DEFAULTS.withRate(new SlowRate(time)));
        RawPeer raw = connect(patient, NONE);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        for (int links = 1; links <= 8; links++) {
            open(raw, NONE);
            pass(patient, raw);
            lose(patient, raw);
            raw = connect(patient, NONE);
        }
        expectNoOpen(patient, raw);
        endPause(time, messenger);
        open(raw, NONE);
        pass(patient, raw);
        time.advance(RECONNECT_TIMEOUT);
        lose(patient, raw);
        raw = connect(patient, NONE);
        endPause(time, messenger);
        open(raw, NONE);
        pass(patient, raw);
        time.advance(RECONNECT_TIMEOUT);
        raw.expect("MESSAGE");
        lose(patient, raw);
        raw = connect(patient, NONE);
        assertThat(sent).isNotDone();
        endPause(time, messenger);
        open(raw, OptionalLong.of(0));
        raw.expect("MESSAGE");
        ack(raw, 1);
        join(sent);
        raw.connection.abort(null);
    }

    @Test
    void peerThatOpensTheChannelAndRefusesIt_isNotFoundAgainAtFullSpeed() throws Exception {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint patient = startPatient(time);
        PeerMessenger messenger = patient.messenger(bob.peerId(), SERVICE);
        AtomicInteger searches = new AtomicInteger();
        messenger.onPeerLost(
                () -> {
                    searches.incrementAndGet();
                    return CompletableFuture.completedFuture(bob.peerId());
                },
                false,
                peer -> {});
        RawPeer raw = connect(patient, NONE);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        for (int handle = 1; handle <= 9; handle++) {
            int opened = handle;
            raw.expect("OPEN " + handle);
            raw.write(frames -> frames.opened(opened, 0, NONE));
            raw.expect("BLOCKED " + handle);
            raw.write(frames -> frames.refuse(opened, WireStatus.of(ErrorCode.NO_SUCH_SERVICE, ""), NONE));
        }
        expectNoOpen(patient, raw);
        assertThat(searches).hasValue(8);
        assertThat(sent).isNotDone();
        time.advance(Duration.ofMillis(250));
        raw.expect("OPEN 10");
        raw.write(frames -> frames.opened(10, WINDOW, NONE));
        raw.expect("MESSAGE");
        raw.write(frames -> frames.ack(10, 1, 0));
        join(sent);
        raw.connection.abort(null);
    }

    @Test
    void messengerThatPausesWithoutMessages_closesAtOnce() throws Exception {
        PeerEndpoint patient = startPatient(new ManualScheduler());
        PeerMessenger messenger = patient.messenger(bob.peerId(), SERVICE);
        RawPeer raw = connect(patient, NONE);
        CompletableFuture<Void> resolved = messenger.resolve();
        raw = loseUnopened(patient, raw, 8);
        expectNoOpen(patient, raw);
        assertThat(messenger.closeAsync()).isCompleted();
        assertFails(resolved, ErrorCode.CLOSED);
    }

    @Test
    void connectionsDroppedBeforeTheChannelIsOpen_pauseTheMessenger() throws Exception {
        PeerEndpoint patient = startPatient(new ManualScheduler());
        PeerMessenger messenger = patient.messenger(bob.peerId(), SERVICE);
        RawPeer raw = connect(patient, NONE);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        for (int i = 0; i < 8; i++) {
            raw.expect("OPEN 1");
            drop(patient, raw);
            raw = connect(patient, NONE);
        }
        expectNoOpen(patient, raw);
        assertThat(sent).isNotDone();
        messenger.abort();
        raw.connection.abort(null);
    }

    @Test
    void connectionsLostBeforeTheChannelIsOpen_areCountedFromTheLastOpenChannel_andTheOutcomeOfSentMessagesIsUnknown()
            throws Exception {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint patient = startPatient(time);
        PeerMessenger messenger = patient.messenger(bob.peerId(), SERVICE);
        RawPeer raw = connect(patient, NONE);
        CompletableFuture<Void> first = messenger.send(text("1"));
        raw = loseUnopened(patient, raw, 7);
        open(raw, NONE);
        raw.expect("MESSAGE");
        CompletableFuture<Void> second = messenger.send(text("2"));
        raw.expect("MESSAGE");
        lose(patient, raw);
        CompletableFuture<Void> third = messenger.send(text("3"));
        raw = loseUnopened(patient, connect(patient, NONE), 7);
        raw.expect("OPEN 1");
        time.advance(RECONNECT_TIMEOUT);
        lose(patient, raw);
        assertFails(first, ErrorCode.LOST, "8 connections in a row were lost before the channel was open");
        assertFails(second, ErrorCode.LOST);
        assertFails(third, ErrorCode.UNREACHABLE);
    }

    @Test
    void resolveThatIsGivenUp_needsNoChannelOnTheNextConnection() throws Exception {
        RawPeer raw = connect();
        CompletableFuture<Void> resolved =
                alice.messenger(bob.peerId(), SERVICE).resolve();
        raw.expect("OPEN 1");
        assertThat(resolved.cancel(false)).isTrue();
        lose(raw);
        expectNoOpen(alice, connect());
    }

    @Test
    void messengerThatPauses_continuesAtAnotherPeer() throws Exception {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint patient = startPatient(time);
        alice.listen(SERVICE, ReceivedMessage::release);
        patient.addPeerAddress(alice.peerAddress());
        PeerMessenger messenger = patient.messenger(bob.peerId(), SERVICE);
        messenger.onPeerLost(() -> CompletableFuture.completedFuture(alice.peerId()), false, peer -> {});
        RawPeer raw = connect(patient, NONE);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        raw = loseUnopened(patient, raw, 8);
        expectNoOpen(patient, raw);
        time.advance(Duration.ofMillis(200)); // the time in which the present peer may reconnect
        join(sent);
        assertThat(messenger.peer()).isEqualTo(alice.peerId());
        raw.connection.abort(null);
    }

    @Test
    void refusedChannel_receivedMessagesAreSettled_othersFail() throws Exception {
        RawPeer raw = connect();
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
        RawPeer raw = connect();
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        raw.expect("OPEN 1");
        raw.write(frames -> frames.refuse(1, WireStatus.of(ErrorCode.BUSY, ""), OptionalLong.of(5)));
        raw.expect("GOODBYE PROTOCOL_VIOLATION");
        raw.expectClosed();

        RawPeer next = connect();
        open(next, NONE);
        next.expect("MESSAGE");
        ack(next, 1);
        join(sent);
    }

    /** The callback runs between the end of the channel and the failure of its messages. */
    @Test
    void sendInTheCallbackOfARefusedChannel_failsWithTheOthers() throws Exception {
        RawPeer raw = connect();
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
        PeerEndpoint patient = fixture.start(EndpointFixture.PATIENT);
        RawPeer raw = connect(patient, NONE);
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
        RawPeer raw = connect();
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        CompletableFuture<CompletableFuture<Void>> closing =
                sent.handle((acknowledged, failure) -> messenger.closeAsync());
        lose(raw);
        RawPeer earlierVersion = RawPeer.connect(fixture, alice, bob); // which does not resume channels
        join(join(closing));
        assertFails(sent, ErrorCode.LOST);
        earlierVersion.write(frames -> frames.ping(42));
        assertThat(earlierVersion.expect("PONG", "OPEN", "END")).isEqualTo("PONG 42");
    }

    @Test
    void abort_theOutcomeIsUnknown() throws Exception {
        RawPeer raw = connect();
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        messenger.abort();
        assertFails(sent, ErrorCode.LOST, "may have arrived");
        raw.expect("END");
    }

    /** The link learns of an abort later than the messenger. Meanwhile the receiver may acknowledge. */
    @Test
    void acknowledgementThatCrossesAnAbort_leavesTheConnectionOpen() throws Exception {
        RawPeer raw = connect();
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
        RawPeer raw = connect(small, NONE);
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
        RawPeer raw = connect();
        PeerMessenger messenger = alice.messenger(bob.peerId(), SERVICE);
        Message unencodable = Message.of("x".repeat(70_000 + MessageLimits.DEFAULTS.maxNameBytes()), "text");
        CompletableFuture<Void> failed = messenger.send(unencodable);
        CompletableFuture<Void> sent = sendFirst(messenger, raw);
        assertThat(failed).isCompletedExceptionally();
        ack(raw, 1);
        join(sent);
    }

    // -- this endpoint receives

    private final LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();

    private void listen() {
        alice.listen(SERVICE, message -> {
            received.add(message.message().text("text").orElseThrow());
            message.release();
        });
    }

    private static void openChannel(RawPeer raw, int handle, long base) {
        openChannel(raw, handle, 5, base);
    }

    private static void openChannel(RawPeer raw, int handle, long channel, long base) {
        raw.write(frames -> frames.open(handle, new Open(SERVICE, "", OptionalLong.of(channel), base)));
    }

    @Test
    void receivedMessages_areAcknowledged() throws Exception {
        listen();
        RawPeer raw = connect();
        openChannel(raw, 1, 0);
        assertThat(raw.expect("OPENED")).doesNotContain("received");
        raw.message(1, text("a"));
        raw.expect("ACK 1 1");
        raw.message(1, text("b"));
        raw.expect("ACK 1 2");
        assertThat(received).containsExactly("a", "b");
    }

    @Test
    void resumedChannel_statesWhatHasArrived() throws Exception {
        listen();
        RawPeer raw = connect();
        openChannel(raw, 1, 0);
        raw.message(1, text("a"));
        raw.message(1, text("b"));
        raw.expect("ACK 1 2");
        lose(raw);
        RawPeer next = connect();
        openChannel(next, 1, 1);
        assertThat(next.expect("OPENED")).endsWith("received 2");
        next.message(1, text("c"));
        next.expect("ACK 1 3");
        assertThat(received).containsExactly("a", "b", "c");
    }

    @Test
    void replacedConnection_theEarlierOneHasDeliveredItsLastMessageBefore() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        List<String> order = new CopyOnWriteArrayList<>();
        alice.listen(SERVICE, message -> {
            String name = message.message().text("text").orElseThrow();
            order.add("begin " + name);
            if (name.equals("a")) {
                entered.countDown();
                awaitQuietly(leave);
            }
            order.add("end " + name);
            message.release();
        });
        RawPeer raw = connect();
        openChannel(raw, 1, 0);
        raw.expect("OPENED");
        raw.message(1, text("a"));
        entered.await();
        // The next connection is served by another event loop while the first is in the listener.
        RawPeer next = replace();
        openChannel(next, 1, 0);
        next.write(frames -> frames.ping(42));
        next.expect("PONG 42");
        leave.countDown();
        assertThat(next.expect("OPENED")).endsWith("received 1");
        next.message(1, text("b"));
        next.expect("ACK 1 2");
        assertThat(order).containsExactly("begin a", "end a", "begin b", "end b");
    }

    @Test
    void channelThatEnds_whileItWaitsForTheEarlierConnection_isReportedAsEnded() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        alice.listenToChannels(SERVICE, ServiceOptions.DEFAULTS, peer -> new ChannelListener() {
            @Override
            public void onMessage(ReceivedMessage message) {
                entered.countDown();
                awaitQuietly(leave);
                message.release();
                received.add("message");
            }

            @Override
            public void onInterrupted() {
                received.add("interrupted");
            }

            @Override
            public void onEnded() {
                received.add("ended");
            }

            @Override
            public void onLost() {
                received.add("lost");
            }
        });
        RawPeer raw = connect();
        openChannel(raw, 1, 0);
        raw.expect("OPENED");
        raw.message(1, text("a"));
        entered.await();
        RawPeer next = replace();
        openChannel(next, 1, 0);
        next.write(frames -> frames.end(1));
        next.write(frames -> frames.ping(42));
        next.expect("PONG 42");
        leave.countDown();
        until("the end", () -> received.size() == 3);
        assertThat(received).containsExactly("message", "interrupted", "ended");
        openChannel(next, 2, 0);
        assertThat(next.expect("OPENED 2")).doesNotContain("received");
    }

    @Test
    void channelsThatWaitForTheEarlierConnection_areBounded_andTheRefusalStatesTheirNumber() throws Exception {
        PeerEndpoint carol = fixture.start(LIMITS.toBuilder().maxChannels(2).build());
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch leave = new CountDownLatch(1);
        carol.listen(SERVICE, message -> {
            entered.countDown();
            awaitQuietly(leave);
            message.release();
        });
        RawPeer first = connect(carol, NONE);
        openChannel(first, 1, 7, 0);
        first.expect("OPENED 1");
        lose(carol, first);
        RawPeer second = connect(carol, NONE);
        openChannel(second, 1, 5, 0);
        openChannel(second, 2, 6, 0);
        second.expect("OPENED 2");
        second.message(1, text("a"));
        entered.await();
        RawPeer third = connect(carol, OptionalLong.of(connections));
        openChannel(third, 1, 5, 0);
        openChannel(third, 2, 6, 0);
        openChannel(third, 3, 7, 0);
        third.expect("REFUSE 3 BUSY");
        assertThat(third.refusal()).startsWith("maxChannels: 2 of 2 channels wait for an earlier connection");
        leave.countDown();
        third.expect("OPENED 1");
        third.expect("OPENED 2");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void endedChannel_isForgotten() throws Exception {
        listen();
        RawPeer raw = connect();
        openChannel(raw, 1, 0);
        raw.message(1, text("a"));
        raw.expect("ACK 1 1");
        raw.write(frames -> frames.end(1));
        openChannel(raw, 2, 1);
        assertThat(raw.expect("OPENED 2")).doesNotContain("received");
        raw.message(2, text("b"));
        raw.expect("ACK 2 2");
    }

    @Test
    void restartedSender_doesNotResumeTheChannelsOfItsEarlierRun() throws Exception {
        listen();
        RawPeer raw = connect();
        openChannel(raw, 1, 0);
        raw.message(1, text("a"));
        raw.expect("ACK 1 1");
        lose(raw);
        RawPeer restarted = RawPeer.dial(fixture, alice, bob);
        restarted.write(frames -> frames.hello(new io.parley.endpoint.internal.frame.Hello(
                1, bob.peerId(), 8, 9, NONE, List.of("binary"), 64L << 20, List.of())));
        restarted.expect("ACCEPT");
        openChannel(restarted, 1, 0);
        assertThat(restarted.expect("OPENED")).doesNotContain("received");
    }

    @Test
    void channelThatIsOpenAlready_isAViolation() throws Exception {
        listen();
        RawPeer raw = connect();
        openChannel(raw, 1, 0);
        raw.expect("OPENED");
        openChannel(raw, 2, 0);
        raw.expect("GOODBYE PROTOCOL_VIOLATION");
    }

    @Test
    void orderlyClose_isAcknowledgedFirst() throws Exception {
        LinkedBlockingQueue<ReceivedMessage> kept = new LinkedBlockingQueue<>();
        alice.listen(SERVICE, kept::add);
        RawPeer raw = connect();
        openChannel(raw, 1, 0);
        raw.expect("OPENED");
        raw.message(1, text("a"));
        raw.write(frames -> frames.goodbye(WireStatus.ok()));
        raw.expect("ACK 1 1");
        raw.expect("GOODBYE");
        kept.forEach(ReceivedMessage::release);
    }

    /** A remote peer can restart while frames of its last run are still in transit. */
    @Test
    void open_onAConnectionOfAnEarlierRun_isRefused_andTheChannelsOfTheLaterRunStay() throws Exception {
        alice.listen(SERVICE, ReceivedMessage::release);
        RawPeer raw = connect();
        InboundSequences sequences =
                Objects.requireNonNull(alice.association(bob.peerId())).inboundSequences();
        long laterRun = 8;
        sequences.startInstance(laterRun);
        InboundSequence later = sequences.tryCreate(laterRun, 1, 0, ChannelProtection.NONE);
        raw.write(frames -> frames.open(1, new Open(SERVICE, "", OptionalLong.of(2), 0)));
        raw.expect("REFUSE 1 DUPLICATE_CONNECTION");
        assertThat(alice.reservedBytes()).isZero();
        assertThat(sequences.find(laterRun, 1)).isNotNull().isSameAs(later);
        lose(raw);
    }
}
