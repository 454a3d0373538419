package io.parley.advertisement;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The limits of an advertisement. They apply to received advertisements on arrival and to own advertisements when they are
 * encoded and signed.
 *
 * @param maxDocumentBytes size of the XML document in bytes, 1 to 16,777,216
 * @param maxElements elements in the document, 1 to 1,000,000
 * @param maxDepth nesting depth of elements, including the root, 1 to 256
 * @param maxAttributes XML attributes of one element, besides {@code xmlns:jxta} and {@code xml:space}, 0 to 1,000
 * @param maxIndexed searchable attributes of an advertisement, 0 to 1,000
 * @param maxIndexedChars length of the value of such an attribute and of the key, in characters, 1 to 65,536
 * @param maxLifetime validity at the publisher, 1 ms to 3,650 days
 * @param maxExpiration caching time at other peers, 1 ms to 3,650 days
 * @param maxClockSkew tolerance for a time of issue in the future, 0 to 1 day
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
     * Documents of 64 KiB with 2,048 elements, 32 deep, 16 XML attributes each; 64 searchable attributes of 4,096 characters;
     * lifetime and expiration of 14 days, the longest expiration that JXTA uses by default; 5 minutes of clock skew.
     */
    public static final AdvertisementLimits DEFAULTS = new AdvertisementLimits(
            64 << 10, 2048, 32, 16, 64, 4096, Duration.ofDays(14), Duration.ofDays(14), Duration.ofMinutes(5));

    /** Fails with IllegalArgumentException, which names the limit, its value and its range. */
    public AdvertisementLimits {
        Arguments.requireRange("maxDocumentBytes", maxDocumentBytes, 1, 16 << 20);
        Arguments.requireRange("maxElements", maxElements, 1, 1_000_000);
        Arguments.requireRange("maxDepth", maxDepth, 1, 256);
        Arguments.requireRange("maxAttributes", maxAttributes, 0, 1000);
        Arguments.requireRange("maxIndexed", maxIndexed, 0, 1000);
        Arguments.requireRange("maxIndexedChars", maxIndexedChars, 1, 65_536);
        Arguments.requireRange("maxLifetime", maxLifetime, SHORTEST, LONGEST);
        Arguments.requireRange("maxExpiration", maxExpiration, SHORTEST, LONGEST);
        Arguments.requireRange("maxClockSkew", maxClockSkew, Duration.ZERO, Duration.ofDays(1));
    }

    /** Returns a builder with these values. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** Builds {@link AdvertisementLimits}. Not thread-safe. */
    public static final class Builder {

        private int maxDocumentBytes;
        private int maxElements;
        private int maxDepth;
        private int maxAttributes;
        private int maxIndexed;
        private int maxIndexedChars;
        private Duration maxLifetime;
        private Duration maxExpiration;
        private Duration maxClockSkew;

        private Builder(AdvertisementLimits values) {
            this.maxDocumentBytes = values.maxDocumentBytes;
            this.maxElements = values.maxElements;
            this.maxDepth = values.maxDepth;
            this.maxAttributes = values.maxAttributes;
            this.maxIndexed = values.maxIndexed;
            this.maxIndexedChars = values.maxIndexedChars;
            this.maxLifetime = values.maxLifetime;
            this.maxExpiration = values.maxExpiration;
            this.maxClockSkew = values.maxClockSkew;
        }

        /** Sets {@link AdvertisementLimits#maxDocumentBytes()}. */
        public Builder maxDocumentBytes(int value) {
            this.maxDocumentBytes = value;
            return this;
        }

        /** Sets {@link AdvertisementLimits#maxElements()}. */
        public Builder maxElements(int value) {
            this.maxElements = value;
            return this;
        }

        /** Sets {@link AdvertisementLimits#maxDepth()}. */
        public Builder maxDepth(int value) {
            this.maxDepth = value;
            return this;
        }

        /** Sets {@link AdvertisementLimits#maxAttributes()}. */
        public Builder maxAttributes(int value) {
            this.maxAttributes = value;
            return this;
        }

        /** Sets {@link AdvertisementLimits#maxIndexed()}. */
        public Builder maxIndexed(int value) {
            this.maxIndexed = value;
            return this;
        }

        /** Sets {@link AdvertisementLimits#maxIndexedChars()}. */
        public Builder maxIndexedChars(int value) {
            this.maxIndexedChars = value;
            return this;
        }

        /** Sets {@link AdvertisementLimits#maxLifetime()}. */
        public Builder maxLifetime(Duration value) {
            this.maxLifetime = value;
            return this;
        }

        /** Sets {@link AdvertisementLimits#maxExpiration()}. */
        public Builder maxExpiration(Duration value) {
            this.maxExpiration = value;
            return this;
        }

        /** Sets {@link AdvertisementLimits#maxClockSkew()}. */
        public Builder maxClockSkew(Duration value) {
            this.maxClockSkew = value;
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException naming the limit, its value and its range
         */
        public AdvertisementLimits build() {
            return new AdvertisementLimits(
                    maxDocumentBytes,
                    maxElements,
                    maxDepth,
                    maxAttributes,
                    maxIndexed,
                    maxIndexedChars,
                    maxLifetime,
                    maxExpiration,
                    maxClockSkew);
        }
    }
}
