package io.parley.store;

import io.parley.store.internal.StoreText;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pattern for the value of an attribute. The syntax is JXTA's: {@code abc} matches exactly, {@code abc*} matches a prefix,
 * {@code *abc} a suffix, {@code *abc*} a substring, {@code *} any value. A star between two texts is a wildcard too, which JXTA
 * left undefined. Matching is case-sensitive. A question mark has no special meaning. Only {@link #exactly} matches a literal
 * star. Immutable.
 */
public final class ValuePattern {

    /** The maximum length in characters, because peers receive patterns from other peers and match them against many values. */
    public static final int MAX_LENGTH = 1024;

    private static final ValuePattern ANY = new ValuePattern(List.of("", ""));

    /** The texts before, between and after the stars; a single text must equal the whole value. */
    private final List<String> parts;

    private ValuePattern(List<String> parts) {
        this.parts = parts;
    }

    /** Returns the pattern that matches any value. */
    public static ValuePattern any() {
        return ANY;
    }

    /**
     * Returns the pattern that matches one value, in which stars are literal. An empty value matches nothing, because empty values
     * are not indexed.
     *
     * @throws IllegalArgumentException if the value is too long, not well-formed Unicode or has U+0000
     */
    public static ValuePattern exactly(String value) {
        check(value);
        return new ValuePattern(List.of(value));
    }

    /**
     * Parses a pattern with stars. An empty pattern matches any value, as in JXTA.
     *
     * @throws IllegalArgumentException if the pattern is too long, not well-formed Unicode or has U+0000
     */
    public static ValuePattern parse(String pattern) {
        check(pattern);
        if (pattern.isEmpty()) {
            return ANY;
        }
        List<String> parts = new ArrayList<>();
        int start = 0;
        for (int star = pattern.indexOf('*'); star >= 0; star = pattern.indexOf('*', start)) {
            if (parts.isEmpty() || star > start) {
                parts.add(pattern.substring(start, star)); // consecutive stars count as one
            }
            start = star + 1;
        }
        parts.add(pattern.substring(start));
        return new ValuePattern(List.copyOf(parts));
    }

    private static void check(String text) {
        if (text.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "pattern: " + text.length() + " characters (expected: <= " + MAX_LENGTH + ")");
        }
        StoreText.check("pattern", text);
    }

    /** Returns whether only one value matches, which is then the {@link #text}. */
    public boolean isExact() {
        return parts.size() == 1;
    }

    /** Returns the prefix of all matching values. */
    public String prefix() {
        return parts.get(0);
    }

    /** Returns the text from which {@link #parse}, or {@link #exactly} if it {@link #isExact}, creates an equal pattern. */
    public String text() {
        return String.join("*", parts);
    }

    /** Returns whether a value matches. Always compares the whole value, including the prefix. */
    public boolean matches(String value) {
        String first = parts.get(0);
        if (parts.size() == 1) {
            return value.equals(first);
        }
        String last = parts.get(parts.size() - 1);
        int end = value.length() - last.length();
        if (first.length() > end || !value.startsWith(first) || !value.endsWith(last)) {
            return false;
        }
        // The leftmost match of each part leaves the most room for the parts after it.
        int from = first.length();
        for (String part : parts.subList(1, parts.size() - 1)) {
            int at = value.indexOf(part, from);
            if (at < 0 || at + part.length() > end) {
                return false;
            }
            from = at + part.length();
        }
        return true;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ValuePattern that && parts.equals(that.parts);
    }

    @Override
    public int hashCode() {
        return parts.hashCode();
    }

    @Override
    public String toString() {
        return text();
    }
}
