package io.parley.bench.contender;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.LongSupplier;

/**
 * The first bytes of every message: its signal and, for {@link Signal#LAST}, the number of messages of the flood. In
 * some stacks messages can overtake each other, so the LAST message is not always the last to arrive.
 *
 * <pre>
 *  0        1                              9
 *  +--------+------------------------------+----
 *  | signal | total messages, LAST only    | payload ...
 *  +--------+------------------------------+----
 * </pre>
 *
 * @param messages the number of messages of the flood; 0 unless the signal is LAST
 */
public record Header(Signal signal, long messages) {

    /** The minimum size of a {@link Signal#LAST} message, in bytes; the minimum for other signals is 1. */
    public static final int LAST_BYTES = 9;

    private static final int COUNT_OFFSET = 1;

    /**
     * Returns a message of {@code bytes} bytes: this header, followed by bytes that do not compress. A LAST message is
     * at least {@value #LAST_BYTES} bytes long because it carries a number.
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

    /** Returns the small reply to the last message of a flood. */
    public static byte[] reply() {
        return new Header(Signal.SINK, 0).message(1);
    }

    /** Reads the header at the start of {@code message}. */
    public static Header of(byte[] message) {
        return of(ByteBuffer.wrap(message));
    }

    /** Reads the header at the position of {@code message} without changing the position. */
    public static Header of(ByteBuffer message) {
        int start = message.position();
        return of(message.get(start), () -> message.getLong(start + COUNT_OFFSET));
    }

    /**
     * Returns the header with this first byte. Gets the eight bytes that follow from {@code messages} only for LAST.
     */
    public static Header of(byte code, LongSupplier messages) {
        Signal signal = Signal.of(code);
        return new Header(signal, signal == Signal.LAST ? messages.getAsLong() : 0);
    }
}
