package io.parley.codec.internal;

import io.netty.buffer.ByteBuf;
import io.parley.codec.MessageLimits;
import io.parley.message.BorrowScope;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Reads a message from a borrowed buffer. Its payloads share the buffer until the scope ends; all other fields are copied. */
final class BorrowedWireInput extends WireInput {
    private final ByteBuf bytes;
    private final BorrowScope scope;

    /** Reads the readable bytes of {@code bytes}. */
    BorrowedWireInput(ByteBuf bytes, BorrowScope scope, MessageLimits limits) {
        super(bytes.readerIndex(), bytes.writerIndex(), limits);
        this.bytes = bytes;
        this.scope = scope;
    }

    @Override
    byte byteAt(int index) {
        return bytes.getByte(index);
    }

    @Override
    boolean matchesAt(byte[] expected, int index) {
        for (int i = 0; i < expected.length; i++) {
            if (bytes.getByte(index + i) != expected[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    @Nullable
    String utf8(int index, int length) {
        byte[] copy = new byte[length];
        bytes.getBytes(index, copy);
        return Utf8.decode(copy, 0, length);
    }

    @Override
    Payload payload(int index, int length) {
        if (length == 0) {
            return Payload.of(new byte[0]);
        }
        if (bytes.nioBufferCount() == 1) {
            return Payload.borrowed(scope, bytes.nioBuffer(index, length));
        }
        ByteBuffer[] parts = bytes.nioBuffers(index, length);
        return Payload.borrowed(scope, parts);
    }
}
