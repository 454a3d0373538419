package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static io.parley.endpoint.internal.ReconnectingPeer.LIMITS;
import static io.parley.endpoint.internal.ReconnectingPeer.NONE;
import static io.parley.endpoint.internal.ReconnectingPeer.WINDOW;
import static io.parley.endpoint.internal.ReconnectingPeer.ack;
import static io.parley.endpoint.internal.ReconnectingPeer.drop;
import static io.parley.endpoint.internal.ReconnectingPeer.lose;
import static io.parley.endpoint.internal.ReconnectingPeer.open;
import static io.parley.endpoint.internal.ReconnectingPeer.pass;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.Scheduler;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.identity.Identity;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messengers whose connections are lost again and again pause before the next one. The remote peer is written frame by frame. */
class MessengerPauseTest {

    private static final Duration RECONNECT_TIMEOUT = Duration.ofSeconds(5);

    private final EndpointFixture fixture =
            new EndpointFixture(3); // so that two connections of one peer are on different event loops

    private final PeerEndpoint alice = fixture.start(LIMITS);
    private final ReconnectingPeer bob = new ReconnectingPeer(fixture);

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    @Test
    void connectionsLostWithoutProgress_pauseTheMessenger_andEndTheAttemptsAfterTheReconnectTimeout() throws Exception {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint patient = startPatient(time);
        PeerMessenger messenger = patient.messenger(bob.peerId(), SERVICE);
        RawPeer raw = bob.connect(patient);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        OptionalLong received = NONE;
        for (int links = 1; links <= 8; links++) {
            open(raw, received);
            raw.expect("MESSAGE");
            lose(patient, raw);
            received = OptionalLong.of(0);
            raw = bob.connect(patient);
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

        raw = bob.connect(patient);
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
        RawPeer raw = bob.connect(patient);
        CompletableFuture<Void> first = messenger.send(text("1"));
        OptionalLong received = NONE;
        for (int links = 1; links <= 7; links++) {
            open(raw, received);
            raw.expect("MESSAGE");
            lose(patient, raw);
            received = OptionalLong.of(0);
            raw = bob.connect(patient);
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
        raw = bob.connect(patient);
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
            raw = bob.connect(endpoint);
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
        RawPeer raw = bob.connect(patient);
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

        raw = bob.connect(patient);
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
        RawPeer raw = bob.connect(patient);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        for (int links = 1; links <= 8; links++) {
            openWithoutWindow(raw);
            lose(patient, raw);
            raw = bob.connect(patient);
        }
        expectNoOpen(patient, raw);
        assertThat(sent).isNotDone();
        endPause(time, messenger);
        openWithoutWindow(raw);
        time.advance(RECONNECT_TIMEOUT);
        lose(patient, raw);
        raw = bob.connect(patient);
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
        RawPeer raw = bob.connect(patient);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        for (int links = 1; links <= 8; links++) {
            openWithoutWindow(raw);
            drop(patient, raw);
            raw = bob.connect(patient);
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
        RawPeer raw = bob.connect(patient);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        for (int links = 1; links <= 8; links++) {
            open(raw, NONE);
            pass(patient, raw);
            lose(patient, raw);
            raw = bob.connect(patient);
        }
        expectNoOpen(patient, raw);
        endPause(time, messenger);
        open(raw, NONE);
        pass(patient, raw);
        time.advance(RECONNECT_TIMEOUT);
        lose(patient, raw);
        raw = bob.connect(patient);
        endPause(time, messenger);
        open(raw, NONE);
        pass(patient, raw);
        time.advance(RECONNECT_TIMEOUT);
        raw.expect("MESSAGE");
        lose(patient, raw);
        raw = bob.connect(patient);
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
        RawPeer raw = bob.connect(patient);
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
        RawPeer raw = bob.connect(patient);
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
        RawPeer raw = bob.connect(patient);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        for (int i = 0; i < 8; i++) {
            raw.expect("OPEN 1");
            drop(patient, raw);
            raw = bob.connect(patient);
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
        RawPeer raw = bob.connect(patient);
        CompletableFuture<Void> first = messenger.send(text("1"));
        raw = loseUnopened(patient, raw, 7);
        open(raw, NONE);
        raw.expect("MESSAGE");
        CompletableFuture<Void> second = messenger.send(text("2"));
        raw.expect("MESSAGE");
        lose(patient, raw);
        CompletableFuture<Void> third = messenger.send(text("3"));
        raw = loseUnopened(patient, bob.connect(patient), 7);
        raw.expect("OPEN 1");
        time.advance(RECONNECT_TIMEOUT);
        lose(patient, raw);
        assertFails(first, ErrorCode.LOST, "8 connections in a row were lost before the channel was open");
        assertFails(second, ErrorCode.LOST);
        assertFails(third, ErrorCode.UNREACHABLE);
    }

    @Test
    void resolveThatIsGivenUp_needsNoChannelOnTheNextConnection() throws Exception {
        RawPeer raw = bob.connect(alice);
        CompletableFuture<Void> resolved =
                alice.messenger(bob.peerId(), SERVICE).resolve();
        raw.expect("OPEN 1");
        assertThat(resolved.cancel(false)).isTrue();
        lose(alice, raw);
        expectNoOpen(alice, bob.connect(alice));
    }

    @Test
    void messengerThatPauses_continuesAtAnotherPeer() throws Exception {
        ManualScheduler time = new ManualScheduler();
        PeerEndpoint patient = startPatient(time);
        alice.listen(SERVICE, ReceivedMessage::release);
        patient.addPeerAddress(alice.peerAddress());
        PeerMessenger messenger = patient.messenger(bob.peerId(), SERVICE);
        messenger.onPeerLost(() -> CompletableFuture.completedFuture(alice.peerId()), false, peer -> {});
        RawPeer raw = bob.connect(patient);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        raw = loseUnopened(patient, raw, 8);
        expectNoOpen(patient, raw);
        time.advance(Duration.ofMillis(200)); // the time in which the present peer may reconnect
        join(sent);
        assertThat(messenger.peer()).isEqualTo(alice.peerId());
        raw.connection.abort(null);
    }
}
