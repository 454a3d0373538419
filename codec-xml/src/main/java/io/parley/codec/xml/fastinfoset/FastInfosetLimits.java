package io.parley.codec.xml.fastinfoset;

import io.parley.common.internal.Arguments;

/**
 * How much a Fast Infoset document may hold, for {@link FastInfosetGuard}.
 *
 * @param maxBytes the document as it arrives
 * @param maxDepth elements inside each other
 * @param maxElements elements in the document
 * @param maxAttributes attributes of one element, namespace declarations included
 * @param maxNameBytes a prefix, namespace name, local name or the like, in bytes of UTF-8
 * @param maxTableEntries entries in each of the document's tables
 * @param maxTableCharacters characters in each of the document's tables
 * @param maxCharacters what the document would have as XML text, about: names, values and contents with all repetitions
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

    /** 16 MiB as they arrive and 64 Mi characters in 256 levels; 1,048,576 elements of 256 attributes. */
    public static final FastInfosetLimits DEFAULTS =
            new FastInfosetLimits(16 << 20, 256, 1 << 20, 256, 4096, 1 << 16, 4 << 20, 64L << 20);

    /** Fails with IllegalArgumentException, which names the field, its value and its range. */
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
