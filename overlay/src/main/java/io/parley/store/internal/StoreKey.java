package io.parley.store.internal;

import io.parley.id.GroupId;

/**
 * The key of an entry; a store has at most one entry per key.
 *
 * @param group the group in which the document is published
 * @param type  the type of the document, not empty
 * @param name  distinguishes entries of the same group and type, not empty. Up to the first space, {@code =} or {@code #} it names
 *     the owner of the entry: the owners share a full store
 */
public record StoreKey(GroupId group, String type, String name) {

    /** @throws IllegalArgumentException if a text is empty, is not well-formed Unicode or has U+0000 */
    public StoreKey {
        StoreText.checkNotEmpty("type", type);
        StoreText.checkNotEmpty("name", name);
    }

    /** Returns whether the owner's part of a name ends before this character, which is one byte in UTF-8. */
    static boolean endsOwner(byte character) {
        return character == ' ' || character == '=' || character == '#';
    }
}
