package io.parley.discovery.internal;

import io.parley.advertisement.AdvertisementKey;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Registration;
import io.parley.discovery.DiscoveryQuery;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import io.parley.store.internal.StoreEntry;
import io.parley.testkit.ClockScheduler;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** An in-memory index that several peers share. Tests can make its operations fail. */
final class TestIndex implements AutoCloseable {

    private final ScheduledExecutorService background = Executors.newSingleThreadScheduledExecutor();
    private final AdvertisementStore store;
    private final AdvertisementVerifier verifier;
    final PeerId rendezvous = Identity.generate().peerId();
    private final List<Handle> handles = new CopyOnWriteArrayList<>();

    /** The published batches, including rejected ones. */
    final List<List<SignedAdvertisement>> batches = new CopyOnWriteArrayList<>();

    /** The received requests. */
    final List<PageRequest> requests = new CopyOnWriteArrayList<>();

    /** Documents that are added to every page. */
    final List<byte[]> additionalDocuments = new CopyOnWriteArrayList<>();

    volatile boolean available = true;
    volatile Predicate<List<SignedAdvertisement>> accepts = batch -> true;
    volatile @Nullable RuntimeException publishFailure;
    volatile @Nullable RuntimeException findFailure;

    /** Delays responses until it completes; {@code null} for none. */
    volatile @Nullable CompletableFuture<Void> gate;

    TestIndex(Clock clock, AdvertisementVerifier verifier) {
        this.store = AdvertisementStore.inMemory(StoreLimits.DEFAULTS, new ClockScheduler(clock), background);
        this.verifier = verifier;
    }

    RemoteIndex connect() {
        Handle handle = new Handle();
        handles.add(handle);
        return handle;
    }

    /** Becomes available, and notifies the peers. */
    void appear() {
        available = true;
        handles.forEach(handle -> handle.tasks.forEach(Runnable::run));
    }

    boolean holds(SignedAdvertisement signed) {
        return store.get(StoreEntryMapper.key(signed.key())).stream()
                .anyMatch(entry -> !StoreEntryMapper.isWithdrawn(entry));
    }

    Optional<SignedAdvertisement> held(AdvertisementKey key) {
        return store.get(StoreEntryMapper.key(key)).map(StoreEntry::document).map(verifier::readTrusted);
    }

    /** Stores an advertisement without verifying it. */
    void put(SignedAdvertisement signed) {
        store.put(StoreEntryMapper.entry(signed));
    }

    private static <T> CompletableFuture<T> unreachable() {
        return CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception("no index"));
    }

    /** The index as one peer sees it. */
    private final class Handle implements RemoteIndex {

        private final List<Runnable> tasks = new CopyOnWriteArrayList<>();

        @Override
        public boolean isAvailable() {
            return available;
        }

        @Override
        public Optional<PeerId> rendezvous() {
            return available ? Optional.of(rendezvous) : Optional.empty();
        }

        @Override
        public AsyncCloseable onAvailable(Runnable task) {
            tasks.add(task);
            if (available) {
                task.run();
            }
            return new Registration(() -> tasks.remove(task));
        }

        @Override
        public CompletableFuture<Void> publish(GroupId group, List<SignedAdvertisement> advertisements) {
            if (!available) {
                return unreachable();
            }
            batches.add(List.copyOf(advertisements));
            RuntimeException failure = publishFailure;
            if (failure != null) {
                return CompletableFuture.failedFuture(failure);
            }
            if (!accepts.test(advertisements)) {
                return CompletableFuture.failedFuture(ErrorCode.REJECTED_BY_PEER.exception("quota"));
            }
            advertisements.forEach(signed -> put(verifier.verify(signed.toByteArray())));
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<IndexPage> find(
                GroupId group, DiscoveryQuery query, int offset, int limit, Duration timeout) {
            if (!available) {
                return unreachable();
            }
            CompletableFuture<Void> pending = gate; // read first, because the test changes it when it sees the request
            requests.add(new PageRequest(query, offset, limit, false));
            RuntimeException failure = findFailure;
            if (failure != null) {
                return CompletableFuture.failedFuture(failure);
            }
            return (pending == null ? CompletableFuture.<Void>completedFuture(null) : pending)
                    .thenApply(open -> page(group, query, offset, limit));
        }

        private IndexPage page(GroupId group, DiscoveryQuery query, int offset, int limit) {
            List<StoreEntry> all =
                    store.find(StoreEntryMapper.query(group, query), 1000).entries();
            List<byte[]> documents = new ArrayList<>();
            Set<PeerId> publishers = new LinkedHashSet<>();
            all.stream().skip(offset).limit(limit).map(StoreEntry::document).forEach(document -> {
                documents.add(document);
                publishers.add(verifier.readTrusted(document).publisher());
            });
            publishers.forEach(publisher -> peerAdvertisement(group, publisher).ifPresent(documents::add));
            documents.addAll(additionalDocuments);
            int next = offset + limit;
            return new IndexPage(documents, next < all.size() ? OptionalInt.of(next) : OptionalInt.empty(), 1);
        }

        private Optional<byte[]> peerAdvertisement(GroupId group, PeerId publisher) {
            PeerAdvertisement searched = PeerAdvertisement.of(publisher, group, null);
            return held(new AdvertisementKey(group, searched.type(), publisher, searched.key()))
                    .map(SignedAdvertisement::toByteArray);
        }
    }

    @Override
    public void close() {
        store.close();
        background.shutdown();
    }
}
