package io.parley.bench.parley;

import io.parley.encoding.EncodingScheme;
import io.parley.error.ErrorCode;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.zip.CRC32C;

/** Puts a CRC-32C behind the content: a scheme that does little, so that it shows the cost of encoding elements as such. */
final class ChecksumScheme implements EncodingScheme {

    private static final int CHECKSUM_BYTES = 4;

    private static final int EVENT_LOOP_BYTES = 64 * 1024;

    @Override
    public String name() {
        return "crc32c";
    }

    @Override
    public boolean accepts(MessageElement element) {
        return true;
    }

    @Override
    public int maxEventLoopBytes() {
        return EVENT_LOOP_BYTES;
    }

    /** A content in an array is not copied. */
    @Override
    public Optional<Payload> encode(MessageElement element) {
        Payload content = element.payload();
        int size = (int) content.size();
        byte[] bytes = content.hasArray() ? content.array() : content.toByteArray();
        int offset = content.hasArray() ? content.arrayOffset() : 0;
        ByteBuffer trailer = ByteBuffer.allocate(CHECKSUM_BYTES).putInt(0, checksum(bytes, offset, size));
        return Optional.of(Payload.ofParts(ByteBuffer.wrap(bytes, offset, size), trailer));
    }

    private static int checksum(byte[] bytes, int offset, int length) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, offset, length);
        return (int) checksum.getValue();
    }

    @Override
    public Payload decode(MessageElement element, long maxBytes) {
        Payload encoded = element.payload();
        if (encoded.size() < CHECKSUM_BYTES) {
            throw ErrorCode.MALFORMED_MESSAGE.exception(
                    "crc32c: " + encoded.size() + " bytes (expected: at least " + CHECKSUM_BYTES + ")");
        }
        long size = encoded.size() - CHECKSUM_BYTES;
        if (size > maxBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("crc32c: " + size + " bytes (expected: <= " + maxBytes + ")");
        }
        byte[] bytes = encoded.hasArray() ? encoded.array() : encoded.toByteArray();
        int offset = encoded.hasArray() ? encoded.arrayOffset() : 0;
        if (ByteBuffer.wrap(bytes).getInt(offset + (int) size) != checksum(bytes, offset, (int) size)) {
            throw ErrorCode.MALFORMED_MESSAGE.exception("crc32c: the checksum is wrong");
        }
        return Payload.of(bytes, offset, (int) size);
    }
}
