package io.parley.testkit.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;

/** Both ends of a channel's one direction: what the encoder gives out, the decoder has to understand, in order. */
final class CodecChannel {
    final CodecSession encoder;
    final CodecSession decoder;
    private final ByteBufAllocator allocator;

    CodecChannel(MessageCodec codec, MessageLimits limits, ByteBufAllocator allocator) {
        this(codec.newSession(limits), codec.newSession(limits), allocator);
    }

    CodecChannel(CodecSession encoder, CodecSession decoder, ByteBufAllocator allocator) {
        this.encoder = encoder;
        this.decoder = decoder;
        this.allocator = allocator;
    }

    /** Sends a message, which has to arrive as it is; how many bytes that took. */
    int carries(Message message, String what) {
        return carries(message, message, what);
    }

    int carries(Message message, Message expected, String what) {
        ByteBuf encoded = encoder.encode(message, allocator);
        try {
            assertThat(decoder.decode(encoded)).as(what).isEqualTo(expected);
            return encoded.readableBytes();
        } finally {
            encoded.release();
        }
    }

    /** Tries to send a message that has to be refused; the refusal. */
    Throwable refuses(Message message, ErrorCode code, String what) {
        Throwable thrown =
                catchThrowable(() -> encoder.encode(message, allocator).release());
        assertThat(thrown).as(what).isInstanceOf(ParleyException.class);
        assertThat(((ParleyException) thrown).code()).as(what).isEqualTo(code);
        return thrown;
    }

    /** Sends a message that may arrive as it is or be refused, but nothing else; whether it arrived. */
    boolean carriesOrRefuses(Message message, ErrorCode code, String mention, String what) {
        ByteBuf encoded;
        try {
            encoded = encoder.encode(message, allocator);
        } catch (ParleyException e) {
            assertThat(e.code()).as(what).isEqualTo(code);
            assertThat(e).as(what).hasMessageContaining(mention);
            return false;
        }
        try {
            assertThat(decoder.decode(encoded)).as(what).isEqualTo(message);
            return true;
        } finally {
            encoded.release();
        }
    }
}
