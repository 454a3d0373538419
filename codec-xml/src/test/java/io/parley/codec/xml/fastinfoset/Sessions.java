package io.parley.codec.xml.fastinfoset;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.codec.xml.XmlMessageCodec;
import io.parley.message.Message;
import java.util.Arrays;

/** Opens sessions and encodes and decodes byte arrays in tests. */
final class Sessions {
    private static final byte[] HEADER = {(byte) 0xE0, 0, 0, 1};

    private Sessions() {}

    static CodecSession open() {
        return open(MessageLimits.DEFAULTS);
    }

    static CodecSession open(MessageLimits limits) {
        return new FastInfosetMessageCodec().newSession(limits);
    }

    static byte[] encode(CodecSession session, Message message) {
        ByteBuf encoded = session.encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            return ByteBufUtil.getBytes(encoded);
        } finally {
            encoded.release();
        }
    }

    static Message decode(CodecSession session, byte[] bytes) {
        return session.decode(Unpooled.wrappedBuffer(bytes));
    }

    static byte[] xml(Message message) {
        MessageCodec xml = new XmlMessageCodec();
        return encode(xml.newSession(MessageLimits.DEFAULTS), message);
    }

    static boolean isDocument(byte[] encoded) {
        return encoded.length >= HEADER.length && Arrays.equals(HEADER, Arrays.copyOf(encoded, HEADER.length));
    }
}
