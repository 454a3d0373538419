package io.parley.codec.xml;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageLimits;
import io.parley.message.Message;
import java.nio.charset.StandardCharsets;

/** Converts between messages and XML documents in tests. */
final class Documents {
    static final String HEAD = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!DOCTYPE Message><Message version=\"0\">";
    static final String TAIL = "</Message>";

    private static final CodecSession SESSION = session(MessageLimits.DEFAULTS);

    private Documents() {}

    static CodecSession session(MessageLimits limits) {
        return new XmlMessageCodec().newSession(limits);
    }

    static byte[] bytes(Message message) {
        ByteBuf encoded = SESSION.encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            return ByteBufUtil.getBytes(encoded);
        } finally {
            encoded.release();
        }
    }

    static String text(Message message) {
        return new String(bytes(message), StandardCharsets.UTF_8);
    }

    static Message decode(byte[] document) {
        return decode(document, MessageLimits.DEFAULTS);
    }

    static Message decode(String document) {
        return decode(document.getBytes(StandardCharsets.UTF_8));
    }

    static Message decode(byte[] document, MessageLimits limits) {
        return session(limits).decode(Unpooled.wrappedBuffer(document));
    }
}
