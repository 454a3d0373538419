package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.common.internal.TextSanitizer;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.frame.Open;
import io.parley.error.ErrorCode;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.HostileText;
import io.parley.transport.EndpointAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A remote peer sends hostile text in each field of a frame: logs and exceptions are printable. */
class RemoteTextTest {

    private static final int REJECT = 0x03;
    private static final int GOODBYE = 0x04;
    private static final int REFUSE = 0x12;

    private final EndpointFixture fixture = new EndpointFixture();
    private final PeerEndpoint endpoint = fixture.start();

    @AfterEach
    void closeAll() {
        fixture.close();
    }

    /** Returns a frame with a status whose text the sender has not sanitized. */
    private static ByteBuf status(int type, int handle) {
        byte[] text = HostileText.TEXT.getBytes(StandardCharsets.UTF_8);
        ByteBuf frame = Unpooled.buffer().writeByte(type);
        if (handle > 0) {
            frame.writeByte(handle);
        }
        frame.writeByte(1).writeByte(1).writeByte(ErrorCode.PROTOCOL_VIOLATION.number());
        assertThat(text.length).isLessThan(128);
        return frame.writeByte(2).writeByte(text.length).writeBytes(text);
    }

    private static void assertPrintable(CapturedLog log) {
        HostileText.assertPrintableLines(String.join("\n", log.lines("")));
    }

    @Test
    void codecNameInHello() throws InterruptedException {
        try (CapturedLog log = new CapturedLog()) {
            RawPeer raw = RawPeer.dial(fixture, endpoint);
            Hello hello = raw.hello();
            raw.write(frames -> frames.hello(
                    new Hello(0, hello.peer(), 1, 2, OptionalLong.empty(), List.of(HostileText.TEXT), 1, List.of())));
            raw.expect("REJECT NO_COMMON_CODEC");
            raw.expectClosed();
            assertPrintable(log);
        }
    }

    @Test
    void reasonOfReject() {
        RawAcceptor acceptor = new RawAcceptor(fixture, Identity.generate());
        acceptor.respond(List.of(ByteBufUtil.getBytes(status(REJECT, 0))));
        HostileText.assertPrintable(failure(endpoint.connect(acceptor.address())));
    }

    @Test
    void codecNameInAccept() {
        Identity identity = Identity.generate();
        RawAcceptor acceptor = new RawAcceptor(fixture, identity);
        FrameWriter frames = new FrameWriter(UnpooledByteBufAllocator.DEFAULT);
        Hello hello = new Hello(
                0, identity.peerId(), 1, 2, OptionalLong.empty(), List.of(HostileText.TEXT), 1 << 20, List.of());
        ByteBuf accept = frames.accept(hello);
        acceptor.respond(List.of(ByteBufUtil.getBytes(accept)));
        accept.release();
        HostileText.assertPrintable(failure(endpoint.connect(acceptor.address())));
    }

    @Test
    void reasonOfGoodbye() throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, endpoint);
        CompletableFuture<Duration> ping = endpoint.ping(raw.identity.peerId());
        raw.expect("PING");
        raw.write(frames -> status(GOODBYE, 0));
        HostileText.assertPrintable(failure(ping));
    }

    @Test
    void elementOfMalformedMessage() throws InterruptedException {
        endpoint.listen(SERVICE, ReceivedMessage::release);
        try (CapturedLog log = new CapturedLog()) {
            RawPeer raw = RawPeer.connect(fixture, endpoint);
            raw.write(frames -> frames.open(1, Open.unacknowledged(SERVICE, "")));
            raw.write(frames -> frames.message(1, hostileMessage(raw)));
            EndpointFixture.until("the log", () -> !log.lines("Dropped link").isEmpty());
            assertPrintable(log);
        }
    }

    /** Returns a message with an element whose name and type are hostile. The sender of a message checks the type. */
    private static ByteBuf hostileMessage(RawPeer raw) {
        byte[] hostile = HostileText.TEXT.getBytes(StandardCharsets.UTF_8);
        String valid = "kind/" + "k".repeat(hostile.length - 5);
        ByteBuf encoded = raw.encode(
                Message.of(MessageElement.ofText(HostileText.TEXT, "content").withType(valid)));
        int start = ByteBufUtil.indexOf(Unpooled.copiedBuffer(valid, StandardCharsets.US_ASCII), encoded);
        assertThat(start).isPositive();
        return encoded.setBytes(start, hostile);
    }

    @Test
    void reasonOfRefusal() throws InterruptedException {
        RawPeer raw = RawPeer.connect(fixture, endpoint);
        // The endpoint has no address of the other peer, so it cannot send before the link is active.
        EndpointFixture.until("the link", () -> endpoint.isConnected(raw.identity.peerId()));
        CompletableFuture<Void> sent =
                endpoint.messenger(raw.identity.peerId(), SERVICE).send(EndpointFixture.text("hello"));
        raw.expect("OPEN 1");
        raw.write(frames -> status(REFUSE, 1));
        HostileText.assertPrintable(failure(sent));
    }

    @ParameterizedTest
    @MethodSource("opened")
    void serviceAndCodecInOpen(ServiceAddress service, String codec) throws InterruptedException {
        endpoint.listen(SERVICE, ReceivedMessage::release);
        try (CapturedLog log = new CapturedLog()) {
            RawPeer raw = RawPeer.connect(fixture, endpoint);
            raw.write(frames -> frames.open(1, Open.unacknowledged(service, codec)));
            raw.expect("REFUSE 1");
            assertPrintable(log);
        }
        HostileText.assertPrintable(service.toString());
    }

    static List<Arguments> opened() {
        return List.of(
                Arguments.of(new ServiceAddress(HostileText.TEXT, HostileText.TEXT), ""),
                Arguments.of(SERVICE, HostileText.TEXT));
    }

    @Test
    void address_withHostileHost_isNoAddress() {
        assertThat(HostileText.CODE_POINTS).allSatisfy(c -> {
            String host = "a" + Character.toString(c) + "b";
            HostileText.assertPrintable(catchThrowable(() -> EndpointAddress.parse("tcp://" + host + ":1")));
            HostileText.assertPrintable(catchThrowable(() -> new EndpointAddress("tcp", host, 1)));
            HostileText.assertPrintable(catchThrowable(() -> new EndpointAddress("t" + host, "h", 1)));
        });
    }

    @Test
    void failureOfUserCode_thatQuotesAMessage_hasAPrintableForm() {
        HostileText.assertPrintable(TextSanitizer.printable(catchThrowable(() -> Integer.parseInt(HostileText.TEXT))));
    }
}
