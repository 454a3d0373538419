package io.parley.rendezvous.internal;

import io.parley.advertisement.AdvertisementAttribute;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.internal.StoreEntryMapper;
import io.parley.error.ErrorCode;
import io.parley.store.internal.StoreAttribute;
import io.parley.store.internal.StoreEntry;
import io.parley.store.internal.StoreKey;
import java.util.List;
import java.util.Optional;

/**
 * Maps signed advertisements to entries of the store. The name in the key of an entry is the publisher's id, followed by the
 * advertisement's own key, or its hash, unless it is a peer advertisement. So the publisher of an entry is found without a parser.
 */
final class IndexEntryMapper {

    static final String PEER_TYPE = "jxta:PA";

    private static final char SEPARATOR = ' ';

    private IndexEntryMapper() {}

    /** @throws io.parley.error.PeerFaultException {@link ErrorCode#MALFORMED_ADVERTISEMENT} */
    static StoreEntry of(SignedAdvertisement signed) {
        try {
            List<StoreAttribute> attributes = signed.advertisement().attributes().stream()
                    .map(IndexEntryMapper::attribute)
                    .distinct()
                    .toList();
            return new StoreEntry(
                    key(signed),
                    attributes,
                    signed.issuedAt().toEpochMilli(),
                    signed.expiresAt().toEpochMilli(),
                    signed.toByteArray());
        } catch (IllegalArgumentException e) {
            throw ErrorCode.MALFORMED_ADVERTISEMENT.exception("advertisement: " + e.getMessage(), e);
        }
    }

    private static StoreAttribute attribute(AdvertisementAttribute attribute) {
        return new StoreAttribute(attribute.name(), attribute.value());
    }

    private static StoreKey key(SignedAdvertisement signed) {
        String publisher = signed.publisher().text();
        return new StoreKey(
                signed.group(),
                signed.advertisement().type(),
                signed.advertisement() instanceof PeerAdvertisement
                        ? publisher
                        : publisher
                                + SEPARATOR
                                + StoreEntryMapper.nameEnd(
                                        signed.advertisement().key()));
    }

    /**
     * Returns an entry that replaces older versions as {@code entry} does, but that no search finds.
     *
     * @param minExpiresMillis the least time of its end, because it may have expired by the clock of this peer
     */
    static StoreEntry tombstone(StoreEntry entry, long minExpiresMillis) {
        long expiresMillis = Math.max(entry.expiresMillis(), minExpiresMillis);
        return new StoreEntry(entry.key(), List.of(), entry.issuedMillis(), expiresMillis, new byte[0]);
    }

    static boolean isTombstone(StoreEntry entry) {
        return entry.documentBytes() == 0;
    }

    /** Returns the key of the publisher's peer advertisement; empty if {@code key} is that of a peer advertisement. */
    static Optional<StoreKey> publisher(StoreKey key) {
        int end = key.name().indexOf(SEPARATOR);
        return end < 0
                ? Optional.empty()
                : Optional.of(new StoreKey(key.group(), PEER_TYPE, key.name().substring(0, end)));
    }
}
