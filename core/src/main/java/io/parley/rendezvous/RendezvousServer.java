package io.parley.rendezvous;

import io.parley.discovery.RemoteIndex;
import io.parley.endpoint.Limits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.resolver.Propagator;
import io.parley.resolver.Resolver;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;

/** The service of a rendezvous. */
final class RendezvousServer extends Lifecycle implements RendezvousService {

    /** How often what has expired is given back; until then it is not found all the same. */
    private static final Duration TIDY_INTERVAL = Duration.ofSeconds(30);

    private final Overlay overlay;
    private final Leases leases;
    private final PeerView view;
    private final Gossip gossip;
    private final LeaseDesk leaseDesk;
    private final Index index;
    private final Replication replication;
    private final IndexDesk indexDesk;
    private final Finder finder;
    private final OwnIndex ownIndex;
    private final ServerPassing passing;
    private final Propagation propagation;
    private volatile Runnable cancelTidying = () -> {};

    private RendezvousServer(Overlay overlay, List<Seed> seeds, ScheduledExecutorService scheduler) {
        super(overlay);
        this.overlay = overlay;
        this.leases = new Leases(overlay.limits().leasing(), overlay.alarms());
        this.view = new PeerView(overlay.self(), overlay.limits().viewing(), overlay.alarms(), overlay.metrics());
        this.gossip = new Gossip(overlay, view, MemberDocuments.of(overlay), seeds);
        this.leaseDesk = new LeaseDesk(overlay, leases, view);
        this.index = new Index(overlay.limits().indexing(), overlay.clock(), scheduler);
        this.replication = new Replication(overlay, view, index);
        this.indexDesk = new IndexDesk(overlay, leases, view, index, replication);
        this.finder = new Finder(overlay, leases, view, index);
        this.ownIndex = new OwnIndex(overlay, indexDesk, finder, () -> !isClosed());
        this.passing = new ServerPassing(overlay, leases, view);
        this.propagation = new Propagation(overlay, passing);
    }

    static RendezvousServer start(Overlay overlay, List<Seed> seeds, ScheduledExecutorService scheduler) {
        RendezvousServer server = new RendezvousServer(overlay, seeds, scheduler);
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
        owns(overlay.endpoint().listen(Overlay.SERVICE, Limits.MIN_WINDOW_BYTES, propagation::onMessage));
        owns(overlay.endpoint().watch(gossip));
        owns(overlay.endpoint().watch(leaseDesk));
        view.onChange(replication::onViewChanged);
        owns(resolver.handle(Overlay.LEASE, leaseDesk::onQuery));
        owns(resolver.handle(Overlay.VIEW, gossip::onQuery));
        owns(resolver.handle(Overlay.PUBLISH, indexDesk::onPublish));
        owns(resolver.handle(Overlay.REPLICATE, indexDesk::onReplicate));
        owns(resolver.handle(Overlay.FIND, finder::onQuery));
    }

    private void tidy() {
        cancelTidying = overlay.alarms()
                .after(
                        TIDY_INTERVAL,
                        () -> overlay.execute(() -> {
                            leases.expire();
                            index.expire();
                            tidy();
                        }));
        if (isClosed()) {
            cancelTidying.run();
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
        if (isClosed()) {
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
    public RendezvousMetrics metrics() {
        return overlay.metrics();
    }

    /** How many advertisements it keeps. */
    int indexed() {
        return index.size();
    }

    @Override
    CompletableFuture<Void> farewell() {
        cancelTidying.run();
        return gossip.close();
    }

    @Override
    void end() {
        cancelTidying.run();
        propagation.close();
        replication.close();
        index.close();
    }

    @Override
    public String toString() {
        return "rendezvous " + overlay.self().shortText() + ", knows " + view.size() + " others";
    }
}
