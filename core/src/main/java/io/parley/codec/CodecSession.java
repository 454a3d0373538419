package io.parley.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.message.BorrowScope;
import io.parley.message.Message;

/**
 * Encodes or decodes the messages of one direction of one channel, in order. A format may keep state between messages,
 * such as a vocabulary. A session therefore belongs to one channel and is used by one thread at a time, unless the codec
 * is stateless ({@link MessageCodec#maxStateBytes}). After a failed {@link #decode} the session must not be used again.
 * After a failed {@link #encode} its state is that before the call, because the remote peer never receives the message.
 */
public interface CodecSession {

    /**
     * Encodes a message. File payloads are read by this call, in the calling thread. Other payloads may be part of the
     * result without a copy.
     *
     * @param headroom the number of writable bytes before the reader index of the result, for a header of the caller. If
     *     the reader index of the result is lower, the caller must write the header to a separate buffer
     * @return the encoded message without other bytes. The caller must release the result
     * @throws io.parley.error.InvalidCallException MESSAGE_TOO_LARGE if the message exceeds a limit, which the exception
     *     names with its value; NOT_ENCODABLE if the format cannot represent the message or a file cannot be read
     */
    ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator);

    /** Encodes a message without headroom. */
    default ByteBuf encode(Message message, ByteBufAllocator allocator) {
        return encode(message, 0, allocator);
    }

    /**
     * Appends an encoded message to a buffer that gathers several, if it takes at most {@code maxBytes} bytes there. For a
     * short message this saves a buffer and a copy. The default implementation returns false.
     *
     * @param out the buffer; the caller resets its writer index if this call fails
     * @return false, with nothing written, if the message takes more bytes or the format does not know its size in advance
     * @throws io.parley.error.InvalidCallException as {@link #encode}
     */
    default boolean tryEncode(Message message, ByteBuf out, int maxBytes) {
        return false;
    }

    /**
     * Decodes a message.
     *
     * @param encoded one complete message, borrowed for this call. Its indices do not change. If {@link ByteBuf#hasArray},
     *     the message keeps a reference to the array, which must not be modified afterwards; pooled heap buffers are
     *     therefore not allowed. Otherwise the bytes are copied once, into an array that all payloads share
     * @return the message, which does not need to be released
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE or LIMIT_EXCEEDED; the exception names the offset
     *     and the fault. No other exception is thrown for any content of the buffer
     */
    Message decode(ByteBuf encoded);

    /**
     * Decodes a message whose payloads may share the encoded bytes, see {@link io.parley.message.Payload#borrowed}. The
     * default implementation, and formats that encode payloads in another form, copy them like {@link #decode}.
     *
     * @param encoded one complete message. The caller must not modify or release its memory until the scope releases it.
     *     Its indices do not change. It may be a composite buffer and may be pooled
     * @param scope the period for which the payloads may share the memory; ended by the caller
     * @throws io.parley.error.PeerFaultException as {@link #decode}
     */
    default Message decodeBorrowed(ByteBuf encoded, BorrowScope scope) {
        return decode(encoded.hasArray() ? Unpooled.wrappedBuffer(ByteBufUtil.getBytes(encoded)) : encoded);
    }

    /**
     * Returns whether {@link #decode} takes less than about a millisecond for this message, although it is larger than
     * {@link MessageCodec#maxEventLoopBytes}. It is then decoded on an event loop, which saves a change of threads. This call must
     * be fast for any content of the buffer, and leaves the session as it is. The default implementation returns false.
     *
     * @param encoded one complete message, which may be malformed, borrowed for this call. Its indices do not change
     */
    default boolean decodesQuickly(ByteBuf encoded) {
        return false;
    }

    /**
     * Returns the size of the result of {@link #encode} in bytes without encoding, or -1 if the format cannot compute it.
     *
     * @throws io.parley.error.InvalidCallException as {@link #encode}, except for files that cannot be read
     */
    long encodedSize(Message message);
}
