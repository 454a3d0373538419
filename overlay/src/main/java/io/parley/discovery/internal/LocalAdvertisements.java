package io.parley.discovery.internal;

import io.parley.advertisement.AdvertisementKey;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.internal.TextSanitizer;
import io.parley.discovery.DiscoveryQuery;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.store.internal.AdvertisementStore;
import io.parley.store.internal.StoreEntry;
import io.parley.store.internal.StoreKey;
import io.parley.store.internal.StoreQuery;
import io.parley.store.internal.StoreResult;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Own publications and stored advertisements of other peers. Thread-safe. Reads the store. */
final class LocalAdvertisements {

    private static final Logger log = LoggerFactory.getLogger(LocalAdvertisements.class);

    /** The maximum number of stored advertisements sent to a querying peer, in all pages together. */
    private static final int MAX_SHARED = 1000;

    /** The maximum number of entries read from the store if fewer are requested, because some of them are withdrawn. */
    private static final int MAX_READ = 4000;

    private final DiscoveryContext context;
    private final PeerId self;
    private final PublicationRegistry publications;
    private final AdvertisementStore store;
    private final AdvertisementVerifier verifier;
    private final PeerAddressLearner addresses;

    LocalAdvertisements(
            DiscoveryContext context,
            PeerId self,
            PublicationRegistry publications,
            AdvertisementStore store,
            AdvertisementVerifier verifier,
            PeerAddressLearner addresses) {
        this.context = context;
        this.self = self;
        this.publications = publications;
        this.store = store;
        this.verifier = verifier;
        this.addresses = addresses;
    }

    /** Returns matching advertisements, own publications first. */
    List<SignedAdvertisement> find(DiscoveryQuery query, int limit) {
        List<SignedAdvertisement> own = publications
                .matching(query)
                .limit(limit)
                .map(LocalPublication::signedAdvertisement)
                .toList();
        Stream<SignedAdvertisement> received = stored(query, limit - own.size(), store::find)
                .flatMap(entry -> read(entry).stream())
                .filter(signed -> !signed.publisher().equals(self));
        return Stream.concat(own.stream(), received).toList();
    }

    /**
     * Returns matching advertisements for other peers, own publications first. The bytes are created or read on demand, because other
     * peers may send many queries at a time; there are no bytes if the advertisement is gone.
     */
    Stream<Supplier<byte[]>> shared(DiscoveryQuery query, boolean ownOnly) {
        Stream<Supplier<byte[]>> published = publications
                .matching(query)
                .filter(publication -> publication.options().remote())
                .map(publication -> () -> publication.signedAdvertisement().toByteArray());
        return ownOnly
                ? published
                : Stream.concat(
                        published,
                        stored(query, MAX_SHARED, store::findWithoutDocuments)
                                .map(entry -> () -> document(entry.key())));
    }

    private byte[] document(StoreKey key) {
        return store.get(key)
                .filter(entry -> !StoreEntryMapper.isWithdrawn(entry))
                .map(StoreEntry::document)
                .orElse(new byte[0]);
    }

    private Stream<StoreEntry> stored(
            DiscoveryQuery query, int limit, BiFunction<StoreQuery, Integer, StoreResult> search) {
        StoreQuery stored = StoreEntryMapper.query(context.group(), query);
        int count = limit;
        while (true) { // withdrawn entries may displace live ones, so read more than the limit
            StoreResult result = search.apply(stored, count);
            List<StoreEntry> live = result.entries().stream()
                    .filter(entry -> !StoreEntryMapper.isWithdrawn(entry))
                    .toList();
            boolean all = result.complete() || result.entries().size() < count || count >= MAX_READ;
            if (all || live.size() >= limit) {
                return live.stream().limit(limit);
            }
            count = Math.min(MAX_READ, 2 * count);
        }
    }

    private Optional<SignedAdvertisement> read(StoreEntry entry) {
        try {
            return Optional.of(verifier.readTrusted(entry.document()));
        } catch (ParleyException e) { // limits or types have changed since it was stored
            log.debug(
                    "Cannot read stored entry {}: {}",
                    TextSanitizer.oneLine(String.valueOf(entry.key())),
                    e.getMessage());
            return Optional.empty();
        }
    }

    /** Adds the addresses of publishers from their stored peer advertisements. */
    void addPublisherAddresses(List<SignedAdvertisement> found) {
        Set<PeerId> publishers = found.stream()
                .map(SignedAdvertisement::publisher)
                .filter(publisher -> !publisher.equals(self) && !addresses.isConnected(publisher))
                .collect(Collectors.toSet());
        for (PeerId publisher : publishers) {
            PeerAdvertisement searched = PeerAdvertisement.of(publisher, context.group(), null);
            AdvertisementKey key = new AdvertisementKey(context.group(), searched.type(), publisher, searched.key());
            store.get(StoreEntryMapper.key(key))
                    .filter(entry -> !StoreEntryMapper.isWithdrawn(entry))
                    .flatMap(this::read)
                    .ifPresent(addresses::add);
        }
    }
}
