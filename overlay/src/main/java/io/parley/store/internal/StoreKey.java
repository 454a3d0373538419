package io.parley.store.internal;

import io.parley.id.GroupId;
import java.util.Comparator;

/**
 * The key of an entry; a store has at most one entry per key. Keys are comparable, so that a hash table finds keys of one hash, which a
 * publisher can choose, in logarithmic time.
 *
 * @param group the group in which the document is published
 * @param type  the type of the document, not empty
 * @param name  distinguishes entries of the same group and type, not empty. Up to the first space, {@code =} or {@code #} it names
 *     the owner of the entry: the owners share a full store
 */
public record StoreKey(GroupId group, String type, String name) implements Comparable<StoreKey> {

    private static final Comparator<StoreKey> ORDER =
            Comparator.comparing(StoreKey::name).thenComparing(StoreKey::type).thenComparing(StoreKey::group);

    /** @throws IllegalArgumentException if a text is empty, is not well-formed Unicode or has U+0000 */
    public StoreKey {
        StoreText.checkNotEmpty("type", type);
        StoreText.checkNotEmpty("name", name);
    }

    /** Compares keys by their components. The order has no meaning. */
    @Override
    public int compareTo(StoreKey other) {
        return ORDER.compare(this, other);
    }

    /** Returns whether the owner's part of a name ends before this character, which is one byte in UTF-8. */
    static boolean endsOwner(byte character) {
        return character == ' ' || character == '=' || character == '#';
    }
}
