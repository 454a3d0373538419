package io.parley.advertisement.internal;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementId;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import org.jspecify.annotations.Nullable;

/** Decides whether a peer may publish an advertisement in a group. Methods return the fault, or {@code null} if there is none. */
final class PublicationPolicy {
    private PublicationPolicy() {}

    static @Nullable String publisherFault(Advertisement advertisement, PeerId publisher) {
        AdvertisementId owner = advertisement.publisher().orElse(null);
        return owner == null || owner.equals(AdvertisementId.of(publisher))
                ? null
                : "publisher: " + publisher + " (expected: " + owner + ", the peer that the " + advertisement.type()
                        + " describes)";
    }

    static @Nullable String groupFault(Advertisement advertisement, GroupId group) {
        AdvertisementId own = advertisement.group().orElse(null);
        return own == null || own.equals(AdvertisementId.of(group))
                ? null
                : "group: " + group + " (expected: " + own + ", the group of the " + advertisement.type() + ")";
    }
}
