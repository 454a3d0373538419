package io.parley.rendezvous;

import io.parley.discovery.RemoteIndex;
import io.parley.endpoint.Limits;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.resolver.Propagator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The service of a peer that is no rendezvous. */
final class RendezvousClient extends Lifecycle implements RendezvousService {

    private final Overlay overlay;
    private final LeaseKeeper keeper;
    private final Availability availability;
    private final ClientIndex index;
    private final Propagation propagation;

    private RendezvousClient(Overlay overlay, List<Seed> seeds) {
        super(overlay);
        this.overlay = overlay;
        this.keeper = new LeaseKeeper(
                overlay,
                new Candidates(seeds, overlay.random()),
                MemberDocuments.of(overlay),
                rendezvous -> announce());
        this.availability =
                new Availability(() -> !isClosed() && keeper.rendezvous().isPresent());
        this.index = new ClientIndex(overlay, keeper, availability);
        this.propagation = new Propagation(overlay, new ClientPassing(overlay, keeper));
    }

    static RendezvousClient start(Overlay overlay, List<Seed> seeds) {
        RendezvousClient client = new RendezvousClient(overlay, seeds);
        try {
            client.owns(
                    overlay.endpoint().listen(Overlay.SERVICE, Limits.MIN_WINDOW_BYTES, client.propagation::onMessage));
            client.owns(overlay.endpoint().watch(client.keeper));
        } catch (ParleyException e) {
            client.closeAsync();
            throw e;
        }
        client.followsEndpoint();
        client.keeper.start();
        return client;
    }

    private void announce() {
        availability.announce();
    }

    @Override
    public boolean isRendezvous() {
        return false;
    }

    @Override
    public Set<PeerId> rendezvous() {
        return keeper.rendezvous().stream().collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public Set<PeerId> clients() {
        return Set.of();
    }

    @Override
    public CompletableFuture<Void> join(GroupId group) {
        return keeper.join(group);
    }

    @Override
    public void leave(GroupId group) {
        keeper.leave(group);
    }

    @Override
    public RemoteIndex index() {
        return index;
    }

    @Override
    public Propagator propagator(GroupId group) {
        return new GroupPropagator(propagation, group);
    }

    @Override
    public RendezvousMetrics metrics() {
        return overlay.metrics();
    }

    @Override
    CompletableFuture<Void> farewell() {
        return keeper.close();
    }

    @Override
    void end() {
        index.close();
        propagation.close();
    }

    @Override
    public String toString() {
        return "client " + overlay.self().shortText() + " of rendezvous "
                + keeper.rendezvous().map(PeerId::shortText).orElse("none");
    }
}
