package io.parley.codec;

import io.parley.common.internal.Arguments;

/**
 * How large a message may get. Decoders check what they read against it, so that a peer can't make this one allocate
 * more than it agreed to; encoders check what they write, so that the error appears where the mistake was made.
 *
 * @param maxElements elements in a message, 0 to 2^31 - 1; signatures are not counted
 * @param maxNameBytes the length in bytes of a namespace, a name or a type, 0 to 65535
 * @param maxNamespaces distinct namespaces beyond the empty one and {@code jxta}, 0 to 65533; in formats that keep other
 *     strings in the same table, entries of that table
 * @param maxElementBytes the content of one element or signature in bytes, 0 to 2^31 - 9
 * @param maxMessageBytes a whole encoded message in bytes, 1 to 2^31 - 9
 */
public record MessageLimits(
        int maxElements, int maxNameBytes, int maxNamespaces, long maxElementBytes, long maxMessageBytes) {

    /** What holds unless something else is configured: 65535 elements, names of 4096 bytes, messages of 64 MiB. */
    public static final MessageLimits DEFAULTS = new MessageLimits(65_535, 4096, 4096, 64L << 20, 64L << 20);

    /** A message is one buffer, and the longest array that every JVM can allocate is that long. */
    private static final long MAX_BYTES = Integer.MAX_VALUE - 8;

    private static final int MAX_STRING_BYTES = 0xFFFF;
    private static final int MAX_TABLE = 0xFFFD;

    /** Fails with IllegalArgumentException, which names the field, its value and its range. */
    public MessageLimits {
        Arguments.range("maxElements", maxElements, 0, Integer.MAX_VALUE);
        Arguments.range("maxNameBytes", maxNameBytes, 0, MAX_STRING_BYTES);
        Arguments.range("maxNamespaces", maxNamespaces, 0, MAX_TABLE);
        Arguments.range("maxElementBytes", maxElementBytes, 0, MAX_BYTES);
        Arguments.range("maxMessageBytes", maxMessageBytes, 1, MAX_BYTES);
    }

    public MessageLimits withMaxElements(int newMaxElements) {
        return new MessageLimits(newMaxElements, maxNameBytes, maxNamespaces, maxElementBytes, maxMessageBytes);
    }

    public MessageLimits withMaxNameBytes(int newMaxNameBytes) {
        return new MessageLimits(maxElements, newMaxNameBytes, maxNamespaces, maxElementBytes, maxMessageBytes);
    }

    public MessageLimits withMaxNamespaces(int newMaxNamespaces) {
        return new MessageLimits(maxElements, maxNameBytes, newMaxNamespaces, maxElementBytes, maxMessageBytes);
    }

    public MessageLimits withMaxElementBytes(long newMaxElementBytes) {
        return new MessageLimits(maxElements, maxNameBytes, maxNamespaces, newMaxElementBytes, maxMessageBytes);
    }

    public MessageLimits withMaxMessageBytes(long newMaxMessageBytes) {
        return new MessageLimits(maxElements, maxNameBytes, maxNamespaces, maxElementBytes, newMaxMessageBytes);
    }
}
