package io.parley.codec.xml.fastinfoset;

import io.parley.common.internal.Arguments;

/**
 * The limits of {@link FastInfosetGuard} for one Fast Infoset document. All values are at least 1.
 *
 * @param maxBytes the size of the document in bytes
 * @param maxDepth the number of nested elements
 * @param maxElements the number of elements in the document
 * @param maxAttributes the number of attributes of one element, including namespace declarations
 * @param maxNameBytes the length of a prefix, a namespace name, a local name or a similar name in bytes of UTF-8
 * @param maxTableEntries the number of entries in each table of the document
 * @param maxTableCharacters the number of characters in each table of the document
 * @param maxCharacters the approximate number of characters that the document has as XML text: names, values and
 *     contents with all repetitions
 */
public record FastInfosetLimits(
        int maxBytes,
        int maxDepth,
        int maxElements,
        int maxAttributes,
        int maxNameBytes,
        int maxTableEntries,
        int maxTableCharacters,
        long maxCharacters) {

    /**
     * The default limits: 16 MiB, depth 256, 1,048,576 elements, 256 attributes, names of 4096 bytes, 65,536 entries
     * and 4 Mi characters per table, and 64 Mi characters in total.
     */
    public static final FastInfosetLimits DEFAULTS =
            new FastInfosetLimits(16 << 20, 256, 1 << 20, 256, 4096, 1 << 16, 4 << 20, 64L << 20);

    /**
     * Creates limits.
     *
     * @throws IllegalArgumentException naming the limit, its value and its range
     */
    public FastInfosetLimits {
        Arguments.requireAtLeast("maxBytes", maxBytes, 1);
        Arguments.requireAtLeast("maxDepth", maxDepth, 1);
        Arguments.requireAtLeast("maxElements", maxElements, 1);
        Arguments.requireAtLeast("maxAttributes", maxAttributes, 1);
        Arguments.requireAtLeast("maxNameBytes", maxNameBytes, 1);
        Arguments.requireAtLeast("maxTableEntries", maxTableEntries, 1);
        Arguments.requireAtLeast("maxTableCharacters", maxTableCharacters, 1);
        Arguments.requireAtLeast("maxCharacters", maxCharacters, 1);
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link FastInfosetLimits}. Not thread-safe. */
    public static final class Builder {

        private int maxBytes;
        private int maxDepth;
        private int maxElements;
        private int maxAttributes;
        private int maxNameBytes;
        private int maxTableEntries;
        private int maxTableCharacters;
        private long maxCharacters;

        private Builder(FastInfosetLimits values) {
            this.maxBytes = values.maxBytes;
            this.maxDepth = values.maxDepth;
            this.maxElements = values.maxElements;
            this.maxAttributes = values.maxAttributes;
            this.maxNameBytes = values.maxNameBytes;
            this.maxTableEntries = values.maxTableEntries;
            this.maxTableCharacters = values.maxTableCharacters;
            this.maxCharacters = values.maxCharacters;
        }

        /** Sets {@link FastInfosetLimits#maxBytes()}. */
        public Builder maxBytes(int value) {
            this.maxBytes = value;
            return this;
        }

        /** Sets {@link FastInfosetLimits#maxDepth()}. */
        public Builder maxDepth(int value) {
            this.maxDepth = value;
            return this;
        }

        /** Sets {@link FastInfosetLimits#maxElements()}. */
        public Builder maxElements(int value) {
            this.maxElements = value;
            return this;
        }

        /** Sets {@link FastInfosetLimits#maxAttributes()}. */
        public Builder maxAttributes(int value) {
            this.maxAttributes = value;
            return this;
        }

        /** Sets {@link FastInfosetLimits#maxNameBytes()}. */
        public Builder maxNameBytes(int value) {
            this.maxNameBytes = value;
            return this;
        }

        /** Sets {@link FastInfosetLimits#maxTableEntries()}. */
        public Builder maxTableEntries(int value) {
            this.maxTableEntries = value;
            return this;
        }

        /** Sets {@link FastInfosetLimits#maxTableCharacters()}. */
        public Builder maxTableCharacters(int value) {
            this.maxTableCharacters = value;
            return this;
        }

        /** Sets {@link FastInfosetLimits#maxCharacters()}. */
        public Builder maxCharacters(long value) {
            this.maxCharacters = value;
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public FastInfosetLimits build() {
            return new FastInfosetLimits(
                    maxBytes,
                    maxDepth,
                    maxElements,
                    maxAttributes,
                    maxNameBytes,
                    maxTableEntries,
                    maxTableCharacters,
                    maxCharacters);
        }
    }
}
