package io.parley.advertisement;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the attributes of an advertisement; omits empty and missing values. */
final class AttributeCollector {
    private final List<AdvertisementAttribute> found = new ArrayList<>();

    AttributeCollector add(String name, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            found.add(new AdvertisementAttribute(name, value));
        }
        return this;
    }

    AttributeCollector add(String name, AdvertisementId id) {
        return add(name, id.urn());
    }

    List<AdvertisementAttribute> list() {
        return List.copyOf(found);
    }
}
