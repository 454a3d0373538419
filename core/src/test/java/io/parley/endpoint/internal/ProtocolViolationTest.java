package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.frame.Open;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that violate the protocol: their connection is dropped and counted, and other peers are not affected. */
class ProtocolViolationTest {

    private static final int WINDOW = 128 * 1024;
    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS.toBuilder()
            .windowBytes(WINDOW)
            .peerMemoryBytes(4 * WINDOW)
            .totalMemoryBytes(16 * WINDOW)
            .handshakeTimeout(Duration.ofSeconds(10))
            .closeTimeout(Duration.ofMillis(200))
            .build(); // raw peers do not respond to GOODBYE

    private final EndpointFixture fixture = new EndpointFixture();
    private final Queue<ReceivedMessage> held = new ConcurrentLinkedQueue<>();
    private PeerEndpoint alice = fixture.start(LIMITS);
    private PeerEndpoint honest = fixture.start();

    @BeforeEach
    void connectHonestPeer() {
        alice.listen(SERVICE, held::add);
        honest.addPeerAddress(alice.peerAddress());
        join(honest.connect(alice.peerId()));
    }

    @AfterEach
    void assertHonestPeerIsConnected() {
        assertThat(join(honest.ping(alice.peerId()))).isPositive();
        assertThat(count(honest, Counter.CONNECTIONS_CLOSED)).isZero();
        held.forEach(ReceivedMessage::release);
        fixture.close();
    }

    private void assertRefused(RawPeer raw) throws InterruptedException {
        raw.expectClosed();
        until("the failure to be counted", () -> count(alice, Counter.HANDSHAKES_FAILED) == 1);
        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isZero();
    }

    private void assertDropped(RawPeer raw) throws InterruptedException {
        raw.expectClosed();
        until("the failure to be counted", () -> count(alice, Counter.CONNECTIONS_DROPPED) == 1);
        assertThat(count(alice, Counter.HANDSHAKES_FAILED)).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "empty frame,             ''",
        "PING before HELLO,       05 0000000000000000",
        "OPEN before HELLO,       10 01 01 01 41",
        "MESSAGE before HELLO,    20 01 00",
        "ACCEPT instead of HELLO, 02 01 00",
        "HELLO with wrong magic,  01 50524c58 01 00",
        "HELLO cut short,         01 5052",
        "HELLO of version 2,      01 50524c59 02 00",
        "HELLO without fields,    01 50524c59 01 00",
        "unknown type,            7f",
        "GET / HTTP/1.1,          474554202f20485454502f312e310d0a"
    })
    void frameInsteadOfHello_isRejected(String name, String hex) throws InterruptedException {
        RawPeer raw = RawPeer.dial(fixture, alice);
        raw.writeHex(hex);
        raw.expect("REJECT");
        assertRefused(raw);
    }

    @Test
    void helloOfAnotherPeer_isRejected() throws InterruptedException {
        RawPeer raw = RawPeer.dial(fixture, alice);
        raw.write(frames -> frames.hello(RawPeer.hello(Identity.generate().peerId(), 1)));
        raw.expect("REJECT IDENTITY_REFUSED");
        assertRefused(raw);
    }

    @Test
    void helloWithoutCommonCodec_isRejected() throws InterruptedException {
        RawPeer raw = RawPeer.dial(fixture, alice);
        Hello hello = raw.hello();
        raw.write(frames ->
                frames.hello(new Hello(0, hello.peer(), 1, 2, hello.lost(), List.of("morse"), 1, hello.addresses())));
        raw.expect("REJECT NO_COMMON_CODEC");
        raw.expectClosed();
    }

    @Test
    void silenceInsteadOfHello_isRejected() throws InterruptedException {
        PeerEndpoint hasty = fixture.start(EndpointLimits.DEFAULTS.toBuilder()
                .handshakeTimeout(Duration.ofMillis(50))
                .build());
        RawPeer raw = RawPeer.dial(fixture, hasty);
        raw.expectClosed();
        until("the failure to be counted", () -> count(hasty, Counter.HANDSHAKES_FAILED) == 1);
    }

    @Test
    void ignorableFrameBeforeHello_isIgnored() throws InterruptedException {
        RawPeer raw = RawPeer.dial(fixture, alice);
        raw.writeHex("80 01 02 03");
        raw.write(frames -> frames.hello(raw.hello()));
        raw.expect("ACCEPT");
    }

    @ParameterizedTest
    @CsvSource({
        "empty frame,                 ''",
        "a second HELLO,              01 50524c59 01 00",
        "ACCEPT,                      02 01 00",
        "REJECT,                      03",
        "unknown type,                7f",
        "unknown type 0,              00",
        "PING cut short,              05 00000000",
        "OPEN without service,        10 09",
        "OPEN of an empty service,    10 09 01 00",
        "OPEN of handle 0,            10 00 01 01 41",
        "OPEN of a handle again,      10 01 01 01 41",
        "OPEN with a field too long,  10 09 01 05 41",
        "OPEN without its handle,     10",
        "handle beyond 2^31,          10 8080808008 01 01 41",
        "number without end,          23 01 ffffffffffffffffffff",
        "MESSAGE never opened,        20 07 00",
        "FIRST never opened,          21 07 05 00",
        "MORE never opened,           22 07 00",
        "END never opened,            13 07",
        "MORE without FIRST,          22 01 00",
        "FIRST that is complete,      21 01 02 0000",
        "FIRST of too many bytes,     21 01 ffffffffffffff7f 00",
        "MESSAGE with garbage,        20 01 00112233",
        "MESSAGE that is empty,       20 01"
    })
    void invalidFrame_onALink_isDropped(String name, String hex) throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.expect("OPENED 1");
        raw.writeHex(hex);
        raw.expect("GOODBYE");
        assertDropped(raw);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void creditOfNothing_orBeyondTheRange_isDropped(long bytes) throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, alice);
        until("the link", () -> alice.isConnected(raw.identity.peerId()));
        alice.messenger(raw.identity.peerId(), SERVICE).send(Message.of("text", "x"));
        raw.expect("OPEN 1");
        raw.write(frames -> frames.opened(1, WINDOW, OptionalLong.empty()));
        raw.expect("MESSAGE");
        raw.write(frames -> frames.credit(1, bytes));
        assertDropped(raw);
    }

    @ParameterizedTest
    @CsvSource({
        "unknown type from 0x80,  80 01 02",
        "highest type,            ff",
        "CREDIT for nothing,      23 07 05",
        "OPENED for nothing,      11 07 01 08 0000000000010000",
        "REFUSE for nothing,      12 07",
        "PONG without PING,        06 0000000000000009",
        "PING with trailing bytes,   05 0000000000000009 00"
    })
    void harmlessFrame_isIgnored(String name, String hex) throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.writeHex(hex);
        raw.write(frames -> frames.ping(77));
        raw.expect("PONG 77");
        assertThat(count(alice, Counter.CONNECTIONS_DROPPED)).isZero();
    }

    @Test
    void messageWithinAMessage_isDropped() throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.writeHex("21 01 e807 00000000");
        raw.message(1, Message.of("text", "x"));
        assertDropped(raw);
    }

    @Test
    void fragmentBeyondTheTotal_isDropped() throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.writeHex("21 01 05 00000000");
        raw.writeHex("22 01 0000");
        assertDropped(raw);
    }

    @Test
    void messageBeyondTheWindow_isDropped() throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.expect("OPENED 1 " + WINDOW);
        for (int i = 0; i < 3; i++) {
            raw.message(1, Message.of("data", new byte[WINDOW / 2 - 300]));
        }
        assertThat(join(honest.ping(alice.peerId()))).isPositive();
        raw.message(1, Message.of("data", new byte[1]));
        assertDropped(raw);
    }

    @Test
    void frameLargerThanAllowed_isClosed() throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.write(frames -> Unpooled.wrappedBuffer(new byte[EndpointContext.MAX_FRAME_BYTES + 1]));
        raw.expectClosed();
    }

    @Test
    void malformedLargeMessage_releasesItsMemory() throws InterruptedException {
        for (int round = 1; round <= 20; round++) { // more than the memory of all peers
            RawPeer raw = RawPeer.connect(fixture, alice);
            raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
            raw.expect("OPENED 1 " + WINDOW);
            byte[] fragment = new byte[32 * 1024];
            int fragments = 2 * WINDOW / fragment.length;
            raw.write(frames -> frames.first(
                    1, (long) fragments * fragment.length, Unpooled.wrappedBuffer(fragment), fragment.length));
            for (int i = 1; i < fragments; i++) {
                raw.write(frames -> frames.more(1, Unpooled.wrappedBuffer(fragment), fragment.length));
            }
            raw.expectClosed();
            int expected = round;
            until("the failure to be counted", () -> count(alice, Counter.CONNECTIONS_DROPPED) == expected);
            until("the memory to be released", () -> alice.reservedBytes() == 0);
        }
    }

    @Test
    void incompleteLargeMessage_releasesItsMemoryWithTheConnection() throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.expect("OPENED 1 " + WINDOW);
        raw.write(frames -> frames.first(1, 2 * WINDOW, Unpooled.wrappedBuffer(new byte[1000]), 1000));
        until("the memory to be reserved", () -> alice.reservedBytes() > WINDOW);
        raw.connection.abort(null);
        until("the memory to be released", () -> alice.reservedBytes() == 0);
    }

    /** Otherwise a peer could fill the memory of a slow service, window by window, with channels that it ends. */
    @Test
    void unreleasedMessages_keepTheirReservation_afterTheirChannelHasEnded() throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, alice);
        for (int handle = 1; handle <= 4; handle++) {
            int current = handle;
            raw.write(frames -> frames.open(current, Open.unacknowledged(SERVICE, "")));
            raw.expect("OPENED " + handle);
            fill(raw, handle, handle == 4);
            raw.write(frames -> frames.end(current));
        }
        raw.write(frames -> frames.open(5, Open.unacknowledged(SERVICE, "")));
        raw.expect("REFUSE 5 BUSY");
        assertThat(held).hasSize(8);
        assertThat(alice.reservedBytes()).isGreaterThan(4L * WINDOW - EndpointLimits.MIN_WINDOW_BYTES);
        held.forEach(ReceivedMessage::release);
        until("the memory to be released", () -> alice.reservedBytes() == 0);
        raw.write(frames -> frames.open(6, Open.unacknowledged(SERVICE, "")));
        raw.expect("OPENED 6 " + WINDOW);
    }

    /** Sends two messages that use the window, or in the last of four channels less than the smallest window less. */
    private static void fill(RawPeer raw, int handle, boolean last) {
        raw.message(handle, Message.of("data", new byte[WINDOW / 2 - 100]));
        raw.message(handle, Message.of("data", new byte[last ? 60_000 : WINDOW / 2 - 100]));
    }

    /** The budget belongs to the peer, not to a connection. */
    @Test
    void unreleasedMessages_keepTheirReservation_whenThePeerReconnects() throws InterruptedException {
        Identity identity = Identity.generate();
        for (int round = 0; round < 4; round++) {
            RawPeer raw = RawPeer.connect(fixture, alice, identity);
            raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
            raw.expect("OPENED 1");
            fill(raw, 1, round == 3);
            raw.write(frames -> frames.ping(1));
            raw.expect("PONG 1");
            raw.connection.abort(null);
            until("alice to notice", () -> alice.connectedPeers().size() == 1);
        }
        RawPeer raw = RawPeer.connect(fixture, alice, identity);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        raw.expect("REFUSE 1 BUSY");
    }

    /** The in-memory transport completes writes on flush, so pending responses do not accumulate. */
    @Test
    void pingFlood_getsResponses() throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, alice);
        for (int i = 0; i < 20_000; i++) {
            raw.write(frames -> frames.ping(1));
        }
        raw.write(frames -> frames.ping(2));
        raw.expect("PONG 2");
    }

    @Test
    void framesInPooledHeapMemory_areCopied() throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, alice);
        raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
        for (int i = 0; i < 50; i++) {
            String text = "message " + i;
            raw.write(frames -> {
                ByteBuf encoded = raw.encode(Message.of("text", text));
                ByteBuf frame = PooledByteBufAllocator.DEFAULT
                        .heapBuffer()
                        .writeByte(0x20)
                        .writeByte(1);
                frame.writeBytes(encoded);
                encoded.release();
                return frame;
            });
        }
        until("all messages", () -> held.size() == 50);
        int i = 0;
        for (ReceivedMessage received : held) {
            assertThat(received.message().text("text")).contains("message " + i++);
        }
    }
}
