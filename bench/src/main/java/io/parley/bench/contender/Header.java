package io.parley.bench.contender;

import java.nio.ByteBuffer;
import java.util.Random;

/**
 * The first bytes of every message: what to do with it, and for {@link Signal#LAST} how many there were. Messages can
 * overtake each other in some stacks, so the last one is not always the last to arrive.
 *
 * <pre>
 *  0        1                 9        16
 *  +--------+-----------------+--------+----
 *  | signal | messages in all | unused | payload ...
 *  +--------+-----------------+--------+----
 * </pre>
 */
public record Header(Signal signal, long messages) {

    /** The smallest message. */
    public static final int BYTES = 16;

    private static final int COUNT_OFFSET = 1;

    /** A message of that many bytes: this header, then bytes that do not compress. */
    public byte[] message(int bytes) {
        if (bytes < BYTES) {
            throw new IllegalArgumentException("message bytes: %d (expected: >= %d)".formatted(bytes, BYTES));
        }
        byte[] message = new byte[bytes];
        new Random(bytes).nextBytes(message);
        ByteBuffer.wrap(message).put(0, signal.code()).putLong(COUNT_OFFSET, messages);
        return message;
    }

    /** Reads the header at the start of {@code message}. */
    public static Header of(byte[] message) {
        return of(ByteBuffer.wrap(message));
    }

    /** Reads the header at the position of {@code message}, which stays where it is. */
    public static Header of(ByteBuffer message) {
        int start = message.position();
        return of(message.get(start), message.getLong(start + COUNT_OFFSET));
    }

    /** A header from its two fields, as stored. */
    public static Header of(byte signal, long messages) {
        return new Header(Signal.of(signal), messages);
    }
}
