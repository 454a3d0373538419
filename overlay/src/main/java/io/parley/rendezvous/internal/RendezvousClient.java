package io.parley.rendezvous.internal;

import io.parley.discovery.internal.RemoteIndex;
import io.parley.endpoint.ServiceOptions;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousStatus;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The service of a client. */
final class RendezvousClient extends AbstractRendezvousService {

    private final RendezvousContext context;
    private final LeaseClient leaseClient;
    private final ClientIndex index;
    private final GroupMessageRouter router;

    private RendezvousClient(RendezvousContext context, List<Seed> seeds) {
        super(context);
        this.context = context;
        this.leaseClient = new LeaseClient(
                context,
                new RendezvousCandidates(seeds, context.scheduler().random()),
                PeerViewEntryFactory.of(context),
                rendezvous -> onFreshLease());
        this.index = new ClientIndex(context, leaseClient);
        this.router = new GroupMessageRouter(context, new ClientForwarder(context, leaseClient));
    }

    static RendezvousClient start(RendezvousContext context, List<Seed> seeds) {
        RendezvousClient client = new RendezvousClient(context, seeds);
        try {
            client.addResource(context.endpoint()
                    .listen(
                            RendezvousContext.SERVICE,
                            ServiceOptions.DEFAULTS.withWindowBytes(RendezvousContext.WINDOW_BYTES),
                            client.router::onMessage));
            client.addResource(context.endpoint().addPeerConnectionListener(client.leaseClient));
        } catch (ParleyException e) {
            client.closeAsync();
            throw e;
        }
        client.closeWithEndpoint();
        client.leaseClient.start();
        return client;
    }

    private void onFreshLease() {
        index.fireAvailable();
    }

    @Override
    public boolean isRendezvous() {
        return false;
    }

    @Override
    public Set<PeerId> rendezvous() {
        return leaseClient.rendezvous().stream().collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public Set<PeerId> clients() {
        return Set.of();
    }

    @Override
    public RendezvousStatus status() {
        return leaseClient.status();
    }

    @Override
    public CompletableFuture<Void> join(GroupId group) {
        return leaseClient.join(group);
    }

    @Override
    public void leave(GroupId group) {
        leaseClient.leave(group);
    }

    @Override
    public RemoteIndex index() {
        return index;
    }

    @Override
    GroupMessageRouter router() {
        return router;
    }

    @Override
    CompletableFuture<Void> signOff() {
        return leaseClient.close();
    }

    @Override
    void release() {
        index.close();
    }

    @Override
    public String toString() {
        return "client " + context.self().shortText() + " of rendezvous "
                + leaseClient.rendezvous().map(PeerId::shortText).orElse("none");
    }
}
