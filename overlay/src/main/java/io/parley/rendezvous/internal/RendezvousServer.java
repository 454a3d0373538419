package io.parley.rendezvous.internal;

import io.parley.common.Scheduler;
import io.parley.discovery.internal.RemoteIndex;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousStatus;
import io.parley.resolver.internal.Propagator;
import io.parley.resolver.internal.Resolver;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The service of a rendezvous. */
final class RendezvousServer extends AbstractRendezvousService implements RendezvousRole {

    /** How often what has expired is given back; until then it is not found all the same. */
    private static final Duration TIDY_INTERVAL = Duration.ofSeconds(30);

    private final RendezvousContext overlay;
    private final LeaseRegistry leases;
    private final PeerView view;
    private final PeerViewGossiper gossip;
    private final LeaseRequestHandler leaseDesk;
    private final AdvertisementIndex index;
    private final Replicator replication;
    private final IndexUpdateHandler indexDesk;
    private final IndexSearcher finder;
    private final RendezvousIndex ownIndex;
    private final ServerForwarder passing;
    private final GroupMessageRouter propagation;
    private volatile Scheduler.Timer purgeTimer = () -> {};

    private RendezvousServer(RendezvousContext overlay, List<Seed> seeds) {
        super(overlay);
        this.overlay = overlay;
        this.leases = new LeaseRegistry(overlay.limits().lease(), overlay.scheduler());
        this.view = new PeerView(overlay.self(), overlay.limits().peerView(), overlay.scheduler(), overlay.metrics());
        this.gossip = new PeerViewGossiper(overlay, view, PeerViewEntryFactory.of(overlay), seeds);
        this.leaseDesk = new LeaseRequestHandler(overlay, leases, view);
        this.index = new AdvertisementIndex(overlay.limits().index(), overlay.scheduler(), overlay.executor());
        this.replication = new Replicator(overlay, view, index);
        this.indexDesk = new IndexUpdateHandler(overlay, leases, view, index, replication);
        this.finder = new IndexSearcher(overlay, leases, view, index);
        this.ownIndex = new RendezvousIndex(overlay, indexDesk, finder, () -> !isClosing());
        this.passing = new ServerForwarder(overlay, leases, view);
        this.propagation = new GroupMessageRouter(overlay, passing);
    }

    static RendezvousServer start(RendezvousContext overlay, List<Seed> seeds) {
        RendezvousServer server = new RendezvousServer(overlay, seeds);
        try {
            server.open();
        } catch (ParleyException e) {
            server.closeAsync();
            throw e;
        }
        server.followsEndpoint();
        server.gossip.start();
        server.tidy();
        return server;
    }

    private void open() {
        Resolver resolver = overlay.resolver();
        owns(overlay.endpoint()
                .listen(RendezvousContext.SERVICE, EndpointLimits.MIN_WINDOW_BYTES, propagation::onMessage));
        owns(overlay.endpoint().addPeerConnectionListener(gossip));
        owns(overlay.endpoint().addPeerConnectionListener(leaseDesk));
        view.onChange(replication::onViewChanged);
        owns(resolver.registerHandler(RendezvousContext.LEASE, leaseDesk::onQuery));
        owns(resolver.registerHandler(RendezvousContext.VIEW, gossip::onQuery));
        owns(resolver.registerHandler(RendezvousContext.PUBLISH, indexDesk::onPublish));
        owns(resolver.registerHandler(RendezvousContext.REPLICATE, indexDesk::onReplicate));
        owns(resolver.registerHandler(RendezvousContext.FIND, finder::onQuery));
    }

    private void tidy() {
        purgeTimer = overlay.scheduler()
                .schedule(
                        TIDY_INTERVAL,
                        () -> overlay.execute(() -> {
                            leases.expire();
                            index.expire();
                            tidy();
                        }));
        if (isClosing()) {
            purgeTimer.cancel();
        }
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
    public CompletableFuture<Void> join(GroupId group) {
        if (isClosing()) {
            return CompletableFuture.failedFuture(ErrorCode.CLOSED.exception("the rendezvous service is closed"));
        }
        passing.join(group);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void leave(GroupId group) {
        passing.leave(group);
    }

    @Override
    public RemoteIndex index() {
        return ownIndex;
    }

    @Override
    public Propagator propagator(GroupId group) {
        return new GroupPropagator(propagation, group);
    }

    @Override
    public RendezvousStatus status() {
        return new RendezvousStatus(true, view.peers(), gossip.seedAddresses(), null, gossip.lastFailure());
    }

    @Override
    public RendezvousMetrics metrics() {
        return overlay.metrics();
    }

    /** How many advertisements it keeps. */
    int indexed() {
        return index.size();
    }

    /** How much memory they take, with what they are found by. */
    long indexedBytes() {
        return index.sizeBytes();
    }

    @Override
    CompletableFuture<Void> farewell() {
        purgeTimer.cancel();
        return gossip.close();
    }

    @Override
    void end() {
        purgeTimer.cancel();
        propagation.close();
        replication.close();
        index.close();
    }

    @Override
    public String toString() {
        return "rendezvous " + overlay.self().shortText() + ", knows " + view.size() + " others";
    }
}
