package io.parley.store.internal;

import io.parley.id.GroupId;
import io.parley.store.ValuePattern;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The criteria of a search: the group, and optionally a type and an attribute. Immutable.
 *
 * @param group     the group
 * @param type      the type, or {@code null} for all; a search with a type is cheaper
 * @param attribute the name of an attribute, or {@code null} for any attributes
 * @param value     the pattern of the attribute's value; ignored without an attribute
 */
public record StoreQuery(
        GroupId group, @Nullable String type, @Nullable String attribute, ValuePattern value) {

    /** @throws IllegalArgumentException if a text is empty, not well-formed Unicode or has U+0000 */
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

    /** Returns a query for all entries of a group. */
    public static StoreQuery of(GroupId group) {
        return new StoreQuery(group, null, null, ValuePattern.any());
    }

    /** Returns a query for all entries of a group and type. */
    public static StoreQuery of(GroupId group, String type) {
        return new StoreQuery(group, type, null, ValuePattern.any());
    }

    /** Returns a copy that requires an attribute with a matching value. */
    public StoreQuery with(String name, ValuePattern pattern) {
        return new StoreQuery(group, type, name, pattern);
    }

    /** Returns a copy that requires an attribute with a value that matches a pattern as text: see {@link ValuePattern#parse}. */
    public StoreQuery with(String name, String pattern) {
        return with(name, ValuePattern.parse(pattern));
    }

    /** Returns whether an entry of the right group and type matches. */
    boolean matches(StoreEntry entry) {
        return attribute == null
                || entry.attributes().stream()
                        .anyMatch(candidate -> candidate.name().equals(attribute)
                                && !candidate.value().isEmpty()
                                && value.matches(candidate.value()));
    }
}
