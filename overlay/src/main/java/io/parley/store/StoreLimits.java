package io.parley.store;

import io.parley.common.internal.Arguments;
import io.parley.store.internal.EntryRows;

/**
 * The limits of an advertisement store. All defaults are finite; sizes are in bytes, of texts in UTF-8. The limits of one entry also apply
 * to own publications that other peers are to find, unless the defaults permit more.
 *
 * @param maxEntries             entries in the store; the owners of the entries, such as publishers, share a full one
 * @param maxBytes               size of all entries including their indexes; the file is larger, because it is rewritten in large
 *     blocks
 * @param maxTypeBytes           size of a type
 * @param maxNameBytes           size of the name in a key
 * @param maxAttributes          attributes of one entry
 * @param maxAttributeNameBytes  size of the name of an attribute
 * @param maxAttributeValueBytes size of the value of an attribute
 * @param maxDocumentBytes       size of a document
 * @param maxResults             maximum number of results of one search, independent of its own limit
 * @param maxScannedRows         index rows that one search reads
 * @param maxCorruptFiles        corrupt files that are retained for inspection; the oldest are deleted
 * @param cacheBytes             memory for pages of the file; a store in memory does not use it
 * @param maxHeapBytes           size of a store in memory, which has no file, including the memory of its rows; {@code maxBytes}
 *     applies as well
 */
public record StoreLimits(
        int maxEntries,
        long maxBytes,
        int maxTypeBytes,
        int maxNameBytes,
        int maxAttributes,
        int maxAttributeNameBytes,
        int maxAttributeValueBytes,
        int maxDocumentBytes,
        int maxResults,
        int maxScannedRows,
        int maxCorruptFiles,
        long cacheBytes,
        long maxHeapBytes) {

    private static final int MIB = 1024 * 1024;

    /**
     * The defaults: 200,000 entries in 256 MiB, without a file in a sixteenth of the maximum heap size; documents of 64 KiB, 16 MiB of
     * cache.
     */
    public static final StoreLimits DEFAULTS = new StoreLimits(
            200_000,
            256L * MIB,
            128,
            256,
            32,
            64,
            1024,
            64 * 1024,
            1000,
            20_000,
            3,
            16L * MIB,
            Math.max(4L * MIB, Runtime.getRuntime().maxMemory() / 16));

    /** Keeps a row far below the capacity of a page of the file. */
    private static final int MAX_TEXT_BYTES = 16 * 1024;

    private static final int MAX_DOCUMENT_BYTES = 16 * MIB;
    private static final int MAX_ATTRIBUTES = 1024;

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public StoreLimits {
        Arguments.requireRange("maxTypeBytes", maxTypeBytes, 1, MAX_TEXT_BYTES);
        Arguments.requireRange("maxNameBytes", maxNameBytes, 1, MAX_TEXT_BYTES);
        Arguments.requireRange("maxAttributes", maxAttributes, 0, MAX_ATTRIBUTES);
        Arguments.requireRange("maxAttributeNameBytes", maxAttributeNameBytes, 1, MAX_TEXT_BYTES);
        Arguments.requireRange("maxAttributeValueBytes", maxAttributeValueBytes, 1, MAX_TEXT_BYTES);
        Arguments.requireRange("maxDocumentBytes", maxDocumentBytes, 0, MAX_DOCUMENT_BYTES);
        Arguments.requireRange("maxEntries", maxEntries, 1, Integer.MAX_VALUE);
        Arguments.requireRange("maxResults", maxResults, 1, Integer.MAX_VALUE);
        Arguments.requireRange("maxScannedRows", maxScannedRows, 1, Integer.MAX_VALUE);
        Arguments.requireRange("maxCorruptFiles", maxCorruptFiles, 0, 1000);
        Arguments.requireRange("cacheBytes", cacheBytes, MIB, 1024L * MIB);
        long largest = EntryRows.maxBytes(
                maxTypeBytes,
                maxNameBytes,
                maxAttributes,
                maxAttributeNameBytes,
                maxAttributeValueBytes,
                maxDocumentBytes);
        Arguments.requireRange("maxBytes", maxBytes, largest, Long.MAX_VALUE);
        Arguments.requireRange("maxHeapBytes", maxHeapBytes, largest, Long.MAX_VALUE);
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link StoreLimits}. Not thread-safe. */
    public static final class Builder {

        private int maxEntries;
        private long maxBytes;
        private int maxTypeBytes;
        private int maxNameBytes;
        private int maxAttributes;
        private int maxAttributeNameBytes;
        private int maxAttributeValueBytes;
        private int maxDocumentBytes;
        private int maxResults;
        private int maxScannedRows;
        private int maxCorruptFiles;
        private long cacheBytes;
        private long maxHeapBytes;

        private Builder(StoreLimits values) {
            this.maxEntries = values.maxEntries;
            this.maxBytes = values.maxBytes;
            this.maxTypeBytes = values.maxTypeBytes;
            this.maxNameBytes = values.maxNameBytes;
            this.maxAttributes = values.maxAttributes;
            this.maxAttributeNameBytes = values.maxAttributeNameBytes;
            this.maxAttributeValueBytes = values.maxAttributeValueBytes;
            this.maxDocumentBytes = values.maxDocumentBytes;
            this.maxResults = values.maxResults;
            this.maxScannedRows = values.maxScannedRows;
            this.maxCorruptFiles = values.maxCorruptFiles;
            this.cacheBytes = values.cacheBytes;
            this.maxHeapBytes = values.maxHeapBytes;
        }

        /** Sets {@link StoreLimits#maxEntries()}. */
        public Builder maxEntries(int value) {
            this.maxEntries = value;
            return this;
        }

        /** Sets {@link StoreLimits#maxBytes()}. */
        public Builder maxBytes(long value) {
            this.maxBytes = value;
            return this;
        }

        /** Sets {@link StoreLimits#maxTypeBytes()}. */
        public Builder maxTypeBytes(int value) {
            this.maxTypeBytes = value;
            return this;
        }

        /** Sets {@link StoreLimits#maxNameBytes()}. */
        public Builder maxNameBytes(int value) {
            this.maxNameBytes = value;
            return this;
        }

        /** Sets {@link StoreLimits#maxAttributes()}. */
        public Builder maxAttributes(int value) {
            this.maxAttributes = value;
            return this;
        }

        /** Sets {@link StoreLimits#maxAttributeNameBytes()}. */
        public Builder maxAttributeNameBytes(int value) {
            this.maxAttributeNameBytes = value;
            return this;
        }

        /** Sets {@link StoreLimits#maxAttributeValueBytes()}. */
        public Builder maxAttributeValueBytes(int value) {
            this.maxAttributeValueBytes = value;
            return this;
        }

        /** Sets {@link StoreLimits#maxDocumentBytes()}. */
        public Builder maxDocumentBytes(int value) {
            this.maxDocumentBytes = value;
            return this;
        }

        /** Sets {@link StoreLimits#maxResults()}. */
        public Builder maxResults(int value) {
            this.maxResults = value;
            return this;
        }

        /** Sets {@link StoreLimits#maxScannedRows()}. */
        public Builder maxScannedRows(int value) {
            this.maxScannedRows = value;
            return this;
        }

        /** Sets {@link StoreLimits#maxCorruptFiles()}. */
        public Builder maxCorruptFiles(int value) {
            this.maxCorruptFiles = value;
            return this;
        }

        /** Sets {@link StoreLimits#cacheBytes()}. */
        public Builder cacheBytes(long value) {
            this.cacheBytes = value;
            return this;
        }

        /** Sets {@link StoreLimits#maxHeapBytes()}. */
        public Builder maxHeapBytes(long value) {
            this.maxHeapBytes = value;
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public StoreLimits build() {
            return new StoreLimits(
                    maxEntries,
                    maxBytes,
                    maxTypeBytes,
                    maxNameBytes,
                    maxAttributes,
                    maxAttributeNameBytes,
                    maxAttributeValueBytes,
                    maxDocumentBytes,
                    maxResults,
                    maxScannedRows,
                    maxCorruptFiles,
                    cacheBytes,
                    maxHeapBytes);
        }
    }
}
