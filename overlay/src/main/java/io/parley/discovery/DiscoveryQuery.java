package io.parley.discovery;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementAttribute;
import io.parley.store.ValuePattern;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What is looked for in a group: advertisements of one type or all, with a certain attribute or any. Immutable.
 *
 * @param type      such as {@code jxta:PipeAdvertisement}; {@code null} for all
 * @param attribute the name of an attribute, such as {@code Name}; {@code null} when attributes do not matter
 * @param value     what the attribute's value must match; without an attribute it does not count
 */
public record DiscoveryQuery(
        @Nullable String type, @Nullable String attribute, ValuePattern value) {

    /** Fails with IllegalArgumentException when a name is empty. */
    public DiscoveryQuery {
        Objects.requireNonNull(value, "value");
        if (type != null && type.isEmpty()) {
            throw new IllegalArgumentException("type: empty (expected: a name, or null for all)");
        }
        if (attribute != null && attribute.isEmpty()) {
            throw new IllegalArgumentException("attribute: empty (expected: a name, or null for any)");
        }
    }

    /** All advertisements. */
    public static DiscoveryQuery any() {
        return new DiscoveryQuery(null, null, ValuePattern.any());
    }

    /** All advertisements of one type. */
    public static DiscoveryQuery of(String type) {
        return new DiscoveryQuery(type, null, ValuePattern.any());
    }

    /** Of these, the ones whose attribute matches. */
    public DiscoveryQuery with(String name, ValuePattern pattern) {
        return new DiscoveryQuery(type, name, pattern);
    }

    /** Same, with the pattern as text, whose stars are wildcards: see {@link ValuePattern#parse}. */
    public DiscoveryQuery with(String name, String pattern) {
        return with(name, ValuePattern.parse(pattern));
    }

    /** Whether that advertisement is looked for. */
    public boolean matches(Advertisement advertisement) {
        return matches(advertisement.type(), advertisement.attributes());
    }

    /** Returns whether an advertisement of this type with these attributes is searched for. */
    public boolean matches(String itsType, List<AdvertisementAttribute> itsAttributes) {
        if (type != null && !type.equals(itsType)) {
            return false;
        }
        return attribute == null
                || itsAttributes.stream()
                        .anyMatch(candidate -> candidate.name().equals(attribute)
                                && !candidate.value().isEmpty()
                                && value.matches(candidate.value()));
    }
}
