package io.parley.bench.stream;

import java.nio.ByteBuffer;
import java.util.stream.Stream;

/**
 * The announcement of the client to the server before each measurement, over the stream itself.
 *
 * @param form what is exchanged
 * @param bytes the size of each block
 * @param count the number of blocks
 */
public record StreamExchange(Form form, int bytes, int count) {

    static final int BYTES = 3 * Integer.BYTES;

    /** The size of the response after the last block: the checksum of the server. */
    static final int CHECKSUM_BYTES = Long.BYTES;

    /** The form of an exchange. */
    public enum Form {
        /** The server sends each block back, and the client sends it again: NetPIPE's ping-pong. */
        PING_PONG(1),
        /** The server acknowledges each block with one byte before the client sends the next one. */
        ACKNOWLEDGED(2),
        /** The client sends all blocks, and the server responds after the last one. */
        ONE_WAY(3);

        private final int code;

        Form(int code) {
            this.code = code;
        }

        private static Form of(int code) {
            return Stream.of(values())
                    .filter(form -> form.code == code)
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(
                            "form of an exchange: %d (expected: 1 to %d); the stream is out of step"
                                    .formatted(code, values().length)));
        }
    }

    byte[] encode() {
        return ByteBuffer.allocate(BYTES)
                .putInt(form.code)
                .putInt(bytes)
                .putInt(count)
                .array();
    }

    static StreamExchange decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        return new StreamExchange(Form.of(in.getInt()), in.getInt(), in.getInt());
    }
}
