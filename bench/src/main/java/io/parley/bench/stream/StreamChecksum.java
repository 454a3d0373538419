package io.parley.bench.stream;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * The content of blocks, and its checksum.
 *
 * <p>In a ping-pong the same bytes travel all the time: each side sends what it has received, and the client changes the first byte before
 * it sends. A byte that is lost, repeated or damaged in any block is therefore wrong in the last one. The blocks of other exchanges
 * start with their number, as far as they have room for it, and the server adds each to its checksum.
 */
final class StreamChecksum {

    private final CRC32C checksum = new CRC32C();

    /** Returns the content of a block before the first exchange. */
    static byte[] block(int bytes) {
        byte[] block = new byte[bytes];
        new Random(bytes).nextBytes(block);
        return block;
    }

    /** Changes the first byte of a block, which is about to be sent. */
    static void touch(byte[] block) {
        block[0]++;
    }

    /** Writes its number to the start of a block, which is about to be sent. */
    static void number(byte[] block, int number) {
        if (block.length >= Integer.BYTES) {
            ByteBuffer.wrap(block).putInt(number);
        } else {
            block[0] = (byte) number;
        }
    }

    void add(byte[] block) {
        checksum.update(block);
    }

    byte[] toBytes() {
        return ByteBuffer.allocate(StreamExchange.CHECKSUM_BYTES)
                .putLong(checksum.getValue())
                .array();
    }

    /** @throws IllegalStateException if the checksum of {@code side} is another one */
    void require(byte[] received, StreamExchange exchange, String side) {
        long found = ByteBuffer.wrap(received).getLong();
        if (found != checksum.getValue()) {
            throw new IllegalStateException("checksum of %d blocks of %d bytes: %x at the %s (expected: %x)"
                    .formatted(exchange.count(), exchange.bytes(), found, side, checksum.getValue()));
        }
    }
}
