package io.parley.endpoint.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;

/** Encodes the messages of one channel within the limits of both peers. Thread-safe if the codec is stateless. */
final class MessageEncoder {

    private final MessageCodec codec;
    private final CodecSession session;
    private final Hello remote;
    private final ByteBufAllocator allocator;

    MessageEncoder(MessageCodec codec, MessageLimits limits, Hello remote, ByteBufAllocator allocator) {
        this.codec = codec;
        this.session = codec.newSession(
                remote.maxMessageBytes() < limits.maxMessageBytes()
                        ? limits.toBuilder()
                                .maxMessageBytes(Math.max(1, remote.maxMessageBytes()))
                                .build()
                        : limits);
        this.remote = remote;
        this.allocator = allocator;
    }

    String codecName() {
        return codec.name();
    }

    /** Returns whether messages may be encoded out of order and on any thread. */
    boolean isStateless() {
        return codec.maxStateBytes() == 0;
    }

    /**
     * Encodes a message with headroom for a frame header. The caller must release the result.
     *
     * @throws ParleyException if the message cannot be encoded; exceptions of the codec are wrapped
     */
    ByteBuf encode(Message message) {
        checkSize(message);
        try {
            return session.encode(message, FrameWriter.MESSAGE_HEADROOM, allocator);
        } catch (RuntimeException e) {
            throw asFailure(e);
        }
    }

    /**
     * Appends a short message to a buffer, see {@link CodecSession#tryEncode}.
     *
     * @throws ParleyException as {@link #encode}
     */
    boolean tryEncode(Message message, ByteBuf out, int maxBytes) {
        checkSize(message);
        try {
            return session.tryEncode(message, out, maxBytes);
        } catch (RuntimeException e) {
            throw asFailure(e);
        }
    }

    /** Checks the size of a message, or of a message before its elements are encoded. */
    void checkSize(Message message) {
        if (message.payloadBytes() > remote.maxMessageBytes()) {
            throw ErrorCode.MESSAGE_TOO_LARGE.exception("message: " + message.payloadBytes() + " bytes (expected: <= "
                    + remote.maxMessageBytes() + ", the limit messages.maxMessageBytes of peer " + remote.peer() + ")");
        }
    }

    private ParleyException asFailure(RuntimeException thrown) {
        return thrown instanceof ParleyException known
                ? known
                : ErrorCode.NOT_ENCODABLE.exception("codec " + codec.name() + ": encoding failed: " + thrown, thrown);
    }
}
