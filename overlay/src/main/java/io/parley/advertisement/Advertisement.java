package io.parley.advertisement;

import java.util.List;
import java.util.Optional;

/**
 * Something that peers publish and others find. Implementations are immutable and have value equality; records serve well.
 * A type of one's own needs an {@link AdvertisementType} beside it.
 */
public interface Advertisement {
    /** The name of the type, which is the name of the document's root element, such as {@code jxta:PipeAdvertisement}. */
    String type();

    /**
     * What is advertised, in a text that is the same for all versions of one advertisement and for no other of its type. A
     * newer advertisement replaces an older one of the same group, type, publisher and key.
     */
    String key();

    /** The group that the advertisement itself says it belongs to. It can be published in no other. */
    default Optional<AdvertisementId> group() {
        return Optional.empty();
    }

    /** The one peer that may publish it; empty when anybody may. */
    default Optional<AdvertisementId> publisher() {
        return Optional.empty();
    }

    /** What it can be found by, in no particular order. A name may occur several times; values are never empty. */
    List<AdvertisementAttribute> attributes();
}
