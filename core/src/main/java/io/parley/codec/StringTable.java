package io.parley.codec;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The strings that a message lists once and then names by id, on the writer's side. Ids 0 and 1 are the implied
 * namespaces "" and "jxta". Few messages list more than a handful, for which a plain search beats a map.
 */
final class StringTable {
    /** What {@link #id} says of a string that is not in the table. */
    static final int ABSENT = -1;

    private static final int SEARCHED = 8;

    private static final String[] NONE = {};

    private String[] listed = NONE;
    private int size;
    /** The strings from index {@link #SEARCHED} on, once there are such. */
    private Map<String, Integer> indexes = Map.of();

    /** The id of a string, or {@link #ABSENT}. */
    int id(String string) {
        if (string.equals(BinaryFormat.NAMESPACE_0)) {
            return 0;
        }
        if (string.equals(BinaryFormat.NAMESPACE_1)) {
            return 1;
        }
        for (int i = 0; i < Math.min(size, SEARCHED); i++) {
            if (listed[i].equals(string)) {
                return BinaryFormat.FIRST_LISTED_ID + i;
            }
        }
        Integer index = size <= SEARCHED ? null : indexes.get(string);
        return index == null ? ABSENT : BinaryFormat.FIRST_LISTED_ID + index;
    }

    /** Lists the string unless it is listed or implied. */
    void add(String string) {
        if (id(string) != ABSENT) {
            return;
        }
        if (size == listed.length) {
            listed = Arrays.copyOf(listed, size * 2 + 2);
        }
        if (size >= SEARCHED) {
            indexes = size == SEARCHED ? new HashMap<>() : indexes;
            indexes.put(string, size);
        }
        listed[size++] = string;
    }

    /** How many strings are listed, without the implied ones. */
    int size() {
        return size;
    }

    /** The listed string at an index from 0. */
    String get(int index) {
        return listed[index];
    }
}
