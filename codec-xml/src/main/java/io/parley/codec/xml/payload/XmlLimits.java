package io.parley.codec.xml.payload;

import io.parley.common.internal.Arguments;

/**
 * The limits for an XML document in an element. Readers fail with LIMIT_EXCEEDED; writers fail with MESSAGE_TOO_LARGE,
 * so that the error appears at the sender of an oversized document. A document has at most 4096 distinct names.
 *
 * @param maxBytes the size of the payload in bytes, 1 to 2^31 - 9
 * @param maxDepth the number of nested elements, 1 to 1000
 * @param maxAttributes the number of attributes and namespace declarations of one element, 0 to 10,000
 * @param maxNameChars the length of a name, a prefix or a namespace in chars, 1 to 65,535
 * @param maxCharacters the total length in chars of all names, values and text that a reader returns, 0 or more;
 *     differs from {@code maxBytes} because the binary form may repeat a long string by an index. A value in a Fast Infoset
 *     encoding algorithm must not exceed it with the most characters that its bytes can stand for
 * @param maxNodes the number of nodes of a document that {@link XmlDocuments} or {@link XmlObjects} reads or writes, 1 or more:
 *     elements, attributes, namespace declarations, texts, comments and processing instructions. Readers of streams and
 *     events do not count them, because they retain none
 */
public record XmlLimits(
        int maxBytes, int maxDepth, int maxAttributes, int maxNameChars, long maxCharacters, long maxNodes) {

    /** The default limits: 16 MiB, depth 256, 256 attributes, names of 1000 chars, 64 Mi chars and 1 Mi nodes in total. */
    public static final XmlLimits DEFAULTS = new XmlLimits(16 << 20, 256, 256, 1000, 64L << 20, 1 << 20);

    private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    /**
     * Creates limits.
     *
     * @throws IllegalArgumentException naming the limit, its value and its range
     */
    public XmlLimits {
        Arguments.requireRange("maxBytes", maxBytes, 1, MAX_BYTES);
        Arguments.requireRange("maxDepth", maxDepth, 1, 1000);
        Arguments.requireRange("maxAttributes", maxAttributes, 0, 10_000);
        Arguments.requireRange("maxNameChars", maxNameChars, 1, 0xFFFF);
        Arguments.requireRange("maxCharacters", maxCharacters, 0, Long.MAX_VALUE);
        Arguments.requireRange("maxNodes", maxNodes, 1, Long.MAX_VALUE);
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link XmlLimits}. Not thread-safe. */
    public static final class Builder {

        private int maxBytes;
        private int maxDepth;
        private int maxAttributes;
        private int maxNameChars;
        private long maxCharacters;
        private long maxNodes;

        private Builder(XmlLimits values) {
            this.maxBytes = values.maxBytes;
            this.maxDepth = values.maxDepth;
            this.maxAttributes = values.maxAttributes;
            this.maxNameChars = values.maxNameChars;
            this.maxCharacters = values.maxCharacters;
            this.maxNodes = values.maxNodes;
        }

        /** Sets {@link XmlLimits#maxBytes()}. */
        public Builder maxBytes(int value) {
            this.maxBytes = value;
            return this;
        }

        /** Sets {@link XmlLimits#maxDepth()}. */
        public Builder maxDepth(int value) {
            this.maxDepth = value;
            return this;
        }

        /** Sets {@link XmlLimits#maxAttributes()}. */
        public Builder maxAttributes(int value) {
            this.maxAttributes = value;
            return this;
        }

        /** Sets {@link XmlLimits#maxNameChars()}. */
        public Builder maxNameChars(int value) {
            this.maxNameChars = value;
            return this;
        }

        /** Sets {@link XmlLimits#maxCharacters()}. */
        public Builder maxCharacters(long value) {
            this.maxCharacters = value;
            return this;
        }

        /** Sets {@link XmlLimits#maxNodes()}. */
        public Builder maxNodes(long value) {
            this.maxNodes = value;
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public XmlLimits build() {
            return new XmlLimits(maxBytes, maxDepth, maxAttributes, maxNameChars, maxCharacters, maxNodes);
        }
    }
}
