package io.parley.bench.contender;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * The first bytes of every message: its signal and, for some signals, numbers. In some stacks messages can overtake each
 * other, so the LAST message is not always the last to arrive.
 *
 * <pre>
 *  0        1                  9                  17
 *  +--------+------------------+------------------+----
 *  | signal | number           | nanoseconds      | payload ...
 *  +--------+------------------+------------------+----
 *            LAST, TIMED, LOSSY TIMED, LOSSY
 * </pre>
 *
 * @param number the number of messages of the flood (LAST), the sequence number (TIMED, LOSSY), otherwise 0
 */
public record Header(Signal signal, long number) {

    /** The size of the largest header, in bytes, which is the minimum size of {@link Signal#TIMED} and {@link Signal#LOSSY} messages. */
    static final int MAX_BYTES = 17;

    private static final int LAST_BYTES = 9;
    private static final int NUMBER_OFFSET = 1;
    private static final int NANOS_OFFSET = 9;

    /**
     * Returns a message of {@code bytes} bytes: this header, followed by bytes that do not compress and depend only on the
     * size. A message is at least as long as its header.
     */
    public byte[] message(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("message bytes: %d (expected: >= 1)".formatted(bytes));
        }
        byte[] message = content(Math.max(bytes, headerBytes()));
        message[0] = signal.code();
        if (headerBytes() >= LAST_BYTES) {
            ByteBuffer.wrap(message).putLong(NUMBER_OFFSET, number);
        }
        return message;
    }

    /**
     * Returns the content of the elements of a message: slices of {@code message} with the same size, except the last one, which has
     * the rest too.
     *
     * @param elements 1 to the number of bytes
     */
    public static List<byte[]> slices(byte[] message, int elements) {
        if (elements < 1 || elements > message.length) {
            throw new IllegalArgumentException("elements: %d (expected: 1 to %d)".formatted(elements, message.length));
        }
        int size = message.length / elements;
        List<byte[]> slices = new ArrayList<>();
        for (int i = 0; i < elements; i++) {
            int end = i == elements - 1 ? message.length : (i + 1) * size;
            slices.add(Arrays.copyOfRange(message, i * size, end));
        }
        return slices;
    }

    private int headerBytes() {
        return switch (signal) {
            case ECHO, SINK -> 1;
            case LAST -> LAST_BYTES;
            case TIMED, LOSSY -> MAX_BYTES;
        };
    }

    /** Returns the bytes of all messages of this length, except those of the header. */
    static byte[] content(int length) {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        return content;
    }

    /**
     * Returns a copy of {@code template} with these numbers.
     *
     * @param template a {@link Signal#TIMED} or {@link Signal#LOSSY} message
     * @param start the index of the message in {@code template}
     */
    public static byte[] timed(byte[] template, int start, long sequence, long nanos) {
        byte[] message = template.clone();
        ByteBuffer.wrap(message).putLong(start + NUMBER_OFFSET, sequence).putLong(start + NANOS_OFFSET, nanos);
        return message;
    }

    /** Returns the small reply to the last message of a flood. */
    public static byte[] reply() {
        return new Header(Signal.SINK, 0).message(1);
    }

    /** Returns the signal of {@code message}. */
    public static Signal signal(MessageBytes message) {
        return Signal.of(message.byteAt(0));
    }

    static long number(MessageBytes message) {
        return message.longAt(NUMBER_OFFSET);
    }

    static long nanos(MessageBytes message) {
        return message.longAt(NANOS_OFFSET);
    }
}
