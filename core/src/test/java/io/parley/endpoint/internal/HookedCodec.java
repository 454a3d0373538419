package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import java.util.function.IntConsumer;

/**
 * A codec that decodes only small messages on event loops.
 *
 * @param codec        the format
 * @param beforeDecode gets the size of each message before it is decoded, on the decoding thread
 */
record HookedCodec(MessageCodec codec, int maxEventLoopBytes, IntConsumer beforeDecode) implements MessageCodec {

    @Override
    public String name() {
        return codec.name();
    }

    @Override
    public String contentType() {
        return codec.contentType();
    }

    @Override
    public int maxStateBytes() {
        return codec.maxStateBytes();
    }

    @Override
    public CodecSession newSession(MessageLimits limits) {
        CodecSession session = codec.newSession(limits);
        return new CodecSession() {
            @Override
            public ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator) {
                return session.encode(message, headroom, allocator);
            }

            @Override
            public boolean tryEncode(Message message, ByteBuf out, int maxBytes) {
                return session.tryEncode(message, out, maxBytes);
            }

            @Override
            public Message decode(ByteBuf encoded) {
                beforeDecode.accept(encoded.readableBytes());
                return session.decode(encoded);
            }

            @Override
            public Message decodeBorrowed(ByteBuf encoded, BorrowScope scope) {
                beforeDecode.accept(encoded.readableBytes());
                return session.decodeBorrowed(encoded, scope);
            }

            @Override
            public long encodedSize(Message message) {
                return session.encodedSize(message);
            }
        };
    }
}
