package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.SOON;
import static io.parley.endpoint.internal.EndpointFixture.assertFails;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.failure;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.link;
import static io.parley.endpoint.internal.EndpointFixture.sendWhenWritable;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.ssl.SslProvider;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.frame.FrameReader;
import io.parley.endpoint.internal.frame.FrameVisitor;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.LossCounter;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.TransportSecurity;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Secure channels, on connections that authenticate the peers and on those that a program in the middle has in its hands. */
@Timeout(120)
class SecureChannelTest {

    private static final byte HELLO = 0x01;
    private static final byte ACCEPT = 0x02;
    private static final byte OPEN = 0x10;
    private static final byte SEALED = 0x28;
    private static final String SECRET = "it will rain in Halifax";

    private static final EndpointLimits QUICK = EndpointLimits.DEFAULTS.toBuilder()
            .keepAliveInterval(Duration.ofMillis(500))
            .reconnectTimeout(SOON)
            .build();

    private final EndpointFixture fixture = new EndpointFixture();
    private final Identity aliceIdentity = Identity.generate();
    private final Queue<String> arrived = new ConcurrentLinkedQueue<>();
    private final Queue<String> events = new ConcurrentLinkedQueue<>();

    /** All frames in both directions. */
    private final Queue<byte[]> seen = new ConcurrentLinkedQueue<>();

    private volatile TamperingTransport.Middle middle = (toAcceptor, frame) -> List.of(frame);

    enum Attack {
        DROP,
        REPEAT,
        REORDER,
        CHANGE,
        CUT
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private PeerEndpoint start(Identity identity, EndpointLimits limits, TransportSecurity security) {
        return start(identity, limits, security, SslProvider.OPENSSL_REFCNT);
    }

    private PeerEndpoint start(
            Identity identity, EndpointLimits limits, TransportSecurity security, SslProvider provider) {
        TamperingTransport.Middle present = new TamperingTransport.Middle() {
            @Override
            public List<byte[]> forward(boolean toAcceptor, byte[] frame) {
                seen.add(frame);
                return middle.forward(toAcceptor, frame);
            }

            @Override
            public boolean showsIdentities() {
                return middle.showsIdentities();
            }

            @Override
            public boolean completesWrites() {
                return middle.completesWrites();
            }
        };
        return fixture.startSecure(
                identity, limits, security, provider, transport -> new TamperingTransport(transport, present));
    }

    private PeerEndpoint startAlice(EndpointLimits limits, TransportSecurity security) {
        PeerEndpoint alice = start(aliceIdentity, limits, security);
        listen(alice);
        return alice;
    }

    /** Starts the sender, which dials. */
    private PeerEndpoint startBob(PeerEndpoint alice, EndpointLimits limits, TransportSecurity security) {
        PeerEndpoint bob = start(Identity.generate(), limits, security);
        bob.addPeerAddress(alice.peerAddress());
        return bob;
    }

    private AsyncCloseable listen(PeerEndpoint alice) {
        return alice.listenToChannels(SERVICE, ServiceOptions.DEFAULTS.withSecureChannels(), sender -> new Recorder());
    }

    private static PeerMessenger secureMessenger(PeerEndpoint from, PeerId to) {
        return from.messenger(to, SERVICE, MessengerOptions.DEFAULTS.withSecureChannels());
    }

    private final class Recorder implements ChannelListener {

        @Override
        public void onMessage(ReceivedMessage message) {
            arrived.add(message.message().text("text").orElse("?"));
            message.release();
        }

        @Override
        public void onEnded() {
            events.add("ended");
        }

        @Override
        public void onLost() {
            events.add("lost");
        }
    }

    private boolean isSeen(String text) {
        String found = text;
        return seen.stream().anyMatch(frame -> new String(frame, StandardCharsets.ISO_8859_1).contains(found));
    }

    private static boolean isSealed(byte[] frame) {
        return frame[0] == SEALED;
    }

    private static List<String> numbers(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).toList();
    }

    /** Sends numbered messages, one after the other. Returns their futures. */
    private static List<CompletableFuture<Void>> sendNumbers(PeerMessenger messenger, int from, int to) {
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = from; i < to; i++) {
            sent.add(sendWhenWritable(messenger, text(Integer.toString(i))));
        }
        return sent;
    }

    @ParameterizedTest
    @CsvSource({"OPENSSL_REFCNT, OPENSSL_REFCNT", "JDK, JDK", "JDK, OPENSSL_REFCNT", "OPENSSL_REFCNT, JDK"})
    void plaintextLink_messagesArrive_andTheMiddleReadsNothing(SslProvider own, SslProvider other) throws Exception {
        PeerEndpoint alice = start(aliceIdentity, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT, own);
        listen(alice);
        PeerEndpoint bob = start(Identity.generate(), EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT, other);
        bob.addPeerAddress(alice.peerAddress());
        try (PeerMessenger messenger = secureMessenger(bob, alice.peerId())) {
            messenger.send(text(SECRET), SOON);
            String large = SECRET.repeat(60_000);
            join(messenger.send(text(large)));
            join(CompletableFuture.allOf(sendNumbers(messenger, 0, 3000).toArray(CompletableFuture<?>[]::new)));

            assertThat(arrived).hasSize(3002).startsWith(SECRET, large);
            assertThat(arrived.stream().skip(2).toList()).isEqualTo(numbers(3000));
        }
        until("the end of the channel", () -> events.contains("ended"));
        assertThat(isSeen(SECRET)).isFalse();
        assertThat(isSeen(SERVICE.service())).isFalse();
        assertThat(seen.stream().filter(SecureChannelTest::isSealed).count()).isLessThan(3000);
    }

    @Test
    void acceptorSendsFirst_dialerStartsTls() {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        bob.listenToChannels(
                SERVICE,
                ServiceOptions.DEFAULTS.withWindowBytes(1 << 20).withSecureChannels(),
                sender -> new Recorder());
        join(bob.connect(alice.peerId()));
        PeerMessenger toBob = secureMessenger(alice, bob.peerId());
        PeerMessenger toAlice = secureMessenger(bob, alice.peerId());

        join(toBob.send(text("to bob")));
        join(toAlice.send(text("to alice")));

        assertThat(arrived).containsExactly("to bob", "to alice");
        assertThat(count(alice, Counter.CONNECTIONS_OPENED)).isEqualTo(1);
    }

    @Test
    void sendSecurely_usesMessengersOfItsOwn() {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);

        join(bob.sendSecurely(alice.peerId(), SERVICE, text(SECRET)));
        assertFails(
                bob.send(alice.peerId(), SERVICE, text("plain")),
                ErrorCode.SECURITY_MISMATCH,
                "make the sender secure, for a pipe by Pipes.secure()");
        join(bob.sendSecurely(alice.peerId(), SERVICE, text("again")));

        assertThat(arrived).containsExactly(SECRET, "again");
        assertThat(isSeen(SECRET)).isFalse();
    }

    @Test
    void tlsLink_nothingIsEncryptedTwice() {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.TLS);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, TransportSecurity.TLS);
        alice.listen(ServiceAddress.of("plain"), ReceivedMessage::release);
        PeerMessenger secure = secureMessenger(bob, alice.peerId());
        PeerMessenger plain = bob.messenger(alice.peerId(), ServiceAddress.of("plain"));

        List<byte[]> ofPlain = messageFrames(plain);
        List<byte[]> ofSecure = messageFrames(secure);

        assertThat(seen).noneMatch(SecureChannelTest::isSealed);
        assertThat(ofSecure).hasSize(11).hasSameSizeAs(ofPlain);
        for (int i = 0; i < ofPlain.size(); i++) {
            byte[] expected = ofPlain.get(i).clone();
            expected[1]++; // the handle
            assertThat(ofSecure.get(i)).isEqualTo(expected);
        }
    }

    /** Sends some messages, one large, and returns their frames. */
    private List<byte[]> messageFrames(PeerMessenger messenger) {
        join(messenger.resolve());
        seen.clear();
        for (int i = 0; i < 8; i++) {
            join(messenger.send(text(SECRET + i)));
        }
        join(messenger.send(Message.of("data", new byte[300_000])));
        return seen.stream()
                .filter(frame -> frame[0] >= 0x20 && frame[0] <= 0x22)
                .toList();
    }

    @ParameterizedTest
    @EnumSource(TransportSecurity.class)
    void mismatch_isRefused_withAdvice(TransportSecurity security) {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, security);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, security);
        ServiceAddress other = ServiceAddress.of("plain");
        alice.listen(other, received -> arrived.add("unexpected"));

        assertFails(
                bob.messenger(alice.peerId(), SERVICE).send(text(SECRET)),
                ErrorCode.SECURITY_MISMATCH,
                "make the sender secure, for a pipe by Pipes.secure()");
        PeerMessenger secure = bob.messenger(alice.peerId(), other, MessengerOptions.DEFAULTS.withSecureChannels());
        assertFails(secure.send(text(SECRET)), ErrorCode.SECURITY_MISMATCH, "make the receiver secure");

        assertThat(arrived).isEmpty();
        assertThat(isSeen(SECRET)).isFalse();
    }

    @Test
    void earlierVersion_secureMessengerFails() throws Exception {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.TLS);
        RawPeer raw = RawPeer.connect(fixture, alice); // of version 1.0

        assertFails(
                secureMessenger(alice, raw.identity.peerId()).send(text(SECRET)),
                ErrorCode.SECURITY_MISMATCH,
                "earlier version",
                "update that peer");
    }

    @Test
    void openOfSecureChannel_outsideOfTls_isAViolation() throws Exception {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        AtomicInteger opens = new AtomicInteger();
        alice.listen(ServiceAddress.of("plain"), ReceivedMessage::release);
        middle = (toAcceptor, frame) -> toAcceptor && frame[0] == OPEN && opens.incrementAndGet() == 1
                ? List.of(open(1, new Open(SERVICE, "", OptionalLong.of(5), 0, List.of(), true)))
                : List.of(frame);

        join(bob.messenger(alice.peerId(), ServiceAddress.of("plain")).send(text("x"))); // over the next connection

        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isEqualTo(1);
        assertThat(opens).hasValue(2);
    }

    private static byte[] open(int handle, Open open) {
        return bytes(new FrameWriter(UnpooledByteBufAllocator.DEFAULT).open(handle, open));
    }

    private static byte[] bytes(ByteBuf frame) {
        try {
            return ByteBufUtil.getBytes(frame);
        } finally {
            frame.release();
        }
    }

    @Test
    void sequence_withOtherProtection_isNotContinued() throws Exception {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.TLS);
        RawPeer raw = RawPeer.connectAcknowledging(
                fixture, alice, Identity.generate(), RawPeer.CONNECTION, OptionalLong.empty());
        raw.write(frames -> frames.open(1, new Open(SERVICE, "", OptionalLong.of(5), 0, List.of(), true)));
        raw.expect("OPENED 1");
        raw.write(frames -> frames.open(2, new Open(SERVICE, "", OptionalLong.of(5), 0)));

        assertThat(raw.expect("REFUSE", "GOODBYE")).isEqualTo("REFUSE 2 SECURITY_MISMATCH");

        raw.message(1, text("still open"));
        until("the message", () -> arrived.contains("still open"));
    }

    @ParameterizedTest
    @EnumSource(Attack.class)
    void attackOnTheDialersRecords_nothingWrongArrives_andTheFaultIsNamed(Attack attack) {
        PeerEndpoint alice = startAlice(QUICK, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, QUICK, TransportSecurity.PLAINTEXT);
        PeerMessenger messenger = secureMessenger(bob, alice.peerId());
        join(messenger.send(text("0")));
        attack(attack, true);

        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 1; i < 200; i++) {
            CompletableFuture<Void> next = sendWhenWritable(messenger, text(Integer.toString(i)));
            sent.add(next);
            if (i % 10 == 0) {
                until("the messages to be sent or to fail", next::isDone);
            }
        }

        until("all results", () -> sent.stream().allMatch(CompletableFuture::isDone));
        assertInOrder();
        for (int i = 1; i < 200; i++) {
            CompletableFuture<Void> result = sent.get(i - 1);
            if (!result.isCompletedExceptionally()) {
                assertThat(arrived).contains(Integer.toString(i));
            } else {
                assertFails(
                        result,
                        ErrorCode.LOST,
                        "a TLS record was changed, repeated, left out or moved on the way"); // the alert was lost
            }
        }
        assertThat(count(alice, Counter.CONNECTIONS_CLOSED)).isPositive();
        if (attack != Attack.CUT) {
            assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isPositive();
        }
    }

    @Test
    void dataAreAlwaysChanged_messagesAreLost_andTheFaultIsNamed() {
        PeerEndpoint alice = startAlice(QUICK, TransportSecurity.PLAINTEXT); // remembers the channel until Bob gives up
        PeerEndpoint bob = startBob(
                alice, QUICK.toBuilder().reconnectTimeout(Duration.ofSeconds(2)).build(), TransportSecurity.PLAINTEXT);
        middle = (toAcceptor, frame) -> {
            byte[] changed = frame.clone();
            if (toAcceptor && isSealed(frame) && frame.length > 10_000) { // not those of the handshakes
                changed[changed.length - 1] ^= 1;
            }
            return List.of(changed);
        };

        CompletableFuture<Void> sent = secureMessenger(bob, alice.peerId()).send(text(SECRET.repeat(1000)));

        assertFails(sent, ErrorCode.LOST, "a TLS record was changed, repeated, left out or moved on the way");
        assertThat(arrived).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Attack.class)
    void attackOnTheAcceptorsRecords_allMessagesArriveOnce(Attack attack) {
        PeerEndpoint alice = startAlice(QUICK, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, QUICK, TransportSecurity.PLAINTEXT);
        PeerMessenger messenger = secureMessenger(bob, alice.peerId());
        join(messenger.send(text("0")));
        attack(attack, false);

        List<CompletableFuture<Void>> sent = sendNumbers(messenger, 1, 500);
        sent.forEach(EndpointFixture::join);

        assertThat(arrived).containsExactlyElementsOf(numbers(500));
        if (attack != Attack.CUT && attack != Attack.REORDER) {
            assertThat(count(bob, Counter.CONNECTIONS_DROPPED) + count(bob, Counter.CONNECTIONS_CLOSED))
                    .isPositive();
        }
    }

    /** Attacks the second SEALED frame from now on, once. */
    private void attack(Attack attack, boolean direction) {
        AtomicInteger number = new AtomicInteger();
        List<byte[]> held = new ArrayList<>();
        middle = (toAcceptor, frame) -> {
            if (toAcceptor != direction || !isSealed(frame)) {
                return List.of(frame);
            }
            int n = number.incrementAndGet();
            if (n == 3 && attack == Attack.REORDER) {
                return List.of(frame, held.get(0));
            }
            if (n != 2) {
                return List.of(frame);
            }
            return switch (attack) {
                case DROP -> List.of();
                case REPEAT -> List.of(frame, frame);
                case REORDER -> {
                    held.add(frame);
                    yield List.of();
                }
                case CHANGE -> {
                    byte[] changed = frame.clone();
                    changed[changed.length - 20] ^= 1;
                    yield List.of(changed);
                }
                case CUT -> null;
            };
        };
    }

    private void assertInOrder() {
        int last = -1;
        for (String next : arrived) {
            assertThat(Integer.parseInt(next)).isGreaterThan(last);
            last = Integer.parseInt(next);
        }
    }

    @Test
    void allRecordsAreChanged_nothingIsSent_andTheFaultIsNamed() {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        middle = (toAcceptor, frame) -> {
            byte[] changed = frame.clone();
            if (isSealed(frame)) {
                changed[changed.length / 2] ^= 0x10;
            }
            return List.of(changed);
        };

        CompletableFuture<Void> sent = secureMessenger(bob, alice.peerId()).send(text(SECRET));

        ParleyException failure = failure(sent);
        assertThat(failure.code()).isIn(ErrorCode.IDENTITY_REFUSED, ErrorCode.REJECTED_BY_PEER);
        assertThat(failure).hasMessageContaining("TLS handshake");
        assertThat(arrived).isEmpty();
    }

    @Test
    void sealedFramesAreSwallowed_otherFramesPass_linkEnds() {
        EndpointLimits limits =
                QUICK.toBuilder().handshakeTimeout(Duration.ofSeconds(4)).build();
        PeerEndpoint alice = startAlice(limits, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, limits, TransportSecurity.PLAINTEXT);
        PeerMessenger messenger = secureMessenger(bob, alice.peerId());
        join(messenger.send(text("0")));
        Link first = link(bob, alice);
        middle = (toAcceptor, frame) -> isSealed(frame) ? List.of() : List.of(frame);

        CompletableFuture<Void> sent = messenger.send(text("1"));
        until("the link to end", first::isClosed);
        middle = (toAcceptor, frame) -> List.of(frame);

        join(sent);
        join(messenger.send(text("2")));
        assertInOrder();
    }

    @Test
    void handshakeIsSwallowed_itsMessageGoesOverTheNextLink() {
        EndpointLimits limits = QUICK.toBuilder()
                .keepAliveInterval(SOON)
                .handshakeTimeout(Duration.ofSeconds(4)) // of the connections too, on a busy machine
                .build();
        PeerEndpoint alice = startAlice(limits, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, limits, TransportSecurity.PLAINTEXT);
        join(bob.connect(alice.peerId()));
        Link first = link(bob, alice);
        middle = (toAcceptor, frame) -> isSealed(frame) ? List.of() : List.of(frame);

        CompletableFuture<Void> sent = secureMessenger(bob, alice.peerId()).send(text("0"));
        until("the link to end", first::isClosed);
        middle = (toAcceptor, frame) -> List.of(frame);

        join(sent);
        assertThat(arrived).containsExactly("0");
    }

    @Test
    void handshakesOfAnIdleMessengerAreLost_itDoesNotFail() {
        PeerEndpoint alice = startAlice(QUICK, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, QUICK, TransportSecurity.PLAINTEXT);
        PeerMessenger messenger = secureMessenger(bob, alice.peerId());
        messenger.onFailed(failure -> events.add("failed: " + failure.getMessage()));
        join(messenger.send(text("0")));
        join(bob.ping(alice.peerId())); // what was sealed for the first message has passed
        Link link = link(bob, alice);
        AtomicInteger cuts = new AtomicInteger();
        middle = (toAcceptor, frame) -> {
            if (isSealed(frame)) {
                cuts.incrementAndGet();
                return null;
            }
            return List.of(frame);
        };
        link.abort(null);
        until("the first loss", () -> !bob.isConnected(alice.peerId()));
        for (int i = 1; i <= LossCounter.MANY_LINKS; i++) {
            int expected = i;
            join(bob.connect(alice.peerId()));
            until("a lost handshake", () -> cuts.get() >= expected);
            until("the loss", () -> !bob.isConnected(alice.peerId()));
        }
        middle = (toAcceptor, frame) -> List.of(frame);

        join(messenger.send(text("1")));
        assertThat(events).isEmpty();
        assertInOrder();
    }

    @Test
    void helloWasChanged_linkEnds_andTheFaultIsNamed() {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        middle = (toAcceptor, frame) -> List.of(frame[0] == HELLO ? withHello(frame, null, 1 << 20) : frame);

        assertFails(
                secureMessenger(bob, alice.peerId()).send(text(SECRET)),
                ErrorCode.REJECTED_BY_PEER,
                "the HELLO of the connection was changed on the way");
        assertThat(arrived).isEmpty();
    }

    @Test
    void otherPeerBehindTheAddress_isRefused() {
        Identity mallory = Identity.generate();
        PeerEndpoint alice = start(mallory, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        listen(alice);
        PeerEndpoint bob = start(Identity.generate(), EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        bob.addPeerAddress(new PeerAddress(aliceIdentity.peerId(), alice.addresses()));
        middle = (toAcceptor, frame) ->
                List.of(frame[0] == ACCEPT ? withHello(frame, aliceIdentity.peerId(), 0) : frame);

        assertFails(
                secureMessenger(bob, aliceIdentity.peerId()).send(text(SECRET)),
                ErrorCode.IDENTITY_REFUSED,
                "certificate of peer " + mallory.peerId(),
                "expected: " + aliceIdentity.peerId());
        assertThat(arrived).isEmpty();
    }

    @Test
    void recordedSession_isReplayed_nothingArrives() throws Exception {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        List<byte[]> recorded = new ArrayList<>();
        middle = (toAcceptor, frame) -> {
            if (toAcceptor && isSealed(frame)) {
                recorded.add(frame);
            }
            return List.of(frame);
        };
        PeerMessenger messenger = secureMessenger(bob, alice.peerId());
        join(messenger.send(text("once")));
        List<byte[]> session = List.copyOf(recorded);
        AtomicInteger next = new AtomicInteger();
        middle = (toAcceptor, frame) -> toAcceptor && isSealed(frame)
                ? (next.get() < session.size() ? List.of(session.get(next.getAndIncrement())) : List.of())
                : List.of(frame);
        link(bob, alice).abort(null);

        assertThat(failure(messenger.send(text("twice"))).code())
                .isIn(ErrorCode.IDENTITY_REFUSED, ErrorCode.REJECTED_BY_PEER, ErrorCode.UNREACHABLE);
        assertThat(arrived).containsExactly("once");
    }

    private static byte[] withHello(byte[] frame, PeerId peer, long maxMessageBytes) {
        List<byte[]> changed = new ArrayList<>();
        FrameWriter writer = new FrameWriter(UnpooledByteBufAllocator.DEFAULT);
        FrameReader.read(Unpooled.wrappedBuffer(frame), new FrameVisitor() {
            @Override
            public void onHello(Hello hello) {
                changed.add(bytes(writer.hello(change(hello))));
            }

            @Override
            public void onAccept(Hello hello) {
                changed.add(bytes(writer.accept(change(hello))));
            }

            private Hello change(Hello hello) {
                return new Hello(
                        hello.minor(),
                        peer == null ? hello.peer() : peer,
                        hello.instance(),
                        hello.connection(),
                        hello.lost(),
                        hello.codecs(),
                        maxMessageBytes == 0 ? hello.maxMessageBytes() : maxMessageBytes,
                        hello.addresses());
            }
        });
        return changed.get(0);
    }

    @Test
    void endIsForged_channelIsNotEnded() {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        PeerMessenger messenger = secureMessenger(bob, alice.peerId());
        join(messenger.send(text("0")));
        AtomicInteger forged = new AtomicInteger();
        middle = (toAcceptor, frame) ->
                toAcceptor && forged.getAndIncrement() == 0 ? List.of(frame, new byte[] {0x13, 1}) : List.of(frame);

        Link attacked = link(bob, alice);
        CompletableFuture<Void> sent = messenger.send(text("1"));
        until("the link to end", attacked::isClosed);
        join(sent.handle((done, failure) -> null));
        join(messenger.send(text("2")));

        assertThat(events).doesNotContain("ended");
        messenger.close();
        until("the end", () -> events.contains("ended"));
    }

    @Test
    void linksAreCut_allMessagesArriveOnce_inOrder() {
        PeerEndpoint alice = startAlice(QUICK, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, QUICK, TransportSecurity.PLAINTEXT);
        PeerMessenger messenger = secureMessenger(bob, alice.peerId());
        AtomicInteger frames = new AtomicInteger();
        middle = (toAcceptor, frame) -> {
            int number = frames.incrementAndGet();
            return number % 40 == 0 && number < 2000 ? null : List.of(frame);
        };

        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            sent.add(sendWhenWritable(messenger, text(Integer.toString(i))));
            if (i % 20 == 0) {
                join(sent.get(i));
            }
        }
        sent.forEach(EndpointFixture::join);

        assertThat(arrived).containsExactlyElementsOf(numbers(2000));
        assertThat(count(bob, Counter.CONNECTIONS_OPENED)).isGreaterThan(5);
    }

    @Test
    void protectionOfTheConnectionChanges_channelDoesNotResume() {
        AtomicBoolean shown = new AtomicBoolean(true);
        middle = new TamperingTransport.Middle() {
            @Override
            public List<byte[]> forward(boolean toAcceptor, byte[] frame) {
                boolean acknowledgement = !toAcceptor && (frame[0] == 0x23 || frame[0] == 0x24);
                // those of the next connection are sealed
                return acknowledgement && arrived.contains("1") ? List.of() : List.of(frame);
            }

            @Override
            public boolean showsIdentities() {
                return shown.get();
            }
        };
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.TLS);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, TransportSecurity.TLS);
        PeerMessenger messenger = secureMessenger(bob, alice.peerId());
        join(messenger.send(text("0")));
        CompletableFuture<Void> unacknowledged = messenger.send(text("1"));
        until("the message", () -> arrived.contains("1"));

        shown.set(false);
        link(bob, alice).abort(null);

        join(messenger.send(text("2")));
        assertFails(unacknowledged, ErrorCode.LOST, "protects it in another way");
        assertThat(arrived).containsExactly("0", "1", "2");
        assertThat(seen).anyMatch(SecureChannelTest::isSealed);
    }

    @Test
    void holderChanges_nextOneIsAuthenticated() {
        PeerEndpoint alice = startAlice(QUICK, TransportSecurity.PLAINTEXT);
        PeerEndpoint carol = start(Identity.generate(), QUICK, TransportSecurity.PLAINTEXT);
        listen(carol);
        PeerEndpoint bob = startBob(alice, QUICK, TransportSecurity.PLAINTEXT);
        bob.addPeerAddress(carol.peerAddress());
        PeerMessenger messenger = secureMessenger(bob, alice.peerId());
        messenger.onPeerLost(() -> CompletableFuture.completedFuture(carol.peerId()), false, peer -> {});
        join(messenger.send(text("0")));
        alice.close();

        join(messenger.send(text("1")).handle((done, failure) -> null));
        join(messenger.send(text("2")));

        assertThat(messenger.peer()).isEqualTo(carol.peerId());
        assertThat(arrived).startsWith("0").endsWith("2");
        assertThat(isSeen(SERVICE.service())).isFalse();
    }

    @Test
    void bestEffort_messagesAreDroppedBeforeTheyAreSealed() {
        EndpointLimits small = EndpointLimits.DEFAULTS.toBuilder()
                .windowBytes(80_000)
                .queueBytes(80_000)
                .build();
        PeerEndpoint alice = start(aliceIdentity, small, TransportSecurity.PLAINTEXT);
        Queue<ReceivedMessage> held = new ConcurrentLinkedQueue<>();
        alice.listenToChannels(
                SERVICE, ServiceOptions.DEFAULTS.withWindowBytes(80_000).withSecureChannels(), sender -> held::add);
        PeerEndpoint bob = startBob(alice, small, TransportSecurity.PLAINTEXT);
        PeerMessenger messenger = bob.messenger(
                alice.peerId(),
                SERVICE,
                MessengerOptions.DEFAULTS
                        .withDelivery(MessengerOptions.Delivery.DROP_OLDEST)
                        .withSecureChannels());
        List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            sent.add(messenger.send(Message.of("data", new byte[10_000])));
        }
        until("all but the queue to be sent or dropped", () -> {
            long done = sent.stream().filter(CompletableFuture::isDone).count();
            return done >= 90 && !held.isEmpty();
        });
        long dropped = sent.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .count();

        assertThat(dropped).isPositive().isEqualTo(messenger.droppedMessages());
        until("the others", () -> {
            for (ReceivedMessage next = held.poll(); next != null; next = held.poll()) {
                next.release();
                arrived.add("data");
            }
            return arrived.size() == 100 - dropped;
        });
        int sealedBytes = seen.stream()
                .filter(SecureChannelTest::isSealed)
                .mapToInt(frame -> frame.length)
                .sum();
        assertThat(sealedBytes).isLessThan((int) (100 - dropped) * 10_000 + 40_000);
    }

    @Test
    void garbageInsteadOfTls_linkEnds_peerServesOthers() {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        byte[] garbage = new byte[9000];
        Arrays.fill(garbage, (byte) 0x5a);
        garbage[0] = SEALED;
        middle = (toAcceptor, frame) -> List.of(toAcceptor && isSealed(frame) ? garbage : frame);

        assertFails(
                secureMessenger(bob, alice.peerId()).send(text(SECRET)),
                ErrorCode.REJECTED_BY_PEER,
                "bytes before the authentication (expected: <= 8192)");
        middle = (toAcceptor, frame) -> List.of(frame);

        join(secureMessenger(bob, alice.peerId()).send(text("after")));
        assertThat(arrived).containsExactly("after");
    }

    /** Each one makes the other peer update its own key, in a record that waits to be written. BoringSSL writes one for all of them. */
    @Test
    void updatesOfTheKey_ofAPeerThatDoesNotRead_endTheLink() throws Exception {
        PeerEndpoint alice =
                start(aliceIdentity, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT, SslProvider.JDK);
        RawPeer raw = RawPeer.connectPlaintext(fixture, alice, Identity.generate());
        try (RawTls tls = new RawTls(raw)) {
            tls.open();
            middle = new TamperingTransport.Middle() {
                @Override
                public List<byte[]> forward(boolean toAcceptor, byte[] frame) {
                    return List.of(frame);
                }

                @Override
                public boolean completesWrites() {
                    return false;
                }
            };
            for (int i = 0; i < 100; i++) {
                tls.requestUpdate();
            }
            raw.expectClosed();
        }
        until("the drop to be counted", () -> count(alice, Counter.CONNECTIONS_DROPPED) == 1);
    }

    @Test
    void channelsOfALink_areBoundedInBothWays_andTheRefusalStatesTheirNumber() {
        EndpointLimits two = EndpointLimits.DEFAULTS.toBuilder().maxChannels(2).build();
        PeerEndpoint alice = startAlice(two, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        ServiceAddress plain = ServiceAddress.of("plain");
        alice.listen(plain, ReceivedMessage::release);
        join(secureMessenger(bob, alice.peerId()).resolve());
        join(secureMessenger(bob, alice.peerId()).resolve());

        assertFails(
                bob.messenger(alice.peerId(), plain).resolve(),
                ErrorCode.BUSY,
                "maxChannels: 2 of 2 channels are open or wait for memory");
    }

    @Test
    void secureChannelsOfOneLink_shareTheirTls() {
        PeerEndpoint alice = startAlice(EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        PeerEndpoint bob = startBob(alice, EndpointLimits.DEFAULTS, TransportSecurity.PLAINTEXT);
        join(secureMessenger(bob, alice.peerId()).send(text("0")));
        long before = seen.stream().filter(SecureChannelTest::isSealed).count();

        join(secureMessenger(bob, alice.peerId()).send(text("1")));

        assertThat(seen.stream().filter(SecureChannelTest::isSealed).count() - before)
                .isLessThanOrEqualTo(6);
    }
}
