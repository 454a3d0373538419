package io.parley.advertisement;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * What an advertisement may be. Those of others are checked against it when they arrive, one's own when they are written
 * and signed.
 *
 * @param maxDocumentBytes the XML document in bytes, 1 to 16,777,216
 * @param maxElements elements in the document, 1 to 1,000,000
 * @param maxDepth elements inside each other, the root included, 1 to 256
 * @param maxAttributes attributes of one element, 0 to 1,000
 * @param maxIndexed what an advertisement can be found by: how many name-value pairs, 0 to 1,000
 * @param maxIndexedChars the length of such a value, and of the key, 1 to 65,536
 * @param maxLifetime how long the publisher may keep it, 1 ms to 3,650 days
 * @param maxExpiration how long others may keep it, 1 ms to 3,650 days
 * @param maxClockSkew how far its time of issue may lie in the future, 0 to 1 day
 */
public record AdvertisementLimits(
        int maxDocumentBytes,
        int maxElements,
        int maxDepth,
        int maxAttributes,
        int maxIndexed,
        int maxIndexedChars,
        Duration maxLifetime,
        Duration maxExpiration,
        Duration maxClockSkew) {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(3650);

    /**
     * Documents of 64 KiB with 2,048 elements, 32 deep, 16 attributes each; 64 values of 4,096 characters to be found
     * by; lifetime and expiration of 14 days, the longest that JXTA gives to others by default; clocks that differ by
     * 5 minutes.
     */
    public static final AdvertisementLimits DEFAULTS = new AdvertisementLimits(
            64 << 10, 2048, 32, 16, 64, 4096, Duration.ofDays(14), Duration.ofDays(14), Duration.ofMinutes(5));

    /** Fails with IllegalArgumentException, which names the field, its value and its range. */
    public AdvertisementLimits {
        Arguments.range("maxDocumentBytes", maxDocumentBytes, 1, 16 << 20);
        Arguments.range("maxElements", maxElements, 1, 1_000_000);
        Arguments.range("maxDepth", maxDepth, 1, 256);
        Arguments.range("maxAttributes", maxAttributes, 0, 1000);
        Arguments.range("maxIndexed", maxIndexed, 0, 1000);
        Arguments.range("maxIndexedChars", maxIndexedChars, 1, 65_536);
        Arguments.range("maxLifetime", maxLifetime, SHORTEST, LONGEST);
        Arguments.range("maxExpiration", maxExpiration, SHORTEST, LONGEST);
        Arguments.range("maxClockSkew", maxClockSkew, Duration.ZERO, Duration.ofDays(1));
    }

    /** A copy with another {@link #maxDocumentBytes()}. */
    public AdvertisementLimits withMaxDocumentBytes(int newMaxDocumentBytes) {
        return new AdvertisementLimits(
                newMaxDocumentBytes,
                maxElements,
                maxDepth,
                maxAttributes,
                maxIndexed,
                maxIndexedChars,
                maxLifetime,
                maxExpiration,
                maxClockSkew);
    }

    /** A copy with another {@link #maxElements()}. */
    public AdvertisementLimits withMaxElements(int newMaxElements) {
        return new AdvertisementLimits(
                maxDocumentBytes,
                newMaxElements,
                maxDepth,
                maxAttributes,
                maxIndexed,
                maxIndexedChars,
                maxLifetime,
                maxExpiration,
                maxClockSkew);
    }

    /** A copy with another {@link #maxDepth()}. */
    public AdvertisementLimits withMaxDepth(int newMaxDepth) {
        return new AdvertisementLimits(
                maxDocumentBytes,
                maxElements,
                newMaxDepth,
                maxAttributes,
                maxIndexed,
                maxIndexedChars,
                maxLifetime,
                maxExpiration,
                maxClockSkew);
    }

    /** A copy with another {@link #maxAttributes()}. */
    public AdvertisementLimits withMaxAttributes(int newMaxAttributes) {
        return new AdvertisementLimits(
                maxDocumentBytes,
                maxElements,
                maxDepth,
                newMaxAttributes,
                maxIndexed,
                maxIndexedChars,
                maxLifetime,
                maxExpiration,
                maxClockSkew);
    }

    /** A copy with another {@link #maxIndexed()}. */
    public AdvertisementLimits withMaxIndexed(int newMaxIndexed) {
        return new AdvertisementLimits(
                maxDocumentBytes,
                maxElements,
                maxDepth,
                maxAttributes,
                newMaxIndexed,
                maxIndexedChars,
                maxLifetime,
                maxExpiration,
                maxClockSkew);
    }

    /** A copy with another {@link #maxIndexedChars()}. */
    public AdvertisementLimits withMaxIndexedChars(int newMaxIndexedChars) {
        return new AdvertisementLimits(
                maxDocumentBytes,
                maxElements,
                maxDepth,
                maxAttributes,
                maxIndexed,
                newMaxIndexedChars,
                maxLifetime,
                maxExpiration,
                maxClockSkew);
    }

    /** A copy with another {@link #maxLifetime()}. */
    public AdvertisementLimits withMaxLifetime(Duration newMaxLifetime) {
        return new AdvertisementLimits(
                maxDocumentBytes,
                maxElements,
                maxDepth,
                maxAttributes,
                maxIndexed,
                maxIndexedChars,
                newMaxLifetime,
                maxExpiration,
                maxClockSkew);
    }

    /** A copy with another {@link #maxExpiration()}. */
    public AdvertisementLimits withMaxExpiration(Duration newMaxExpiration) {
        return new AdvertisementLimits(
                maxDocumentBytes,
                maxElements,
                maxDepth,
                maxAttributes,
                maxIndexed,
                maxIndexedChars,
                maxLifetime,
                newMaxExpiration,
                maxClockSkew);
    }

    /** A copy with another {@link #maxClockSkew()}. */
    public AdvertisementLimits withMaxClockSkew(Duration newMaxClockSkew) {
        return new AdvertisementLimits(
                maxDocumentBytes,
                maxElements,
                maxDepth,
                maxAttributes,
                maxIndexed,
                maxIndexedChars,
                maxLifetime,
                maxExpiration,
                newMaxClockSkew);
    }
}
