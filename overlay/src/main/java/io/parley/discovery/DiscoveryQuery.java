package io.parley.discovery;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementAttribute;
import io.parley.store.ValuePattern;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The criteria of a search in a group: optionally a type and an attribute. Immutable.
 *
 * @param type      such as {@code jxta:PipeAdvertisement}; {@code null} for all
 * @param attribute the name of an attribute, such as {@code Name}; {@code null} for any attributes
 * @param value     the pattern of the attribute's value; ignored without an attribute
 */
public record DiscoveryQuery(
        @Nullable String type, @Nullable String attribute, ValuePattern value) {

    /** Fails with IllegalArgumentException if a name is empty. */
    public DiscoveryQuery {
        Objects.requireNonNull(value, "value");
        if (type != null && type.isEmpty()) {
            throw new IllegalArgumentException("type: empty (expected: a name, or null for all)");
        }
        if (attribute != null && attribute.isEmpty()) {
            throw new IllegalArgumentException("attribute: empty (expected: a name, or null for any)");
        }
    }

    /** Returns a query for all advertisements. */
    public static DiscoveryQuery any() {
        return new DiscoveryQuery(null, null, ValuePattern.any());
    }

    /** Returns a query for all advertisements of one type. */
    public static DiscoveryQuery of(String type) {
        return new DiscoveryQuery(type, null, ValuePattern.any());
    }

    /**
     * Returns a copy that requires an attribute with a matching value. A pattern that this query has for the attribute is replaced.
     *
     * @throws IllegalArgumentException if this query requires another attribute, because a query has at most one
     */
    public DiscoveryQuery with(String name, ValuePattern pattern) {
        if (attribute != null && !attribute.equals(name)) {
            throw new IllegalArgumentException(
                    "attribute: " + name + " (expected: " + attribute + ", the only one that this query can require)");
        }
        return new DiscoveryQuery(type, name, pattern);
    }

    /**
     * Returns a copy like {@link #with(String, ValuePattern)}, with a pattern as text: see {@link ValuePattern#parse}.
     *
     * @throws IllegalArgumentException also if the pattern is invalid
     */
    public DiscoveryQuery with(String name, String pattern) {
        return with(name, ValuePattern.parse(pattern));
    }

    /** Returns whether an advertisement matches. */
    public boolean matches(Advertisement advertisement) {
        return matches(advertisement.type(), advertisement.attributes());
    }

    /** Returns whether an advertisement of a type with these attributes matches. */
    public boolean matches(String otherType, List<AdvertisementAttribute> otherAttributes) {
        if (type != null && !type.equals(otherType)) {
            return false;
        }
        return attribute == null
                || otherAttributes.stream()
                        .anyMatch(candidate -> candidate.name().equals(attribute)
                                && !candidate.value().isEmpty()
                                && value.matches(candidate.value()));
    }
}
