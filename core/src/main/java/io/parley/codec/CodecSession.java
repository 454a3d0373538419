package io.parley.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.message.BorrowScope;
import io.parley.message.Message;

/**
 * Encodes or decodes the messages of one direction of one channel, in order. A format may keep state from message to
 * message (a vocabulary, say), so a session belongs to one channel and is used by one thread at a time, unless the codec
 * says that it keeps none ({@link MessageCodec#maxStateBytes}). After a failed {@link #decode} the session is of no more
 * use; after a failed {@link #encode} it goes on as if the message had never been, because the other side never sees it.
 */
public interface CodecSession {

    /**
     * Encodes a message. A file payload is read now, in this thread; other payloads may be part of the result without a
     * copy.
     *
     * @param headroom how many bytes to leave free in front of the reader index, for the caller's header, which may be
     *     written there. A result whose reader index is lower than that gets its header in a buffer of its own
     * @return the encoded message and nothing else; caller releases
     * @throws io.parley.error.InvalidCallException MESSAGE_TOO_LARGE when the message goes past a limit, which the
     *     message names with its value; NOT_ENCODABLE when the format can't carry it or a file can't be read
     */
    ByteBuf encode(Message message, int headroom, ByteBufAllocator allocator);

    /** Encodes a message with nothing in front of it. */
    default ByteBuf encode(Message message, ByteBufAllocator allocator) {
        return encode(message, 0, allocator);
    }

    /**
     * Decodes a message.
     *
     * @param encoded one whole message; borrowed for this call, and its indices are left as they are. When {@link
     *     ByteBuf#hasArray} the message keeps the array, which must not be written to afterwards (so do not pass a
     *     pooled heap buffer); otherwise the bytes are copied once, into an array that all payloads share
     * @return the message, which needs no release
     * @throws io.parley.error.PeerFaultException MALFORMED_MESSAGE or LIMIT_EXCEEDED; the message names the offset and
     *     the fault. No other exception is thrown for any content of the buffer
     */
    Message decode(ByteBuf encoded);

    /**
     * Decodes a message whose payloads may lie in the encoded bytes, see {@link io.parley.message.Payload#borrowed}. A format
     * that has them in another form there, and this method where it is not overridden, copies them as {@link #decode}
     * does.
     *
     * @param encoded one whole message, whose memory the caller keeps as it is until the loan gives it back; its indices
     *     are left as they are. It may consist of several parts, and be pooled
     * @param loan ended by the caller
     * @throws io.parley.error.PeerFaultException as of {@link #decode}
     */
    default Message decodeBorrowed(ByteBuf encoded, BorrowScope loan) {
        return decode(encoded.hasArray() ? Unpooled.wrappedBuffer(ByteBufUtil.getBytes(encoded)) : encoded);
    }

    /**
     * How many bytes {@link #encode} would give, found without encoding; or -1 where only encoding can tell.
     *
     * @throws io.parley.error.InvalidCallException as {@link #encode} does, except for files that can't be read
     */
    long encodedSize(Message message);
}
