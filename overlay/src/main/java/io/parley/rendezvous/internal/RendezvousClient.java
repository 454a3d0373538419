package io.parley.rendezvous.internal;

import io.parley.discovery.internal.RemoteIndex;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousStatus;
import io.parley.resolver.internal.Propagator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The service of a peer that is no rendezvous. */
final class RendezvousClient extends AbstractRendezvousService implements RendezvousRole {

    private final RendezvousContext overlay;
    private final LeaseClient keeper;
    private final AvailabilityNotifier availability;
    private final ClientIndex index;
    private final GroupMessageRouter propagation;

    private RendezvousClient(RendezvousContext overlay, List<Seed> seeds) {
        super(overlay);
        this.overlay = overlay;
        this.keeper = new LeaseClient(
                overlay,
                new RendezvousCandidates(seeds, overlay.scheduler().random()),
                PeerViewEntryFactory.of(overlay),
                rendezvous -> announce());
        this.availability = new AvailabilityNotifier(
                () -> !isClosing() && keeper.rendezvous().isPresent());
        this.index = new ClientIndex(overlay, keeper, availability);
        this.propagation = new GroupMessageRouter(overlay, new ClientForwarder(overlay, keeper));
    }

    static RendezvousClient start(RendezvousContext overlay, List<Seed> seeds) {
        RendezvousClient client = new RendezvousClient(overlay, seeds);
        try {
            client.owns(overlay.endpoint()
                    .listen(RendezvousContext.SERVICE, EndpointLimits.MIN_WINDOW_BYTES, client.propagation::onMessage));
            client.owns(overlay.endpoint().addPeerConnectionListener(client.keeper));
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
    public RendezvousStatus status() {
        return keeper.status();
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
