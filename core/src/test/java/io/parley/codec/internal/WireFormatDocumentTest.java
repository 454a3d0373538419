package io.parley.codec.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.WireFormatDocument;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Tests that the codec and the vectors in {@code docs/wire-format.md} agree. */
final class WireFormatDocumentTest {
    private final CodecSession session = new BinaryMessageCodec().newSession(MessageLimits.DEFAULTS);

    @Test
    void threeElements() throws IOException {
        String hex = WireFormatDocument.vector("three-elements");
        assertThat(hex).isEqualTo(BinaryGoldenBytesTest.THREE_ELEMENTS_HEX);
        assertReadAndWritten(hex, BinaryGoldenBytesTest.THREE_ELEMENTS);
    }

    @Test
    void empty() throws IOException {
        assertReadAndWritten(WireFormatDocument.vector("empty"), Message.EMPTY);
    }

    @Test
    void nonAscii() throws IOException {
        Message message = Message.of(MessageElement.of("€", new byte[0]).withNamespace("né"));
        assertReadAndWritten(WireFormatDocument.vector("non-ascii"), message);
    }

    @Test
    void version1_isRead() throws IOException {
        Message message = Message.of(MessageElement.ofText("A", "hi").withNamespace("jxta"));
        assertThat(decode(WireFormatDocument.vector("version-1"))).isEqualTo(message);
    }

    private void assertReadAndWritten(String hex, Message message) {
        assertThat(decode(hex)).isEqualTo(message);
        ByteBuf encoded = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            assertThat(ByteBufUtil.hexDump(encoded)).isEqualTo(hex);
        } finally {
            encoded.release();
        }
    }

    private Message decode(String hex) {
        return session.decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex)));
    }
}
