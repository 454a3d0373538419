package io.parley.discovery.internal;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.common.internal.Arguments;
import io.parley.common.internal.Closeables;
import io.parley.discovery.Discovery;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Publication;
import io.parley.discovery.PublishOptions;
import io.parley.discovery.SearchOptions;
import io.parley.endpoint.Endpoint;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.resolver.internal.Resolver;
import io.parley.store.internal.AdvertisementStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The discovery of one group. Creates its parts and closes them. */
public final class GroupDiscovery implements Discovery {

    private static final Logger log = LoggerFactory.getLogger(GroupDiscovery.class);

    private final DiscoveryContext context;
    private final AdvertisementReceiver receiver;
    private final AdvertisementStore store;
    private final IndexPublisher indexPublisher;
    private final PeerAnnouncer announcer;
    private final PublicationRegistry publications;
    private final LocalAdvertisements localAdvertisements;
    private final SearchCoordinator searches;
    private final Duration closeTimeout;
    private final List<AsyncCloseable> registrations = new CopyOnWriteArrayList<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private GroupDiscovery(
            DiscoveryContext context,
            Resolver resolver,
            Endpoint endpoint,
            AdvertisementStore store,
            AdvertisementSigner signer,
            AdvertisementVerifier verifier,
            @Nullable RemoteIndex index) {
        this.context = context;
        this.store = store;
        this.closeTimeout = endpoint.limits().closeTimeout();
        PeerAddressLearner addresses = new PeerAddressLearner(endpoint, context.metrics());
        this.receiver = new AdvertisementReceiver(context, endpoint.peerId(), verifier, store, addresses);
        this.indexPublisher = new IndexPublisher(index, context);
        this.announcer = new PeerAnnouncer(resolver, receiver, context);
        this.publications = new PublicationRegistry(context, signer, indexPublisher, announcer, closeTimeout);
        this.localAdvertisements =
                new LocalAdvertisements(context, endpoint.peerId(), publications, store, verifier, addresses);
        this.searches = new SearchCoordinator(context, localAdvertisements, receiver, resolver, index);
    }

    static GroupDiscovery open(
            DiscoveryContext context,
            Resolver resolver,
            Endpoint endpoint,
            AdvertisementStore store,
            AdvertisementSigner signer,
            AdvertisementVerifier verifier,
            @Nullable RemoteIndex index) {
        GroupDiscovery discovery = new GroupDiscovery(context, resolver, endpoint, store, signer, verifier, index);
        try {
            discovery.register(resolver, index);
        } catch (RuntimeException e) {
            discovery.closeAsync();
            throw e;
        }
        resolver.whenClosed().thenRun(discovery::closeAsync); // the resolver may close first
        return discovery;
    }

    private void register(Resolver resolver, @Nullable RemoteIndex index) {
        DiscoveryQueryHandler queryHandler =
                new DiscoveryQueryHandler(localAdvertisements, publications, context.metrics());
        registrations.add(resolver.registerHandler(DiscoveryQueryHandler.NAME, queryHandler::onQuery));
        registrations.add(resolver.registerHandler(PeerAnnouncer.NAME, announcer::onQuery));
        if (index != null) {
            registrations.add(index.onAvailable(this::publishAll));
        }
    }

    private void publishAll() {
        indexPublisher.onAvailable(publications.remote().toList());
    }

    @Override
    public GroupId group() {
        return context.group();
    }

    @Override
    public Publication publish(Advertisement advertisement, PublishOptions options) {
        return publications.publish(advertisement, options);
    }

    @Override
    public List<SignedAdvertisement> findLocal(DiscoveryQuery query, int limit) {
        Arguments.requireRange("limit", limit, 0, Integer.MAX_VALUE);
        requireOpen();
        return localAdvertisements.find(query, limit);
    }

    @Override
    public SearchTask search(DiscoveryQuery query, SearchOptions options, Consumer<SignedAdvertisement> listener) {
        return search(query, options, listener, context.callbackExecutor());
    }

    @Override
    public SearchTask search(
            DiscoveryQuery query, SearchOptions options, Consumer<SignedAdvertisement> listener, Executor executor) {
        Arguments.requireRange(
                "maxResults", options.maxResults(), 1, context.limits().maxResults());
        StoreEntryMapper.query(context.group(), query); // fails early, before a peer is queried
        return searches.start(query, options, listener, executor);
    }

    @Override
    public CompletableFuture<List<SignedAdvertisement>> find(DiscoveryQuery query, SearchOptions options) {
        SearchTask search = search(query, options, result -> {}, context.executor());
        CompletableFuture<List<SignedAdvertisement>> results = search.whenDone().thenApply(count -> search.results());
        results.whenComplete((done, failure) -> search.closeAsync()); // ends the search if the future is cancelled
        return results;
    }

    @Override
    public AsyncCloseable addListener(Consumer<SignedAdvertisement> listener) {
        requireOpen();
        return receiver.addListener(listener);
    }

    @Override
    public CompletableFuture<Void> flush() {
        return isClosing() ? CompletableFuture.failedFuture(closedException()) : store.flush();
    }

    /** Returns the counters of this discovery. */
    public DiscoveryMetrics metrics() {
        return context.metrics();
    }

    private void requireOpen() {
        if (isClosing()) {
            throw closedException();
        }
    }

    private ParleyException closedException() {
        return ErrorCode.CLOSED.exception(this + ": closed");
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            registrations.forEach(AsyncCloseable::closeAsync);
            searches.close();
            receiver.close();
            try {
                context.executor().execute(this::withdrawAll);
            } catch (RuntimeException | Error e) { // it is shut down, or has no thread
                withdrawAll();
            }
        }
        return closed.copy();
    }

    private void withdrawAll() {
        try {
            CompletableFuture<Void> withdrawn = publications.close();
            announcer.announceWithdrawals();
            Scheduler.Timer timer = context.scheduler().schedule(closeTimeout, this::finish);
            closed.thenRun(timer::cancel);
            withdrawn.whenComplete((done, failure) -> finish());
        } catch (RuntimeException | Error e) {
            log.warn("Cannot withdraw all publications of the {}", this, e);
            finish();
        }
    }

    private void finish() {
        indexPublisher.close();
        announcer.close();
        closed.complete(null);
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing.get();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, closeTimeout);
    }

    @Override
    public String toString() {
        return "discovery in group " + context.group();
    }
}
