package io.parley.codec.xml.payload;

import io.parley.error.ErrorCode;
import io.parley.message.Payload;
import java.io.ByteArrayOutputStream;

/** Collects a document, and fails when it gets too large to be read again. */
final class BoundedOutputStream extends ByteArrayOutputStream {
    private final int maxBytes;

    BoundedOutputStream(int maxBytes) {
        super(256);
        this.maxBytes = maxBytes;
    }

    @Override
    public synchronized void write(int b) {
        checkRoom(1);
        super.write(b);
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
        checkRoom(length);
        super.write(bytes, offset, length);
    }

    private void checkRoom(int length) {
        if (length > maxBytes - count) {
            throw ErrorCode.MESSAGE_TOO_LARGE.exception(
                    "XML element: more bytes (expected: <= maxBytes " + maxBytes + ")");
        }
    }

    /** The collected bytes, without a copy: nothing may be written any more. */
    Payload toPayload() {
        return Payload.of(buf, 0, count);
    }
}
