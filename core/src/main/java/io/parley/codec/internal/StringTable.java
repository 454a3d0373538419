package io.parley.codec.internal;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The table of the strings that an encoder lists once per message and references by id. Ids 0 and 1 are the implicit
 * namespaces "" and "jxta". Most messages list few strings; for these a linear search is faster than a map.
 */
final class StringTable {
    /** The result of {@link #id} for a string that is not in the table. */
    static final int ABSENT = -1;

    private static final int LINEAR_SEARCH_SIZE = 8;

    private static final String[] NONE = {};

    private String[] listed = NONE;
    private int size;
    /** The indexes of the strings from index {@link #LINEAR_SEARCH_SIZE} on. */
    private Map<String, Integer> indexes = Map.of();

    /** Returns the id of a string, or {@link #ABSENT}. */
    int id(String string) {
        if (string.equals(BinaryFormat.NAMESPACE_0)) {
            return 0;
        }
        if (string.equals(BinaryFormat.NAMESPACE_1)) {
            return 1;
        }
        for (int i = 0; i < Math.min(size, LINEAR_SEARCH_SIZE); i++) {
            if (listed[i].equals(string)) {
                return BinaryFormat.FIRST_LISTED_ID + i;
            }
        }
        Integer index = size <= LINEAR_SEARCH_SIZE ? null : indexes.get(string);
        return index == null ? ABSENT : BinaryFormat.FIRST_LISTED_ID + index;
    }

    /** Adds a string unless it is listed or implicit. */
    void add(String string) {
        if (id(string) != ABSENT) {
            return;
        }
        if (size == listed.length) {
            listed = Arrays.copyOf(listed, size * 2 + 2);
        }
        if (size >= LINEAR_SEARCH_SIZE) {
            indexes = size == LINEAR_SEARCH_SIZE ? new HashMap<>() : indexes;
            indexes.put(string, size);
        }
        listed[size++] = string;
    }

    /** Returns the number of listed strings, without the implicit ones. */
    int size() {
        return size;
    }

    /** Returns the listed string at a zero-based index. */
    String get(int index) {
        return listed[index];
    }
}
