package io.parley.discovery.internal;

import io.parley.advertisement.AdvertisementKey;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.discovery.DiscoveryQuery;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.store.internal.AdvertisementStore;
import io.parley.store.internal.StoreEntry;
import io.parley.store.internal.StoreQuery;
import io.parley.store.internal.StoreResult;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What this peer publishes, and what it has heard of and keeps in the store. Thread-safe; reads the store. */
final class LocalAdvertisements {

    private static final Logger log = LoggerFactory.getLogger(LocalAdvertisements.class);

    /** What is passed on of what was heard, in all pages together. */
    private static final int MAX_PASSED_ON = 1000;

    /** Entries that the store is asked for at most, if fewer are wanted, because some of them are withdrawn. */
    private static final int MAX_ASKED = 4000;

    private final DiscoveryContext context;
    private final PeerId self;
    private final PublicationRegistry publications;
    private final AdvertisementStore store;
    private final AdvertisementVerifier verifier;
    private final PeerAddressLearner routes;

    LocalAdvertisements(
            DiscoveryContext context,
            PeerId self,
            PublicationRegistry publications,
            AdvertisementStore store,
            AdvertisementVerifier verifier,
            PeerAddressLearner routes) {
        this.context = context;
        this.self = self;
        this.publications = publications;
        this.store = store;
        this.verifier = verifier;
        this.routes = routes;
    }

    /** What matches, this peer's own first. */
    List<SignedAdvertisement> find(DiscoveryQuery query, int limit) {
        List<SignedAdvertisement> own = publications
                .matching(query)
                .limit(limit)
                .map(LocalPublication::signedAdvertisement)
                .toList();
        Stream<SignedAdvertisement> heard = stored(query, limit - own.size())
                .flatMap(entry -> restored(entry).stream())
                .filter(signed -> !signed.publisher().equals(self));
        return Stream.concat(own.stream(), heard).toList();
    }

    /** What others may have of it, as bytes, which are made when they are asked for. This peer's own comes first. */
    Stream<Supplier<byte[]>> shared(DiscoveryQuery query, boolean own) {
        Stream<Supplier<byte[]>> published = publications
                .matching(query)
                .filter(publication -> publication.options().remote())
                .map(publication -> () -> publication.signedAdvertisement().toByteArray());
        return own
                ? published
                : Stream.concat(published, stored(query, MAX_PASSED_ON).map(entry -> entry::document));
    }

    private Stream<StoreEntry> stored(DiscoveryQuery query, int limit) {
        StoreQuery stored = StoreEntryMapper.query(context.group(), query);
        int asked = limit;
        while (true) { // for more than the limit where what is withdrawn stands before what is not
            StoreResult result = store.find(stored, asked);
            List<StoreEntry> live = result.entries().stream()
                    .filter(entry -> !StoreEntryMapper.isWithdrawn(entry))
                    .toList();
            boolean all = result.complete() || result.entries().size() < asked || asked >= MAX_ASKED;
            if (all || live.size() >= limit) {
                return live.stream().limit(limit);
            }
            asked = Math.min(MAX_ASKED, 2 * asked);
        }
    }

    private Optional<SignedAdvertisement> restored(StoreEntry entry) {
        try {
            return Optional.of(verifier.readTrusted(entry.document()));
        } catch (ParleyException e) { // limits or types were others when it was stored
            log.debug("{} in the store can't be read: {}", entry.key(), e.getMessage());
            return Optional.empty();
        }
    }

    /** Learns the ways to the publishers, as far as they are kept. */
    void learnPublishers(List<SignedAdvertisement> found) {
        Set<PeerId> publishers = found.stream()
                .map(SignedAdvertisement::publisher)
                .filter(publisher -> !publisher.equals(self) && !routes.isConnected(publisher))
                .collect(Collectors.toSet());
        for (PeerId publisher : publishers) {
            PeerAdvertisement sought = PeerAdvertisement.of(publisher, context.group(), null);
            AdvertisementKey key = new AdvertisementKey(context.group(), sought.type(), publisher, sought.key());
            store.get(StoreEntryMapper.key(key))
                    .filter(entry -> !StoreEntryMapper.isWithdrawn(entry))
                    .flatMap(this::restored)
                    .ifPresent(routes::learn);
        }
    }
}
