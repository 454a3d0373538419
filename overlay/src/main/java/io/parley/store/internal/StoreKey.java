package io.parley.store.internal;

import io.parley.id.GroupId;

/**
 * What there is one entry of at most.
 *
 * @param group the group it was published in
 * @param type  the type of document, not empty
 * @param name  tells it from others of its group and type, not empty
 */
public record StoreKey(GroupId group, String type, String name) {

    /** @throws IllegalArgumentException when a text is empty, is not well-formed Unicode or has U+0000 */
    public StoreKey {
        StoreText.checkNotEmpty("type", type);
        StoreText.checkNotEmpty("name", name);
    }
}
