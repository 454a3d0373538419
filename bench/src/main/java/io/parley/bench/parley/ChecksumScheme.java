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

    @Override
    public Optional<Payload> encode(MessageElement element) {
        Payload content = element.payload();
        ByteBuffer encoded = ByteBuffer.allocate(Math.toIntExact(content.size()) + CHECKSUM_BYTES);
        content.readInto(encoded.limit((int) content.size()), 0);
        return Optional.of(Payload.of(
                encoded.limit(encoded.capacity()).putInt(checksum(encoded)).flip()));
    }

    /** Returns the checksum of the bytes before the position. */
    private static int checksum(ByteBuffer bytes) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes.array(), bytes.arrayOffset(), bytes.position());
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
        ByteBuffer bytes = ByteBuffer.wrap(encoded.toByteArray()).position((int) size);
        int expected = checksum(bytes);
        if (bytes.getInt() != expected) {
            throw ErrorCode.MALFORMED_MESSAGE.exception("crc32c: the checksum is wrong");
        }
        return Payload.of(bytes.position(0).limit((int) size));
    }
}
