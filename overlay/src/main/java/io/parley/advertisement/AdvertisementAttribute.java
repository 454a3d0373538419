package io.parley.advertisement;

import java.util.Objects;

/**
 * Something that an advertisement can be found by.
 *
 * @param name as discovery asks for it, such as {@code Name} or {@code PID}
 * @param value what is compared; ids stand in the form of {@link AdvertisementId#urn}
 */
public record AdvertisementAttribute(String name, String value) {
    /** Fails with NullPointerException when one is missing. */
    public AdvertisementAttribute {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
    }
}
