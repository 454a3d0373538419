package io.parley.store.internal;

import io.parley.id.GroupId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encodes keys of rows, in the order of unsigned bytes. Texts are UTF-8 and end with a zero byte, which no text contains, so that
 * all rows with the same prefix are adjacent:
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

    /** Returns the key prefix of the rows of an attribute whose value starts with {@code prefix}. */
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

    /** Returns the value in the key of an attribute's row. */
    static String valueOf(byte[] attributeKey, int valueStart) {
        int end = end(attributeKey, valueStart);
        return new String(attributeKey, valueStart, end - valueStart, StandardCharsets.UTF_8);
    }

    /** Returns the key of the entry to which an attribute's row refers. */
    static byte[] entryOf(byte[] attributeKey, int typeLength, int valueStart) {
        int nameStart = end(attributeKey, valueStart) + 1;
        byte[] key = Arrays.copyOf(attributeKey, typeLength + attributeKey.length - nameStart);
        System.arraycopy(attributeKey, nameStart, key, typeLength, attributeKey.length - nameStart);
        return key;
    }

    /** Returns the prefix up to and including the type. */
    static byte[] typeOf(byte[] key) {
        return Arrays.copyOf(key, end(key, GroupId.BYTES) + 1);
    }

    /** Returns the index at which the name in the key of an entry's row starts. */
    static int nameStart(byte[] key) {
        return end(key, GroupId.BYTES) + 1;
    }

    /** Decodes the key of an entry's row. */
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

    /** Returns the first key after all keys with this type. */
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
        throw new IllegalStateException("row key: text is not terminated after byte " + from);
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
