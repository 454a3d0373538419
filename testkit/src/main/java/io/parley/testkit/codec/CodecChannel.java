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

/** Both sessions of one direction of a channel. The decoder must decode the output of the encoder, in order. */
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

    /** Asserts that a message is transferred unchanged. Returns its encoded size in bytes. */
    int assertTransfers(Message message, String what) {
        return assertTransfers(message, message, what);
    }

    int assertTransfers(Message message, Message expected, String what) {
        ByteBuf encoded = encoder.encode(message, allocator);
        try {
            assertThat(decoder.decode(encoded)).as(what).isEqualTo(expected);
            return encoded.readableBytes();
        } finally {
            encoded.release();
        }
    }

    /** Asserts that the encoder rejects a message. Returns the exception. */
    Throwable assertRejects(Message message, ErrorCode code, String what) {
        Throwable thrown =
                catchThrowable(() -> encoder.encode(message, allocator).release());
        assertThat(thrown).as(what).isInstanceOf(ParleyException.class);
        assertThat(((ParleyException) thrown).code()).as(what).isEqualTo(code);
        return thrown;
    }

    /** Asserts that a message is transferred unchanged or rejected. Returns whether it was transferred. */
    boolean assertTransfersOrRejects(Message message, ErrorCode code, String mention, String what) {
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
