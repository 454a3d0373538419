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

/** Encodes the messages of one channel of one link, within what both sides allow. */
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

    /** Whether messages may be encoded before it is their turn, and in any thread. */
    boolean isStateless() {
        return codec.maxStateBytes() == 0;
    }

    /**
     * Encodes a message, with room for a frame's header; caller releases.
     *
     * @throws ParleyException when it can't be encoded, whatever the codec has thrown
     */
    ByteBuf encode(Message message) {
        if (message.payloadBytes() > remote.maxMessageBytes()) {
            throw ErrorCode.MESSAGE_TOO_LARGE.exception("message: " + message.payloadBytes() + " bytes (peer "
                    + remote.peer() + " takes at most " + remote.maxMessageBytes()
                    + ", its limit messages.maxMessageBytes)");
        }
        try {
            return session.encode(message, FrameWriter.MESSAGE_HEADROOM, allocator);
        } catch (ParleyException e) {
            throw e;
        } catch (RuntimeException e) {
            throw ErrorCode.NOT_ENCODABLE.exception("the codec " + codec.name() + " failed on the message: " + e, e);
        }
    }
}
