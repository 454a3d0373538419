package io.parley.discovery.internal;

import io.parley.advertisement.AdvertisementAttribute;
import io.parley.advertisement.AdvertisementKey;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.id.GroupId;
import io.parley.store.internal.StoreAttribute;
import io.parley.store.internal.StoreEntry;
import io.parley.store.internal.StoreKey;
import io.parley.store.internal.StoreQuery;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** Maps signed advertisements to store entries: to the key under which searches find them, with the expiration at other peers. */
public final class StoreEntryMapper {

    /** Leaves room for the publisher's id within the default limit of names. */
    private static final int MAX_PLAIN_KEY_BYTES = 128;

    private StoreEntryMapper() {}

    /** Returns the key in the store. Long keys of advertisements are replaced by their SHA-256 hash. */
    public static StoreKey key(AdvertisementKey key) {
        return new StoreKey(key.group(), key.type(), key.publisher().text() + nameEnd(key.key()));
    }

    /** Returns what follows the publisher in the name of a store key: {@code =} and the key, or {@code #} and the hash of a long one. */
    public static String nameEnd(String key) {
        byte[] text = key.getBytes(StandardCharsets.UTF_8);
        return text.length <= MAX_PLAIN_KEY_BYTES ? "=" + key : "#" + hash(text);
    }

    private static String hash(byte[] text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * Returns the entry of an advertisement.
     *
     * @throws IllegalArgumentException if an attribute, such as one of a user-defined type, cannot be stored
     */
    public static StoreEntry entry(SignedAdvertisement signed) {
        List<StoreAttribute> attributes = signed.advertisement().attributes().stream()
                .map(StoreEntryMapper::attribute)
                .toList();
        return new StoreEntry(
                key(signed.key()),
                attributes,
                signed.issuedAt().toEpochMilli(),
                signed.expiresAt().toEpochMilli(),
                signed.toByteArray());
    }

    private static StoreAttribute attribute(AdvertisementAttribute attribute) {
        return new StoreAttribute(attribute.name(), attribute.value());
    }

    /**
     * Returns the query for the store.
     *
     * @throws IllegalArgumentException if a text in it is not well-formed Unicode or has U+0000
     */
    public static StoreQuery query(GroupId group, DiscoveryQuery query) {
        return new StoreQuery(group, query.type(), query.attribute(), query.value());
    }

    /** Returns whether the advertisement is a tombstone: see {@link RemoteIndex#WITHDRAWAL_EXPIRATION}. */
    public static boolean isWithdrawn(SignedAdvertisement signed) {
        return signed.expiration().compareTo(RemoteIndex.WITHDRAWAL_EXPIRATION) <= 0;
    }

    /** Returns whether the entry is a tombstone. */
    public static boolean isWithdrawn(StoreEntry entry) {
        return entry.expiresMillis() - entry.issuedMillis() <= RemoteIndex.WITHDRAWAL_EXPIRATION.toMillis();
    }
}
