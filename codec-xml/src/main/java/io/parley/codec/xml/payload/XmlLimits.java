package io.parley.codec.xml.payload;

import io.parley.common.internal.Arguments;

/**
 * What an XML document in an element may cost. Readers fail with LIMIT_EXCEEDED at what goes beyond; writers fail with
 * MESSAGE_TOO_LARGE, so that the error appears where the mistake was made.
 *
 * @param maxBytes the size of the element's content in bytes, 1 to 2^31 - 9
 * @param maxDepth elements inside each other, 1 to 1000
 * @param maxAttributes attributes and namespace declarations of one element, 0 to 10000
 * @param maxNameChars the length in chars of a name, a prefix or a namespace, 1 to 65535
 * @param maxCharacters chars of all names, values and text together that a reader hands out, 0 or more; the binary form
 *     may repeat a long string by naming it
 */
public record XmlLimits(int maxBytes, int maxDepth, int maxAttributes, int maxNameChars, long maxCharacters) {

    /** What holds unless something else is configured: 16 MiB, depth 256, 256 attributes, names of 1000, 64 Mi chars. */
    public static final XmlLimits DEFAULTS = new XmlLimits(16 << 20, 256, 256, 1000, 64L << 20);

    private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

    /** Fails with IllegalArgumentException, which names the field, its value and its range. */
    public XmlLimits {
        Arguments.range("maxBytes", maxBytes, 1, MAX_BYTES);
        Arguments.range("maxDepth", maxDepth, 1, 1000);
        Arguments.range("maxAttributes", maxAttributes, 0, 10_000);
        Arguments.range("maxNameChars", maxNameChars, 1, 0xFFFF);
        Arguments.range("maxCharacters", maxCharacters, 0, Long.MAX_VALUE);
    }

    public XmlLimits withMaxBytes(int newMaxBytes) {
        return new XmlLimits(newMaxBytes, maxDepth, maxAttributes, maxNameChars, maxCharacters);
    }

    public XmlLimits withMaxDepth(int newMaxDepth) {
        return new XmlLimits(maxBytes, newMaxDepth, maxAttributes, maxNameChars, maxCharacters);
    }

    public XmlLimits withMaxAttributes(int newMaxAttributes) {
        return new XmlLimits(maxBytes, maxDepth, newMaxAttributes, maxNameChars, maxCharacters);
    }

    public XmlLimits withMaxNameChars(int newMaxNameChars) {
        return new XmlLimits(maxBytes, maxDepth, maxAttributes, newMaxNameChars, maxCharacters);
    }

    public XmlLimits withMaxCharacters(long newMaxCharacters) {
        return new XmlLimits(maxBytes, maxDepth, maxAttributes, maxNameChars, newMaxCharacters);
    }
}
