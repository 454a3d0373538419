package io.parley.endpoint.internal.inbound;

import io.netty.buffer.ByteBuf;

/**
 * A complete received message before it is decoded.
 *
 * @param bytes    the encoded message, which the holder must release; a heap buffer is not pooled
 * @param cost     the bytes of the window that the message uses
 * @param reserved the bytes beyond the window that are reserved for the message
 */
record EncodedMessage(ByteBuf bytes, long cost, long reserved) {

    /** Returns the size of the encoded message in bytes. */
    int size() {
        return bytes.readableBytes();
    }
}
