package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.discovery.internal.RemoteIndex;
import io.parley.endpoint.ServiceOptions;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousStatus;
import io.parley.resolver.internal.Resolver;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The service of a rendezvous. */
final class RendezvousServer extends AbstractRendezvousService {

    /** The maximum interval at which expired leases and entries are purged. They are not found before that either. */
    private static final Duration MAX_PURGE_INTERVAL = Duration.ofSeconds(30);

    /** The purges in the duration of a lease: what a client has published is gone that duration after its lease has ended. */
    private static final int PURGES_PER_LEASE = 4;

    private final RendezvousContext context;
    private final LeaseRegistry leases;
    private final PeerView view;
    private final PeerViewGossiper gossiper;
    private final LeaseRequestHandler leaseHandler;
    private final AdvertisementIndex index;
    private final Replicator replicator;
    private final IndexUpdateHandler updateHandler;
    private final IndexSearcher searcher;
    private final RendezvousIndex ownIndex;
    private final ServerForwarder forwarder;
    private final GroupMessageRouter router;
    private volatile Scheduler.Timer purgeTimer = () -> {};

    private RendezvousServer(RendezvousContext context, List<Seed> seeds) {
        super(context);
        this.context = context;
        this.leases = new LeaseRegistry(context.limits().lease(), context.scheduler(), context::hostOf);
        this.view = new PeerView(context.self(), context.limits().peerView(), context.scheduler(), context.metrics());
        this.gossiper = new PeerViewGossiper(context, view, PeerViewEntryFactory.of(context), seeds);
        this.leaseHandler = new LeaseRequestHandler(context, leases, view);
        this.index = new AdvertisementIndex(
                context.limits().index(),
                context.signer().maxClockSkew(),
                context.scheduler(),
                context.executor(),
                context::hostOf,
                context.metrics());
        this.replicator = new Replicator(context, view, index);
        this.updateHandler = new IndexUpdateHandler(context, leases, view, index, replicator);
        this.searcher = new IndexSearcher(context, leases, view, index);
        this.ownIndex = new RendezvousIndex(context.self(), updateHandler, searcher, () -> !isClosing());
        this.forwarder = new ServerForwarder(context, leases, view);
        this.router = new GroupMessageRouter(context, forwarder);
    }

    static RendezvousServer start(RendezvousContext context, List<Seed> seeds) {
        RendezvousServer server = new RendezvousServer(context, seeds);
        try {
            server.registerHandlers();
        } catch (ParleyException e) {
            server.closeAsync();
            throw e;
        }
        server.closeWithEndpoint();
        server.gossiper.start();
        server.schedulePurge();
        return server;
    }

    private void registerHandlers() {
        Resolver resolver = context.resolver();
        addResource(context.endpoint()
                .listen(
                        RendezvousContext.SERVICE,
                        ServiceOptions.DEFAULTS.withWindowBytes(RendezvousContext.WINDOW_BYTES),
                        router::onMessage));
        addResource(context.endpoint().addPeerConnectionListener(gossiper));
        addResource(context.endpoint().addPeerConnectionListener(leaseHandler));
        view.onChange(replicator::onViewChanged);
        addResource(resolver.registerHandler(RendezvousContext.LEASE, leaseHandler::onQuery));
        addResource(resolver.registerHandler(RendezvousContext.VIEW, gossiper::onQuery));
        addResource(resolver.registerHandler(RendezvousContext.PUBLISH, updateHandler::onPublish));
        addResource(resolver.registerHandler(RendezvousContext.REPLICATE, updateHandler::onReplicate));
        addResource(resolver.registerHandler(RendezvousContext.FIND, searcher::onQuery));
    }

    private void schedulePurge() {
        Duration interval = context.limits().lease().lease().dividedBy(PURGES_PER_LEASE);
        purgeTimer = context.scheduler()
                .schedule(
                        interval.compareTo(MAX_PURGE_INTERVAL) < 0 ? interval : MAX_PURGE_INTERVAL,
                        () -> context.execute(this::purge));
        if (isClosing()) {
            purgeTimer.cancel();
        }
    }

    private void purge() {
        leases.expire();
        index.expire();
        index.removeAbandoned(
                peer -> peer.equals(context.self()) || leases.holds(peer),
                context.limits().lease().lease().dividedBy(2));
        schedulePurge();
    }

    @Override
    public boolean isRendezvous() {
        return true;
    }

    @Override
    public Set<PeerId> rendezvous() {
        return view.peers();
    }

    @Override
    public Set<PeerId> clients() {
        return leases.clients();
    }

    @Override
    public RendezvousStatus status() {
        return new RendezvousStatus(true, view.peers(), gossiper.seedAddresses(), null, gossiper.lastFailure());
    }

    @Override
    public CompletableFuture<Void> join(GroupId group) {
        if (isClosing()) {
            return CompletableFuture.failedFuture(RendezvousContext.closedException());
        }
        forwarder.join(group);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void leave(GroupId group) {
        forwarder.leave(group);
    }

    @Override
    public RemoteIndex index() {
        return ownIndex;
    }

    /** Returns the number of entries in the index. */
    int indexed() {
        return index.size();
    }

    /** Returns the size of the index with its attributes, in bytes. */
    long indexedBytes() {
        return index.sizeBytes();
    }

    @Override
    GroupMessageRouter router() {
        return router;
    }

    @Override
    CompletableFuture<Void> signOff() {
        purgeTimer.cancel();
        return gossiper.close();
    }

    @Override
    void release() {
        purgeTimer.cancel();
        replicator.close();
        index.close();
    }

    @Override
    public String toString() {
        return "rendezvous " + context.self().shortText() + " with " + view.size() + " others";
    }
}
