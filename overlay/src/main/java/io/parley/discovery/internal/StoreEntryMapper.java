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

/** How signed advertisements stand in a store: where others look for them, until others have to forget them. */
public final class StoreEntryMapper {

    /** Leaves room for the publisher's id in the longest name that stores take by default. */
    private static final int MAX_PLAIN_KEY_BYTES = 128;

    private StoreEntryMapper() {}

    /** The key in the store. Long keys of advertisements are represented by their SHA-256. */
    public static StoreKey key(AdvertisementKey key) {
        byte[] text = key.key().getBytes(StandardCharsets.UTF_8);
        String end = text.length <= MAX_PLAIN_KEY_BYTES ? "=" + key.key() : "#" + hash(text);
        return new StoreKey(key.group(), key.type(), key.publisher().text() + end);
    }

    private static String hash(byte[] text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * The entry.
     *
     * @throws IllegalArgumentException when an attribute can't be stored, as a type of a user's own may have
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
     * The query in the store.
     *
     * @throws IllegalArgumentException when a text in it is not well-formed Unicode or has U+0000
     */
    public static StoreQuery query(GroupId group, DiscoveryQuery query) {
        return new StoreQuery(group, query.type(), query.attribute(), query.value());
    }

    /** Whether the advertisement only tells that it is withdrawn: see {@link RemoteIndex#WITHDRAWAL_EXPIRATION}. */
    public static boolean isWithdrawn(SignedAdvertisement signed) {
        return signed.expiration().compareTo(RemoteIndex.WITHDRAWAL_EXPIRATION) <= 0;
    }

    /** Whether the entry only tells that it is withdrawn. */
    public static boolean isWithdrawn(StoreEntry entry) {
        return entry.expiresMillis() - entry.issuedMillis() <= RemoteIndex.WITHDRAWAL_EXPIRATION.toMillis();
    }
}
