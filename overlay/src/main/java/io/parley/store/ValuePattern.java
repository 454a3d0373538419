package io.parley.store;

import io.parley.store.internal.StoreText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which values of an attribute are wanted. The stars are JXTA's: {@code abc} exactly, {@code abc*} what begins so,
 * {@code *abc} what ends so, {@code *abc*} what contains it, {@code *} any. A star between two texts is a wildcard too,
 * which JXTA had no sensible answer to. Upper and lower case differ, a question mark is a character like any other, and
 * there is no way to ask for a star but {@link #exactly}. Immutable.
 */
public final class ValuePattern {

    /** The longest pattern in characters: others send them, and each value that is looked at costs that much. */
    public static final int MAX_LENGTH = 1024;

    private static final ValuePattern ANY = new ValuePattern(List.of("", ""));

    /** The texts before, between and after the stars; a single one has to be the whole value. */
    private final List<String> pieces;

    private ValuePattern(List<String> pieces) {
        this.pieces = pieces;
    }

    /** Any value. */
    public static ValuePattern any() {
        return ANY;
    }

    /**
     * That value, stars and all. As empty values are not indexed, an empty one matches nothing.
     *
     * @throws IllegalArgumentException when it is too long, not well-formed Unicode or has U+0000
     */
    public static ValuePattern exactly(String value) {
        check(value);
        return new ValuePattern(List.of(value));
    }

    /**
     * A pattern with stars. An empty one means any value, as in JXTA.
     *
     * @throws IllegalArgumentException when it is too long, not well-formed Unicode or has U+0000
     */
    public static ValuePattern parse(String pattern) {
        check(pattern);
        if (pattern.isEmpty()) {
            return ANY;
        }
        List<String> pieces = new ArrayList<>();
        int start = 0;
        for (int star = pattern.indexOf('*'); star >= 0; star = pattern.indexOf('*', start)) {
            if (pieces.isEmpty() || star > start) {
                pieces.add(pattern.substring(start, star)); // of stars in a row the first counts
            }
            start = star + 1;
        }
        pieces.add(pattern.substring(start));
        return new ValuePattern(List.copyOf(pieces));
    }

    private static void check(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "pattern: " + text.length() + " characters (expected: <= " + MAX_LENGTH + ")");
        }
        StoreText.check("pattern", text);
    }

    /** Whether only one value matches, which is then the {@link #text}. */
    public boolean isExact() {
        return pieces.size() == 1;
    }

    /** What every value that matches begins with. */
    public String prefix() {
        return pieces.get(0);
    }

    /** What {@link #exactly} or, unless it {@link #isExact}, {@link #parse} makes an equal pattern of. */
    public String text() {
        return String.join("*", pieces);
    }

    /** Whether the value matches. Where the prefix is known to, this still looks at all of it. */
    public boolean matches(String value) {
        String first = pieces.get(0);
        if (pieces.size() == 1) {
            return value.equals(first);
        }
        String last = pieces.get(pieces.size() - 1);
        int end = value.length() - last.length();
        if (first.length() > end || !value.startsWith(first) || !value.endsWith(last)) {
            return false;
        }
        // The leftmost place for each piece leaves the most room for those after it.
        int from = first.length();
        for (String piece : pieces.subList(1, pieces.size() - 1)) {
            int at = value.indexOf(piece, from);
            if (at < 0 || at + piece.length() > end) {
                return false;
            }
            from = at + piece.length();
        }
        return true;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ValuePattern that && pieces.equals(that.pieces);
    }

    @Override
    public int hashCode() {
        return pieces.hashCode();
    }

    @Override
    public String toString() {
        return text();
    }
}
