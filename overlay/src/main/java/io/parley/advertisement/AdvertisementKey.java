package io.parley.advertisement;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.util.Objects;

/**
 * Which advertisement replaces which: of several with equal keys, the one issued last counts. The publisher is part of it,
 * so nobody can push aside what another peer has published about the same thing.
 *
 * @param group where it is published
 * @param type {@link Advertisement#type}
 * @param publisher who signed it
 * @param key {@link Advertisement#key}
 */
public record AdvertisementKey(GroupId group, String type, PeerId publisher, String key) {
    /** Fails with NullPointerException when one is missing. */
    public AdvertisementKey {
        Objects.requireNonNull(group, "group");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(publisher, "publisher");
        Objects.requireNonNull(key, "key");
    }
}
