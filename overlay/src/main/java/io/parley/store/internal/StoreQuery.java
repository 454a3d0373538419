package io.parley.store.internal;

import io.parley.id.GroupId;
import io.parley.store.ValuePattern;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is looked for: entries of a group, of one type or all, with a certain attribute or any. Immutable.
 *
 * @param group     the group
 * @param type      the type, or {@code null} for all; naming it is cheaper
 * @param attribute the name of an attribute, or {@code null} when attributes do not matter
 * @param value     what the attribute's value must match; without an attribute it does not count
 */
public record StoreQuery(
        GroupId group, @Nullable String type, @Nullable String attribute, ValuePattern value) {

    /** @throws IllegalArgumentException when a text is empty, not well-formed Unicode or has U+0000 */
    public StoreQuery {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(value, "value");
        if (type != null) {
            StoreText.checkNotEmpty("type", type);
        }
        if (attribute != null) {
            StoreText.checkNotEmpty("attribute", attribute);
        }
    }

    /** All entries of a group. */
    public static StoreQuery of(GroupId group) {
        return new StoreQuery(group, null, null, ValuePattern.any());
    }

    /** All entries of a group that have that type. */
    public static StoreQuery of(GroupId group, String type) {
        return new StoreQuery(group, type, null, ValuePattern.any());
    }

    /** Of these, the ones with an attribute of that name and a value that matches. */
    public StoreQuery with(String name, ValuePattern pattern) {
        return new StoreQuery(group, type, name, pattern);
    }

    /** Same, with the pattern as text: see {@link ValuePattern#parse}. */
    public StoreQuery with(String name, String pattern) {
        return with(name, ValuePattern.parse(pattern));
    }

    /** Whether the entry, of the right group and type, has what is asked for. */
    boolean matches(StoreEntry entry) {
        return attribute == null
                || entry.attributes().stream()
                        .anyMatch(candidate -> candidate.name().equals(attribute)
                                && !candidate.value().isEmpty()
                                && value.matches(candidate.value()));
    }
}
