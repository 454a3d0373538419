package io.parley.pipes.internal.bidirectional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.WireFormatDocument;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PipeProtocolTest {

    private static final String END = "00112233445566778899aabbccddeeff";
    private static final Message HELLO = Message.of("b", new byte[] {7});

    private final CodecSession codec = MessageCodec.binary().newSession(MessageLimits.DEFAULTS);

    @Test
    void documentedVector_isReadAndWritten() throws Exception {
        String hex = WireFormatDocument.vector("pipe-connect");
        Message read = codec.decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)));
        assertThat(PipeProtocol.end(read, PipeProtocol.CONNECT)).isEqualTo(END);
        assertThat(PipeProtocol.hello(read)).isEqualTo(HELLO);
        ByteBuf written =
                codec.encode(PipeProtocol.opening(PipeProtocol.CONNECT, END, HELLO), UnpooledByteBufAllocator.DEFAULT);
        try {
            assertThat(ByteBufUtil.hexDump(written)).isEqualTo(hex);
        } finally {
            written.release();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0011", "00112233445566778899AABBCCDDEEFF", "00112233445566778899aabbccddeef/"})
    void invalidEnd_isRejected(String end) {
        Message opening = PipeProtocol.opening(PipeProtocol.CONNECT, end, Message.EMPTY);
        assertThatThrownBy(() -> PipeProtocol.end(opening, PipeProtocol.CONNECT))
                .isInstanceOf(PeerFaultException.class);
        assertThatThrownBy(() -> PipeProtocol.end(opening, PipeProtocol.ACCEPT)).isInstanceOf(PeerFaultException.class);
    }

    /** The elements of the protocol are UTF-8, whatever charset their type names. */
    @Test
    void charsetThatARemotePeerNames_isIgnored() {
        MessageElement end = MessageElement.ofText(PipeProtocol.CONNECT, END)
                .withNamespace(PipeProtocol.NAMESPACE)
                .withType("text/plain;charset=none");
        assertThat(PipeProtocol.end(Message.of(end), PipeProtocol.CONNECT)).isEqualTo(END);
        MessageElement ending = MessageElement.ofText(PipeProtocol.END, ErrorCode.EXPIRED.number() + " too l\u00e4te")
                .withNamespace(PipeProtocol.NAMESPACE)
                .withType("text/plain;charset=none");
        ParleyException failure =
                PipeProtocol.failure(Message.of(ending), Identity.generate().peerId());
        assertThat(failure).isNotNull().hasMessageContaining("too l\u00e4te");
        assertThat(failure.code()).isEqualTo(ErrorCode.EXPIRED);
    }

    @Test
    void tooLargeEnding_isAProtocolViolation() {
        String text = ErrorCode.EXPIRED.number() + " ";
        ParleyException failure = PipeProtocol.failure(
                ending(text + "x".repeat(PipeProtocol.MAX_END_BYTES)),
                Identity.generate().peerId());
        assertThat(failure).isNotNull().hasMessageContaining(Integer.toString(PipeProtocol.MAX_END_BYTES));
        assertThat(failure.code()).isEqualTo(ErrorCode.PROTOCOL_VIOLATION);
        ParleyException longest = PipeProtocol.failure(
                ending(text + "x".repeat(PipeProtocol.MAX_END_BYTES - text.length())),
                Identity.generate().peerId());
        assertThat(longest).isNotNull();
        assertThat(longest.code()).isEqualTo(ErrorCode.EXPIRED);
    }

    @Test
    void longestTextOfAFailure_fitsIntoAnEnding() {
        Message ending = PipeProtocol.ending(ErrorCode.EXPIRED.exception("\u20ac".repeat(10_000)));
        ParleyException failure =
                PipeProtocol.failure(ending, Identity.generate().peerId());
        assertThat(failure).isNotNull();
        assertThat(failure.code()).isEqualTo(ErrorCode.EXPIRED);
    }

    private static Message ending(String text) {
        return Message.of(MessageElement.ofText(PipeProtocol.END, text).withNamespace(PipeProtocol.NAMESPACE));
    }

    @Test
    void tooLargeOpening_isRejected() {
        Message.Builder many = Message.builder();
        for (int i = 0; i <= PipeProtocol.MAX_HELLO_ELEMENTS; i++) {
            many.add("a", "b");
        }
        assertThatThrownBy(() -> PipeProtocol.end(
                        PipeProtocol.opening(PipeProtocol.CONNECT, END, many.build()), PipeProtocol.CONNECT))
                .isInstanceOf(PeerFaultException.class);
        Message large = Message.of("a", new byte[PipeProtocol.MAX_HELLO_BYTES + 1000]);
        assertThatThrownBy(() ->
                        PipeProtocol.end(PipeProtocol.opening(PipeProtocol.CONNECT, END, large), PipeProtocol.CONNECT))
                .isInstanceOf(PeerFaultException.class);
    }

    /** Returns a message of two elements whose signatures have that name and type. */
    static Message signed(String name, String type) {
        MessageElement element = MessageElement.ofText("a", "b")
                .withSignature(MessageElement.ofText(name, "c").withType(type));
        return Message.of(element, element);
    }

    @Test
    void openingWithLongTextsOfSignatures_isRejected() {
        for (Message large : List.of(signed("n".repeat(4000), "a/b"), signed("n", "a/" + "t".repeat(4000)))) {
            assertThatThrownBy(() -> PipeProtocol.end(
                            PipeProtocol.opening(PipeProtocol.CONNECT, END, large), PipeProtocol.CONNECT))
                    .isInstanceOf(PeerFaultException.class);
            assertThatThrownBy(() -> PipeProtocol.checkHello(large)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void ending_keepsTheCodeAndTheText_inOneLine() {
        Message ending = PipeProtocol.ending(ErrorCode.EXPIRED.exception("too\nlate"));
        assertThat(PipeProtocol.isEnding(ending)).isTrue();
        ParleyException failure =
                PipeProtocol.failure(ending, Identity.generate().peerId());
        assertThat(failure).isNotNull().hasMessageContaining("too late");
        assertThat(failure.code()).isEqualTo(ErrorCode.EXPIRED);
        assertThat(PipeProtocol.failure(
                        PipeProtocol.ending(null), Identity.generate().peerId()))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "99999999999999999999 text", "-1", "123456 text", " "})
    void endingOfAnotherForm_isAFailure(String text) {
        ParleyException failure =
                PipeProtocol.failure(ending(text), Identity.generate().peerId());
        assertThat(failure).isNotNull();
        assertThat(failure.code()).isEqualTo(ErrorCode.DISCONNECTED);
    }
}
