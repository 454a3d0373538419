package io.parley.codec;

import io.netty.buffer.ByteBuf;
import io.parley.message.BorrowScope;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A message in somebody else's buffer, which its payloads share until the loan ends; all else is copied. */
final class BorrowedWireInput extends WireInput {
    private final ByteBuf bytes;
    private final BorrowScope loan;

    /** Reads the readable bytes. */
    BorrowedWireInput(ByteBuf bytes, BorrowScope loan, MessageLimits limits) {
        super(bytes.readerIndex(), bytes.writerIndex(), limits);
        this.bytes = bytes;
        this.loan = loan;
    }

    @Override
    byte byteAt(int index) {
        return bytes.getByte(index);
    }

    @Override
    boolean isHere(byte[] expected, int index) {
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
            return Payload.borrowed(loan, bytes.nioBuffer(index, length));
        }
        ByteBuffer[] parts = bytes.nioBuffers(index, length);
        return Payload.borrowed(loan, parts);
    }
}
