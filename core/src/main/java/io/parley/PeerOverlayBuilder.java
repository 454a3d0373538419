package io.parley;

import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.AdvertisementSigner;
import io.parley.advertisement.AdvertisementTypeRegistry;
import io.parley.advertisement.AdvertisementVerifier;
import io.parley.advertisement.store.AdvertisementStore;
import io.parley.advertisement.store.StoreLimits;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointAddress;
import io.parley.endpoint.PeerAddress;
import io.parley.endpoint.PropagationTransport;
import io.parley.endpoint.PropagationTransportProvider;
import io.parley.endpoint.TransportContext;
import io.parley.error.ParleyException;
import io.parley.group.GroupContext;
import io.parley.group.GroupRegistry;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousBuilder;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.RendezvousService;
import io.parley.resolver.MulticastPropagator;
import io.parley.resolver.Propagator;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a peer was told about all that is above its endpoint, and the start of it. */
final class PeerOverlayBuilder {

    private static final Logger log = LoggerFactory.getLogger(PeerOverlayBuilder.class);

    private static final String STORE_FILE = "advertisements.mv";

    private final List<String> seeds = new ArrayList<>();
    private boolean isRendezvous;
    private boolean multicast = true;
    private @Nullable PropagationTransportProvider propagation;
    private RendezvousLimits rendezvousLimits = RendezvousLimits.DEFAULTS;
    private StoreLimits storeLimits = StoreLimits.DEFAULTS;

    void addSeed(String seed) {
        if (seed.indexOf('@') >= 0) {
            PeerAddress.parse(seed);
        } else {
            EndpointAddress.parse(seed);
        }
        seeds.add(seed);
    }

    void actAsRendezvous(boolean value) {
        isRendezvous = value;
    }

    void multicast(boolean value) {
        multicast = value;
    }

    void propagation(PropagationTransportProvider value) {
        propagation = value;
    }

    void rendezvousLimits(RendezvousLimits value) {
        rendezvousLimits = value;
    }

    void storeLimits(StoreLimits value) {
        storeLimits = value;
    }

    /**
     * Starts it all. Nothing in here waits for the network or the disk.
     *
     * @param home where the store is kept; {@code null} for one in memory
     */
    PeerOverlay start(
            Endpoint endpoint, TransportContext context, String name, @Nullable Path home, Executor callbacks) {
        ScheduledExecutorService scheduler = StoreScheduler.shared();
        LazyAdvertisementStore store =
                new LazyAdvertisementStore(() -> store(home, context.clock(), scheduler), scheduler);
        try {
            PeerOverlay started = start(endpoint, context, name, callbacks, store, scheduler);
            store.open();
            return started;
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    private PeerOverlay start(
            Endpoint endpoint,
            TransportContext context,
            String name,
            Executor callbacks,
            AdvertisementStore store,
            ScheduledExecutorService scheduler) {
        AdvertisementCodec documents =
                new AdvertisementCodec(AdvertisementTypeRegistry.installed(), AdvertisementLimits.DEFAULTS);
        AdvertisementSigner signer = new AdvertisementSigner(context.identity(), documents, context.clock());
        AdvertisementVerifier verifier = new AdvertisementVerifier(documents, context.clock());
        RendezvousService rendezvous = rendezvous(endpoint, context.identity(), signer, verifier, callbacks, scheduler);
        CompletableFuture<Optional<MulticastPropagator>> nearby = nearby(endpoint, context);
        GroupRegistry groups;
        try {
            groups = new GroupRegistry(new GroupContext(
                    endpoint,
                    name,
                    store,
                    signer,
                    verifier,
                    rendezvous,
                    nearby.thenApply(found -> found.map(Propagator.class::cast)),
                    callbacks));
        } catch (RuntimeException e) {
            nearby.thenAccept(found -> found.ifPresent(MulticastPropagator::closeAsync));
            rendezvous.closeAsync();
            throw e;
        }
        return new PeerOverlay(groups, rendezvous, nearby, store, scheduler);
    }

    /** What another process has in use, or what can't be written, is not worth failing for: it is a cache. */
    private AdvertisementStore store(@Nullable Path home, Clock clock, ScheduledExecutorService scheduler) {
        if (home == null) {
            return AdvertisementStore.inMemory(storeLimits, clock, scheduler);
        }
        try {
            return AdvertisementStore.open(home.resolve(STORE_FILE), storeLimits, clock, scheduler);
        } catch (ParleyException e) {
            log.warn("This peer remembers advertisements only until it ends: {}", e.getMessage());
            return AdvertisementStore.inMemory(storeLimits, clock, scheduler);
        }
    }

    private RendezvousService rendezvous(
            Endpoint endpoint,
            Identity identity,
            AdvertisementSigner signer,
            AdvertisementVerifier verifier,
            Executor callbacks,
            ScheduledExecutorService scheduler) {
        RendezvousBuilder builder = RendezvousService.builder(endpoint, identity, signer, verifier, callbacks)
                .limits(rendezvousLimits);
        for (String seed : seeds) {
            if (seed.indexOf('@') >= 0) {
                builder.seed(PeerAddress.parse(seed));
            } else {
                builder.seed(EndpointAddress.parse(seed));
            }
        }
        return isRendezvous ? builder.startRendezvous(scheduler) : builder.startClient();
    }

    /** Empty where there is no such network, which a peer can do without. */
    private CompletableFuture<Optional<MulticastPropagator>> nearby(Endpoint endpoint, TransportContext context) {
        PropagationTransportProvider provider = multicast ? provider() : null;
        if (provider == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        PropagationTransport transport = provider.create(context);
        return MulticastPropagator.start(endpoint, transport).handle((started, failure) -> {
            if (failure != null) {
                log.warn("Peers nearby can't be found: {}", failure.getMessage());
            }
            return Optional.ofNullable(started);
        });
    }

    private @Nullable PropagationTransportProvider provider() {
        return propagation != null
                ? propagation
                : ServiceLoader.load(PropagationTransportProvider.class, PeerOverlayBuilder.class.getClassLoader())
                        .findFirst()
                        .orElse(null);
    }
}
