package io.parley.advertisement;

import java.util.Objects;

/**
 * A searchable name/value pair of an advertisement.
 *
 * @param name such as {@code Name} or {@code PID}
 * @param value the text that searches compare; ids have the form of {@link AdvertisementId#urn}
 */
public record AdvertisementAttribute(String name, String value) {
    /** Fails with NullPointerException if an argument is missing. */
    public AdvertisementAttribute {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
    }
}
