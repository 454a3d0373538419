package io.parley.store.internal;

import io.parley.id.GroupId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Keys of rows, in the order of unsigned bytes. Texts are UTF-8 and end with a zero, which is in none of them, so that
 * all rows with the same beginning lie together:
 *
 * <pre>
 *   entry      group (16) | type 0 | name
 *   attribute  group (16) | type 0 | attribute 0 | value 0 | name
 *   expiry     milliseconds (8) | entry key
 * </pre>
 */
final class RowKeyCodec {
    private static final byte END = 0;

    private RowKeyCodec() {}

    static byte[] group(GroupId group) {
        return group.toByteArray();
    }

    static byte[] type(GroupId group, String type) {
        byte[] text = StoreText.bytes(type);
        return ByteBuffer.allocate(GroupId.BYTES + text.length + 1)
                .put(group.toByteArray())
                .put(text)
                .put(END)
                .array();
    }

    static byte[] entry(StoreKey key) {
        return concat(type(key.group(), key.type()), StoreText.bytes(key.name()));
    }

    /** What the rows of an attribute whose values begin like that begin with. */
    static byte[] values(byte[] typeKey, String attribute, String prefix) {
        byte[] name = StoreText.bytes(attribute);
        byte[] start = StoreText.bytes(prefix);
        return ByteBuffer.allocate(typeKey.length + name.length + 1 + start.length)
                .put(typeKey)
                .put(name)
                .put(END)
                .put(start)
                .array();
    }

    static byte[] attribute(StoreKey key, StoreAttribute attribute) {
        byte[] values = values(type(key.group(), key.type()), attribute.name(), attribute.value());
        return concat(terminated(values), StoreText.bytes(key.name()));
    }

    static byte[] expiry(long millis, byte[] entryKey) {
        return ByteBuffer.allocate(Long.BYTES + entryKey.length)
                .putLong(millis)
                .put(entryKey)
                .array();
    }

    static long millisOf(byte[] expiryKey) {
        return ByteBuffer.wrap(expiryKey).getLong();
    }

    static byte[] entryOf(byte[] expiryKey) {
        return Arrays.copyOfRange(expiryKey, Long.BYTES, expiryKey.length);
    }

    /** The value in the key of an attribute's row. */
    static String valueOf(byte[] attributeKey, int valueStart) {
        int end = end(attributeKey, valueStart);
        return new String(attributeKey, valueStart, end - valueStart, StandardCharsets.UTF_8);
    }

    /** The key of the entry that a row of an attribute is of. */
    static byte[] entryOf(byte[] attributeKey, int typeLength, int valueStart) {
        int nameStart = end(attributeKey, valueStart) + 1;
        byte[] key = Arrays.copyOf(attributeKey, typeLength + attributeKey.length - nameStart);
        System.arraycopy(attributeKey, nameStart, key, typeLength, attributeKey.length - nameStart);
        return key;
    }

    /** The beginning up to the end of the type. */
    static byte[] typeOf(byte[] key) {
        return Arrays.copyOf(key, end(key, GroupId.BYTES) + 1);
    }

    /** The key that an entry has the row of. */
    static StoreKey parseEntry(byte[] key) {
        int end = end(key, GroupId.BYTES);
        return new StoreKey(
                GroupId.ofBytes(Arrays.copyOf(key, GroupId.BYTES)),
                new String(key, GroupId.BYTES, end - GroupId.BYTES, StandardCharsets.UTF_8),
                new String(key, end + 1, key.length - end - 1, StandardCharsets.UTF_8));
    }

    static byte[] terminated(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /** The first key that is after all those which begin with this type. */
    static byte[] afterType(byte[] typeKey) {
        byte[] after = typeKey.clone();
        after[after.length - 1] = END + 1;
        return after;
    }

    static boolean startsWith(byte[] key, byte[] prefix) {
        return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    private static int end(byte[] key, int from) {
        for (int at = from; at < key.length; at++) {
            if (key[at] == END) {
                return at;
            }
        }
        throw new IllegalStateException("a row's key has no end of text from byte " + from + " on");
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
