package io.parley.endpoint.internal.messenger;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageLimits;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import org.jspecify.annotations.Nullable;

/** Encodes the messages of one channel within the limits of both peers. Thread-safe if the codec is stateless. */
public final class MessageEncoder {

    private final MessageCodec codec;
    private final MessageLimits limits;

    /** Null after a shared message, if the codec has state. Not changed otherwise. */
    private @Nullable CodecSession session;

    private final Hello remote;
    private final ByteBufAllocator allocator;

    MessageEncoder(MessageCodec codec, MessageLimits limits, Hello remote, ByteBufAllocator allocator) {
        this.codec = codec;
        this.limits = limits;
        this.remote = remote;
        this.allocator = allocator;
        this.session = newSession();
    }

    private CodecSession newSession() {
        return codec.newSession(
                remote.maxMessageBytes() < limits.maxMessageBytes()
                        ? limits.toBuilder()
                                .maxMessageBytes(Math.max(1, remote.maxMessageBytes()))
                                .build()
                        : limits);
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
            return session().encode(message, FrameWriter.MESSAGE_HEADROOM, allocator);
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
            return session().tryEncode(message, out, maxBytes);
        } catch (RuntimeException e) {
            throw asFailure(e);
        }
    }

    /**
     * Encodes a shared message in the form for this channel, if that has not been done yet. On an event loop, a short one that no other
     * channel sends is only checked: the link encodes it to its place. Thread-safe.
     *
     * @throws ParleyException as {@link #encode(Message)}
     */
    void prepare(OnceEncodedMessage shared) {
        if (!isDirect(shared)
                || !(Thread.currentThread() instanceof FastThreadLocalThread)
                || !isAppendable(shared.message())) {
            bytesOf(shared);
        }
    }

    private boolean isDirect(OnceEncodedMessage shared) {
        return shared.isDirect() && isStateless();
    }

    /** Returns whether the message is short, is in memory and can be encoded, as far as is known without encoding it. */
    private boolean isAppendable(Message message) {
        checkSize(message);
        if (message.payloadBytes() > OutboundMessage.MAX_APPENDED_BYTES || !isInMemory(message)) {
            return false;
        }
        try {
            return session().encodedSize(message) >= 0;
        } catch (RuntimeException e) {
            throw asFailure(e);
        }
    }

    private static boolean isInMemory(Message message) {
        for (MessageElement element : message) {
            if (!element.payload().hasBuffer()
                    || !element.signature()
                            .map(signature -> signature.payload().hasBuffer())
                            .orElse(true)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the next message of the channel, which other channels send too. The memory of a large one is shared with them. The
     * caller must release the result.
     *
     * @throws ParleyException as {@link #encode(Message)}
     */
    ByteBuf encode(OnceEncodedMessage shared) {
        if (isDirect(shared)) {
            return encode(shared.message());
        }
        byte[] bytes = bytesOf(shared);
        endSession();
        if (bytes.length > OutboundMessage.MAX_APPENDED_BYTES) {
            return Unpooled.wrappedBuffer(bytes);
        }
        return allocator
                .ioBuffer(FrameWriter.MESSAGE_HEADROOM + bytes.length)
                .setIndex(FrameWriter.MESSAGE_HEADROOM, FrameWriter.MESSAGE_HEADROOM)
                .writeBytes(bytes);
    }

    /** Appends the next message of the channel, which other channels send too. Returns false if it is longer than that. */
    boolean tryEncode(OnceEncodedMessage shared, ByteBuf out, int maxBytes) {
        if (isDirect(shared)) {
            return tryEncode(shared.message(), out, maxBytes);
        }
        byte[] bytes = bytesOf(shared);
        if (bytes.length > maxBytes) {
            return false;
        }
        endSession();
        out.writeBytes(bytes);
        return true;
    }

    private byte[] bytesOf(OnceEncodedMessage shared) {
        checkSize(shared.message().payloadBytes());
        byte[] bytes = shared.encoded(codec.name(), () -> encodeWithoutState(shared.message()));
        checkSize(bytes.length);
        return bytes;
    }

    private byte[] encodeWithoutState(Message message) {
        if (!codec.hasStatelessForm()) {
            throw ErrorCode.NOT_ENCODABLE.exception("codec " + codec.name()
                    + ": has no form for several receivers; select another one, such as \"binary\"");
        }
        CodecSession fresh = codec.newSession(limits); // not that of the channel: its limits are of one receiver
        try {
            byte[] exact = tryEncodeExactly(fresh, message);
            return exact == null ? encodeAndCopy(fresh, message) : exact;
        } catch (RuntimeException e) {
            throw asFailure(e);
        }
    }

    /** Returns null if the codec does not know the size of the message in advance. */
    private static byte @Nullable [] tryEncodeExactly(CodecSession fresh, Message message) {
        long size = fresh.encodedSize(message);
        if (size < 0) {
            return null;
        }
        byte[] bytes = new byte[Math.toIntExact(size)];
        ByteBuf out = Unpooled.wrappedBuffer(bytes).writerIndex(0);
        return fresh.tryEncode(message, out, bytes.length) && out.writerIndex() == bytes.length ? bytes : null;
    }

    private byte[] encodeAndCopy(CodecSession fresh, Message message) {
        ByteBuf encoded = fresh.encode(message, allocator);
        try {
            return ByteBufUtil.getBytes(encoded);
        } finally {
            encoded.release();
        }
    }

    /** Returns a message that this encoder has encoded, in heap memory. The buffer is borrowed for this call. */
    Message decode(ByteBuf encoded) {
        return codec.newSession(limits).decode(encoded);
    }

    /** Ends the session after a shared message, because that message has reset the state of the receiver. */
    private void endSession() {
        if (!isStateless()) {
            session = null;
        }
    }

    private CodecSession session() {
        CodecSession current = session;
        if (current == null) {
            current = newSession();
            session = current;
        }
        return current;
    }

    /** Checks the size of a message, or of a message before its elements are encoded. */
    void checkSize(Message message) {
        checkSize(message.payloadBytes());
    }

    private void checkSize(long bytes) {
        if (bytes > remote.maxMessageBytes()) {
            throw ErrorCode.MESSAGE_TOO_LARGE.exception("message: " + bytes + " bytes (expected: <= "
                    + remote.maxMessageBytes() + ", the limit messages.maxMessageBytes of peer " + remote.peer() + ")");
        }
    }

    private ParleyException asFailure(RuntimeException thrown) {
        return thrown instanceof ParleyException known
                ? known
                : ErrorCode.NOT_ENCODABLE.exception("codec " + codec.name() + ": encoding failed: " + thrown, thrown);
    }
}
