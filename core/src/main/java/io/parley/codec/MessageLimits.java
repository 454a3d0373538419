package io.parley.codec;

import io.parley.common.internal.Arguments;

/**
 * Limits for the size of messages. Decoders enforce them to bound the memory that a remote peer can make them allocate.
 * Encoders enforce them so that an error is reported to the sender of an oversized message.
 *
 * @param maxElements the number of elements in a message, 0 to 2^31 - 1; signatures are not counted
 * @param maxNameBytes the length in bytes of a namespace, a name or a type, 0 to 65535
 * @param maxNamespaces the number of distinct namespaces besides the empty one and {@code jxta}, 0 to 65533; in formats
 *     with other strings in the same table, the number of its entries
 * @param maxElementBytes the size of the content of one element or signature in bytes, 0 to 2^31 - 9
 * @param maxMessageBytes the size of an encoded message in bytes, 1 to 2^31 - 9
 */
public record MessageLimits(
        int maxElements, int maxNameBytes, int maxNamespaces, long maxElementBytes, long maxMessageBytes) {

    /** The default limits: 65535 elements, names of 4096 bytes, messages of 64 MiB. */
    public static final MessageLimits DEFAULTS = new MessageLimits(65_535, 4096, 4096, 64L << 20, 64L << 20);

    /** A message is one buffer; this is the maximum length of an array that every JVM can allocate. */
    private static final long MAX_BYTES = Integer.MAX_VALUE - 8;

    private static final int MAX_STRING_BYTES = 0xFFFF;
    private static final int MAX_TABLE = 0xFFFD;

    /**
     * Checks the limits.
     *
     * @throws IllegalArgumentException if a limit is out of range; the message names the limit, its value and its range
     */
    public MessageLimits {
        Arguments.requireRange("maxElements", maxElements, 0, Integer.MAX_VALUE);
        Arguments.requireRange("maxNameBytes", maxNameBytes, 0, MAX_STRING_BYTES);
        Arguments.requireRange("maxNamespaces", maxNamespaces, 0, MAX_TABLE);
        Arguments.requireRange("maxElementBytes", maxElementBytes, 0, MAX_BYTES);
        Arguments.requireRange("maxMessageBytes", maxMessageBytes, 1, MAX_BYTES);
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link MessageLimits}. Not thread-safe. */
    public static final class Builder {

        private int maxElements;
        private int maxNameBytes;
        private int maxNamespaces;
        private long maxElementBytes;
        private long maxMessageBytes;

        private Builder(MessageLimits values) {
            this.maxElements = values.maxElements;
            this.maxNameBytes = values.maxNameBytes;
            this.maxNamespaces = values.maxNamespaces;
            this.maxElementBytes = values.maxElementBytes;
            this.maxMessageBytes = values.maxMessageBytes;
        }

        /** Sets {@link MessageLimits#maxElements()}. */
        public Builder maxElements(int value) {
            this.maxElements = value;
            return this;
        }

        /** Sets {@link MessageLimits#maxNameBytes()}. */
        public Builder maxNameBytes(int value) {
            this.maxNameBytes = value;
            return this;
        }

        /** Sets {@link MessageLimits#maxNamespaces()}. */
        public Builder maxNamespaces(int value) {
            this.maxNamespaces = value;
            return this;
        }

        /** Sets {@link MessageLimits#maxElementBytes()}. */
        public Builder maxElementBytes(long value) {
            this.maxElementBytes = value;
            return this;
        }

        /** Sets {@link MessageLimits#maxMessageBytes()}. */
        public Builder maxMessageBytes(long value) {
            this.maxMessageBytes = value;
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public MessageLimits build() {
            return new MessageLimits(maxElements, maxNameBytes, maxNamespaces, maxElementBytes, maxMessageBytes);
        }
    }
}
