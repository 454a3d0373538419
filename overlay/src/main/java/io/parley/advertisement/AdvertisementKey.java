package io.parley.advertisement;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.util.Comparator;
import java.util.Objects;

/**
 * The identity of an advertisement across its versions: of several with equal keys, the one issued last replaces the others.
 * The publisher is part of the key, so that no peer can replace an advertisement of another peer. Keys are comparable, so that
 * a hash table finds keys of one hash, which a publisher can choose, in logarithmic time.
 *
 * @param group the group in which it is published
 * @param type {@link Advertisement#type}
 * @param publisher the peer that signed it
 * @param key {@link Advertisement#key}
 */
public record AdvertisementKey(GroupId group, String type, PeerId publisher, String key)
        implements Comparable<AdvertisementKey> {

    private static final Comparator<AdvertisementKey> ORDER = Comparator.comparing(AdvertisementKey::key)
            .thenComparing(AdvertisementKey::type)
            .thenComparing(AdvertisementKey::publisher)
            .thenComparing(AdvertisementKey::group);

    /** Fails with NullPointerException if an argument is missing. */
    public AdvertisementKey {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(publisher, "publisher");
        Objects.requireNonNull(key, "key");
    }

    /** Compares keys by their components. The order has no meaning. */
    @Override
    public int compareTo(AdvertisementKey other) {
        return ORDER.compare(this, other);
    }
}
