package io.parley.advertisement.internal;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementId;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import org.jspecify.annotations.Nullable;

/** Whether a peer may publish an advertisement in a group: what speaks against it, or {@code null}. */
final class PublicationPolicy {
    private PublicationPolicy() {}

    static @Nullable String publisherFault(Advertisement advertisement, PeerId publisher) {
        AdvertisementId owner = advertisement.publisher().orElse(null);
        return owner == null || owner.equals(AdvertisementId.of(publisher))
                ? null
                : "publisher: " + publisher + " (expected: the peer that the " + advertisement.type() + " is about, "
                        + owner + ")";
    }

    static @Nullable String groupFault(Advertisement advertisement, GroupId group) {
        AdvertisementId own = advertisement.group().orElse(null);
        return own == null || own.equals(AdvertisementId.of(group))
                ? null
                : "group: " + group + " (expected: the group that the " + advertisement.type() + " belongs to, " + own
                        + ")";
    }
}
