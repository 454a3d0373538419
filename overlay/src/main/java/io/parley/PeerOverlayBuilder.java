package io.parley;

import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.Scheduler;
import io.parley.endpoint.Endpoint;
import io.parley.error.ParleyException;
import io.parley.group.internal.GroupContext;
import io.parley.group.internal.GroupRegistry;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousBuilder;
import io.parley.rendezvous.internal.RendezvousRole;
import io.parley.resolver.internal.MulticastPropagator;
import io.parley.resolver.internal.Propagator;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.PropagationTransport;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.TransportContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
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
        Executor storeExecutor = StoreExecutor.shared();
        LazyAdvertisementStore store =
                new LazyAdvertisementStore(() -> store(home, context.scheduler(), storeExecutor), storeExecutor);
        try {
            PeerOverlay started = start(endpoint, context, name, callbacks, store, storeExecutor);
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
            Executor storeExecutor) {
        AdvertisementCodec documents = AdvertisementCodec.installed(AdvertisementLimits.DEFAULTS);
        AdvertisementSigner signer = new AdvertisementSigner(
                context.identity(), documents, context.scheduler().clock());
        AdvertisementVerifier verifier =
                new AdvertisementVerifier(documents, context.scheduler().clock());
        RendezvousRole rendezvous = rendezvous(endpoint, context, signer, verifier, callbacks);
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
                    callbacks,
                    context.scheduler()));
        } catch (RuntimeException e) {
            nearby.thenAccept(found -> found.ifPresent(MulticastPropagator::closeAsync));
            rendezvous.closeAsync();
            throw e;
        }
        return new PeerOverlay(groups, rendezvous, nearby, store, storeExecutor);
    }

    /** What another process has in use, or what can't be written, is not worth failing for: it is a cache. */
    private AdvertisementStore store(@Nullable Path home, Scheduler scheduler, Executor executor) {
        if (home == null) {
            return AdvertisementStore.inMemory(storeLimits, scheduler, executor);
        }
        try {
            return AdvertisementStore.open(home.resolve(STORE_FILE), storeLimits, scheduler, executor);
        } catch (ParleyException e) {
            log.warn("This peer remembers advertisements only until it ends: {}", e.getMessage());
            return AdvertisementStore.inMemory(storeLimits, scheduler, executor);
        }
    }

    private RendezvousRole rendezvous(
            Endpoint endpoint,
            TransportContext context,
            AdvertisementSigner signer,
            AdvertisementVerifier verifier,
            Executor callbacks) {
        RendezvousBuilder builder = new RendezvousBuilder(endpoint, context.identity(), signer, verifier, callbacks)
                .scheduler(context.scheduler())
                .limits(rendezvousLimits);
        for (String seed : seeds) {
            if (seed.indexOf('@') >= 0) {
                builder.seed(PeerAddress.parse(seed));
            } else {
                builder.seed(EndpointAddress.parse(seed));
            }
        }
        return isRendezvous ? builder.startRendezvous() : builder.startClient();
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
