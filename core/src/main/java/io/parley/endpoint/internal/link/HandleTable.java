package io.parley.endpoint.internal.link;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.parley.endpoint.internal.context.EndpointContext;
import java.util.Collection;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The channels of one direction of a link by their handles. The table has open addressing, and its hash of a key is the key itself: the
 * removal of one of n consecutive handles would take n steps, and so would each frame for a handle if a remote peer chose handles with
 * the same low bits. Therefore keys are products with a secret odd number, mixed by the finalizer of MurmurHash3. Not thread-safe.
 *
 * @param <C> the type of the channels
 */
final class HandleTable<C> {

    private final IntObjectMap<C> channels = new IntObjectHashMap<>(EndpointContext.LINK_CAPACITY);
    private final int multiplier;

    /** @param random selects the secret number */
    HandleTable(Random random) {
        multiplier = random.nextInt() | 1;
    }

    /** Returns a number that no other handle has. Its low bits, which select the slot, depend on all bits of the handle. */
    private int key(int handle) {
        int key = handle * multiplier;
        key = (key ^ (key >>> 16)) * 0x85ebca6b;
        key = (key ^ (key >>> 13)) * 0xc2b2ae35;
        return key ^ (key >>> 16);
    }

    @Nullable
    C get(int handle) {
        return channels.get(key(handle));
    }

    void put(int handle, C channel) {
        channels.put(key(handle), channel);
    }

    @Nullable
    C remove(int handle) {
        return channels.remove(key(handle));
    }

    /** Returns a view of the channels, in no particular order. */
    Collection<C> values() {
        return channels.values();
    }

    int size() {
        return channels.size();
    }

    boolean isEmpty() {
        return channels.isEmpty();
    }

    void clear() {
        channels.clear();
    }
}
