package io.parley.bench.contender;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * The first bytes of every message: what to do with it, and for {@link Signal#LAST} how many there were. Messages can
 * overtake each other in some stacks, so the last one is not always the last to arrive.
 *
 * <pre>
 *  0        1                              9
 *  +--------+------------------------------+----
 *  | signal | messages in all, of the last | payload ...
 *  +--------+------------------------------+----
 * </pre>
 *
 * @param messages how many there were; 0 in all messages but the last
 */
public record Header(Signal signal, long messages) {

    /** The smallest {@link Signal#LAST last} message; of others one byte is enough. */
    public static final int LAST_BYTES = 9;

    private static final int COUNT_OFFSET = 1;

    /**
     * A message of that many bytes: this header, then bytes that do not compress. Only the last of a flood may be longer
     * than asked for, as it carries a number.
     */
    public byte[] message(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("message bytes: %d (expected: >= 1)".formatted(bytes));
        }
        boolean isLast = signal == Signal.LAST;
        byte[] message = new byte[isLast ? Math.max(bytes, LAST_BYTES) : bytes];
        new Random(bytes).nextBytes(message);
        message[0] = signal.code();
        if (isLast) {
            ByteBuffer.wrap(message).putLong(COUNT_OFFSET, messages);
        }
        return message;
    }

    /** The small answer to the last message of a flood. */
    public static byte[] answer() {
        return new Header(Signal.SINK, 0).message(1);
    }

    /** Reads the header at the start of {@code message}. */
    public static Header of(byte[] message) {
        return of(ByteBuffer.wrap(message));
    }

    /** Reads the header at the position of {@code message}, which stays where it is. */
    public static Header of(ByteBuffer message) {
        int start = message.position();
        return of(message.get(start), () -> message.getLong(start + COUNT_OFFSET));
    }

    /** A header from its first byte and the eight after it, which are there and asked for in the last message only. */
    public static Header of(byte code, LongSupplier messages) {
        Signal signal = Signal.of(code);
        return new Header(signal, signal == Signal.LAST ? messages.getAsLong() : 0);
    }
}
