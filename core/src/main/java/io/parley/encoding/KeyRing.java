package io.parley.encoding;

import io.parley.common.internal.TextSanitizer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The shared keys of {@link AesGcmEncodingScheme}, by id. New elements are encrypted with the selected key. All keys of the ring
 * decrypt, so keys can be rotated: add the new key at each peer, then select it, then remove the old one. Thread-safe.
 *
 * <p>The ids travel with encrypted elements; they are not secret, and must identify the same key at all peers. Keys are kept in the
 * heap until they are removed.
 */
public final class KeyRing {

    /** The size of a key in bytes. */
    public static final int KEY_BYTES = 32;

    /** The maximum size of the id of a key, in bytes of UTF-8. */
    public static final int MAX_ID_BYTES = 64;

    private final Map<String, byte[]> keys = new ConcurrentHashMap<>();
    private volatile String selected;

    private KeyRing(String selected) {
        this.selected = selected;
    }

    /**
     * Returns a ring with one key, which is selected.
     *
     * @param key {@link #KEY_BYTES} bytes from a secure random generator or a key derivation; copied
     * @throws IllegalArgumentException if the id is empty or longer than {@link #MAX_ID_BYTES}, or the key has another size
     */
    public static KeyRing of(String id, byte[] key) {
        KeyRing ring = new KeyRing(id);
        ring.add(id, key);
        return ring;
    }

    /**
     * Adds a key, or replaces the one of that id.
     *
     * @throws IllegalArgumentException as {@link #of}
     */
    public synchronized void add(String id, byte[] key) {
        int idBytes = id.getBytes(StandardCharsets.UTF_8).length;
        if (idBytes < 1 || idBytes > MAX_ID_BYTES) {
            throw new IllegalArgumentException(
                    "id of a key: " + idBytes + " bytes (expected: 1 to " + MAX_ID_BYTES + ")");
        }
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("key: " + key.length + " bytes (expected: " + KEY_BYTES + ")");
        }
        keys.put(id, key.clone());
    }

    /**
     * Selects the key for elements that are encrypted from now on.
     *
     * @throws IllegalArgumentException if the ring does not contain it
     */
    public synchronized void select(String id) {
        if (!keys.containsKey(id)) {
            throw new IllegalArgumentException("id of a key: " + id + " (expected: one of " + keys.keySet() + ")");
        }
        selected = id;
    }

    /**
     * Removes a key. Channels that use it already continue to use it until they end.
     *
     * @throws IllegalArgumentException if it is selected
     */
    public synchronized void remove(String id) {
        if (id.equals(selected)) {
            throw new IllegalArgumentException("id of a key: " + id + " (expected: one that is not selected)");
        }
        keys.remove(id);
    }

    /** Returns the id of the selected key. */
    public String selected() {
        return selected;
    }

    /** Returns the key of an id, which must not be changed. */
    Optional<byte[]> find(String id) {
        return Optional.ofNullable(keys.get(id));
    }

    /** Returns the ids, without the keys. */
    @Override
    public String toString() {
        return "KeyRing " + TextSanitizer.oneLine(keys.keySet().toString());
    }
}
