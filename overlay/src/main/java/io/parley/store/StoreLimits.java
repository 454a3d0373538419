package io.parley.store;

import io.parley.common.internal.Arguments;
import io.parley.store.internal.EntryRows;
import io.parley.store.internal.StoreKey;

/**
 * Every bound on what others can make a store hold or do. All defaults are finite; sizes are bytes, of text as UTF-8.
 *
 * @param maxEntries             entries in the store
 * @param maxBytes               all entries with their indexes; the file is larger, as it is rewritten in large pieces
 * @param maxTypeBytes           a type
 * @param maxNameBytes           the name in a {@link StoreKey}
 * @param maxAttributes          attributes of one entry
 * @param maxAttributeNameBytes  the name of an attribute
 * @param maxAttributeValueBytes the value of an attribute
 * @param maxDocumentBytes       a document
 * @param maxResults             entries that one search returns, whatever it asks for
 * @param maxScannedRows         rows of an index that one search looks at
 * @param maxDamagedFiles        damaged files that are kept for somebody to look at; the oldest are deleted
 * @param cacheBytes             memory for pages of the file; the store in memory needs none
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
        int maxDamagedFiles,
        long cacheBytes) {

    private static final int MIB = 1024 * 1024;

    /** The defaults: 200,000 entries in 256 MiB, documents of 64 KiB, 16 MiB of cache. */
    public static final StoreLimits DEFAULTS =
            new StoreLimits(200_000, 256L * MIB, 128, 256, 32, 64, 1024, 64 * 1024, 1000, 20_000, 3, 16L * MIB);

    /** Keeps a row far below what a page of the file can hold. */
    private static final int MAX_TEXT_BYTES = 16 * 1024;

    private static final int MAX_DOCUMENT_BYTES = 16 * MIB;
    private static final int MAX_ATTRIBUTES = 1024;

    /** @throws IllegalArgumentException naming the limit, its value and its range */
    public StoreLimits {
        Arguments.range("maxTypeBytes", maxTypeBytes, 1, MAX_TEXT_BYTES);
        Arguments.range("maxNameBytes", maxNameBytes, 1, MAX_TEXT_BYTES);
        Arguments.range("maxAttributes", maxAttributes, 0, MAX_ATTRIBUTES);
        Arguments.range("maxAttributeNameBytes", maxAttributeNameBytes, 1, MAX_TEXT_BYTES);
        Arguments.range("maxAttributeValueBytes", maxAttributeValueBytes, 1, MAX_TEXT_BYTES);
        Arguments.range("maxDocumentBytes", maxDocumentBytes, 0, MAX_DOCUMENT_BYTES);
        Arguments.range("maxEntries", maxEntries, 1, Integer.MAX_VALUE);
        Arguments.range("maxResults", maxResults, 1, Integer.MAX_VALUE);
        Arguments.range("maxScannedRows", maxScannedRows, 1, Integer.MAX_VALUE);
        Arguments.range("maxDamagedFiles", maxDamagedFiles, 0, 1000);
        Arguments.range("cacheBytes", cacheBytes, MIB, 1024L * MIB);
        long largest = EntryRows.maxBytes(
                maxTypeBytes,
                maxNameBytes,
                maxAttributes,
                maxAttributeNameBytes,
                maxAttributeValueBytes,
                maxDocumentBytes);
        Arguments.range("maxBytes", maxBytes, largest, Long.MAX_VALUE);
    }

    /** A copy with another {@link #maxEntries()}. */
    public StoreLimits withMaxEntries(int value) {
        return new StoreLimits(
                value,
                maxBytes,
                maxTypeBytes,
                maxNameBytes,
                maxAttributes,
                maxAttributeNameBytes,
                maxAttributeValueBytes,
                maxDocumentBytes,
                maxResults,
                maxScannedRows,
                maxDamagedFiles,
                cacheBytes);
    }

    /** A copy with another {@link #maxBytes()}. */
    public StoreLimits withMaxBytes(long value) {
        return new StoreLimits(
                maxEntries,
                value,
                maxTypeBytes,
                maxNameBytes,
                maxAttributes,
                maxAttributeNameBytes,
                maxAttributeValueBytes,
                maxDocumentBytes,
                maxResults,
                maxScannedRows,
                maxDamagedFiles,
                cacheBytes);
    }

    /** A copy with another {@link #maxResults()} and {@link #maxScannedRows()}. */
    public StoreLimits withSearch(int results, int scannedRows) {
        return new StoreLimits(
                maxEntries,
                maxBytes,
                maxTypeBytes,
                maxNameBytes,
                maxAttributes,
                maxAttributeNameBytes,
                maxAttributeValueBytes,
                maxDocumentBytes,
                results,
                scannedRows,
                maxDamagedFiles,
                cacheBytes);
    }

    /** A copy with another {@link #maxDamagedFiles()}. */
    public StoreLimits withMaxDamagedFiles(int value) {
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
                value,
                cacheBytes);
    }
}
