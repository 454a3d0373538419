package io.parley.rendezvous.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.id.GroupId;
import java.util.List;

/** What callers of an index have to keep to. */
final class IndexArguments {

    private IndexArguments() {}

    static void group(GroupId group, List<SignedAdvertisement> advertisements) {
        for (SignedAdvertisement advertisement : advertisements) {
            if (!advertisement.group().equals(group)) {
                throw new IllegalArgumentException(
                        "advertisement: of group " + advertisement.group() + " (expected: " + group + ")");
            }
        }
    }

    static void page(int offset, int limit) {
        if (offset < 0 || limit < 1) {
            throw new IllegalArgumentException("offset: " + offset + ", limit: " + limit + " (expected: >= 0, >= 1)");
        }
    }
}
