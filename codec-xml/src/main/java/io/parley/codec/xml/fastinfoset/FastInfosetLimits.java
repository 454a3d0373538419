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
        Arguments.atLeast("maxBytes", maxBytes, 1);
        Arguments.atLeast("maxDepth", maxDepth, 1);
        Arguments.atLeast("maxElements", maxElements, 1);
        Arguments.atLeast("maxAttributes", maxAttributes, 1);
        Arguments.atLeast("maxNameBytes", maxNameBytes, 1);
        Arguments.atLeast("maxTableEntries", maxTableEntries, 1);
        Arguments.atLeast("maxTableCharacters", maxTableCharacters, 1);
        Arguments.atLeast("maxCharacters", maxCharacters, 1);
    }

    public FastInfosetLimits withMaxBytes(int newMaxBytes) {
        return new FastInfosetLimits(
                newMaxBytes,
                maxDepth,
                maxElements,
                maxAttributes,
                maxNameBytes,
                maxTableEntries,
                maxTableCharacters,
                maxCharacters);
    }

    public FastInfosetLimits withMaxDepth(int newMaxDepth) {
        return new FastInfosetLimits(
                maxBytes,
                newMaxDepth,
                maxElements,
                maxAttributes,
                maxNameBytes,
                maxTableEntries,
                maxTableCharacters,
                maxCharacters);
    }

    public FastInfosetLimits withMaxCharacters(long newMaxCharacters) {
        return new FastInfosetLimits(
                maxBytes,
                maxDepth,
                maxElements,
                maxAttributes,
                maxNameBytes,
                maxTableEntries,
                maxTableCharacters,
                newMaxCharacters);
    }
}
