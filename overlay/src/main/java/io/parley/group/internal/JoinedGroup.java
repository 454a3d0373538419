package io.parley.group.internal;

import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.common.internal.Closeables;
import io.parley.discovery.Discovery;
import io.parley.discovery.PublishOptions;
import io.parley.discovery.internal.DiscoveryBuilder;
import io.parley.endpoint.Endpoint;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.resolver.internal.GroupResolver;
import io.parley.resolver.internal.Propagator;
import io.parley.resolver.internal.Resolver;
import io.parley.resolver.internal.ResolverBuilder;
import io.parley.transport.EndpointAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A group with services of its own. */
final class JoinedGroup implements PeerGroup {

    private static final Logger log = LoggerFactory.getLogger(JoinedGroup.class);

    /** How long others believe that a peer is there which went without a word. */
    private static final Duration PEER_EXPIRATION = Duration.ofMinutes(10);

    private final GroupContext services;
    private final GroupId id;
    private final String name;
    private final GroupResolver resolver;
    private final Discovery discovery;
    private final PeerLocator locating;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    JoinedGroup(GroupContext services, GroupId id, String name) {
        this.services = services;
        this.id = id;
        this.name = name;
        this.resolver = new ResolverBuilder(services.endpoint(), id, services.callbacks())
                .scheduler(services.scheduler())
                .open();
        try {
            this.discovery = new DiscoveryBuilder(
                            resolver,
                            services.endpoint(),
                            services.store(),
                            services.signer(),
                            services.verifier(),
                            services.callbacks())
                    .index(services.rendezvous().index())
                    .scheduler(services.scheduler())
                    .open();
            this.locating = new PeerLocator(services.endpoint(), discovery, services.callbacks());
            joinOverlay();
            propagateBy(new DeferredPropagator(services.nearby()));
            discovery.publish(self(), PublishOptions.DEFAULTS.withExpiration(PEER_EXPIRATION));
        } catch (RuntimeException e) {
            services.rendezvous().leave(id);
            resolver.closeAsync(); // and with it the discovery
            throw e;
        }
    }

    /** Fails when there is no room for another group. */
    private void joinOverlay() {
        CompletableFuture<Void> joining = services.rendezvous().join(id);
        if (joining.isCompletedExceptionally()) {
            try {
                joining.join();
            } catch (CompletionException e) {
                throw ParleyException.unchecked(e);
            }
        }
        propagateBy(services.rendezvous().propagator(id));
    }

    private void propagateBy(Propagator way) {
        try {
            resolver.addPropagator(way);
        } catch (ParleyException e) { // it has been left meanwhile
            log.debug("Group {} does not propagate by {}: {}", name, way, e.getMessage());
        }
    }

    private PeerAdvertisement self() {
        PeerId peer = services.endpoint().peerId();
        PeerAdvertisement advertisement = PeerAdvertisement.of(peer, id, services.peerName());
        List<String> addresses = services.endpoint().addresses().stream()
                .map(EndpointAddress::toString)
                .toList();
        return addresses.isEmpty() ? advertisement : advertisement.withRoute(RouteAdvertisement.of(peer, addresses));
    }

    @Override
    public GroupId id() {
        return id;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String peerName() {
        return services.peerName();
    }

    @Override
    public Discovery discovery() {
        return discovery;
    }

    @Override
    public Resolver resolver() {
        return resolver;
    }

    @Override
    public CompletableFuture<Void> locate(PeerId peer) {
        return locating.locate(peer);
    }

    @Override
    public Endpoint endpoint() {
        return services.endpoint();
    }

    @Override
    public Executor callbackExecutor() {
        return services.callbacks();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            discovery.closeAsync().whenComplete((withdrawn, failure) -> {
                services.rendezvous().leave(id);
                resolver.closeAsync().whenComplete((done, problem) -> closed.complete(null));
            });
        }
        return closed.copy();
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
        Closeables.closeAndAwait(this, services.endpoint().limits().closeTimeout());
    }

    @Override
    public String toString() {
        return "PeerGroup " + name;
    }
}
