package io.parley.advertisement;

import java.util.List;
import java.util.Optional;

/**
 * A description of a resource that one peer publishes and other peers find. Implementations must be immutable with value
 * equality, such as records. Each user-defined type needs an {@link AdvertisementType}.
 */
public interface Advertisement {
    /** Returns the name of the type, which is the name of the root element, such as {@code jxta:PipeAdvertisement}. */
    String type();

    /**
     * Returns a text that identifies the advertised resource: the same for all versions of one advertisement, and different for
     * all other advertisements of its type. A newer advertisement replaces an older one of the same group, type, publisher and
     * key.
     */
    String key();

    /** Returns the group to which the advertisement belongs. It can be published in no other group. */
    default Optional<AdvertisementId> group() {
        return Optional.empty();
    }

    /** Returns the only peer that may publish the advertisement; empty if any peer may. */
    default Optional<AdvertisementId> publisher() {
        return Optional.empty();
    }

    /** Returns the searchable attributes, in no particular order. A name may occur several times; values are never empty. */
    List<AdvertisementAttribute> attributes();
}
