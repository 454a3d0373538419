package io.parley;

import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryLimits;
import io.parley.discovery.internal.DiscoveryMetrics;
import io.parley.discovery.internal.RemoteIndex;
import io.parley.endpoint.Endpoint;
import io.parley.error.ParleyException;
import io.parley.group.MemberViewLimits;
import io.parley.group.internal.GroupContext;
import io.parley.group.internal.GroupRegistry;
import io.parley.group.internal.ServiceCounters;
import io.parley.id.PeerId;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousBuilder;
import io.parley.rendezvous.internal.RendezvousRole;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.MulticastPropagator;
import io.parley.resolver.internal.Propagator;
import io.parley.resolver.internal.ResolverMetrics;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.PropagationTransport;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.TransportContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects the settings of the parts of a peer above its endpoint, and starts these parts. Not thread-safe. */
final class PeerOverlayBuilder {

    private static final Logger log = LoggerFactory.getLogger(PeerOverlayBuilder.class);

    /** Above that of a tombstone. */
    private static final Duration MIN_EXPIRATION = RemoteIndex.WITHDRAWAL_EXPIRATION.plusSeconds(5);

    /** Other peers keep nothing longer. */
    private static final Duration MAX_EXPIRATION = AdvertisementSigner.DEFAULT_EXPIRATION;

    private static final String STORE_FILE = "advertisements.mv";

    private final List<Consumer<RendezvousBuilder>> seeds = new ArrayList<>();
    private boolean isRendezvous;
    private Consumer<RendezvousBuilder> admission = builder -> {};
    private boolean multicast = true;
    private @Nullable PropagationTransportProvider propagation;
    private RendezvousLimits rendezvousLimits = RendezvousLimits.DEFAULTS;
    private StoreLimits storeLimits = StoreLimits.DEFAULTS;
    private DiscoveryLimits discoveryLimits = DiscoveryLimits.DEFAULTS;
    private MemberViewLimits memberViewLimits = MemberViewLimits.DEFAULTS;
    private ResolverLimits resolverLimits = ResolverLimits.DEFAULTS;
    private AdvertisementLimits advertisementLimits = AdvertisementLimits.DEFAULTS;

    void addSeed(PeerAddress seed) {
        seeds.add(builder -> builder.seed(seed));
    }

    void addSeed(EndpointAddress seed) {
        seeds.add(builder -> builder.seed(seed));
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

    void rendezvousAdmission(Predicate<PeerId> clients, Predicate<PeerId> fellows) {
        admission = builder -> builder.admission(clients, fellows);
    }

    void rendezvousLimits(UnaryOperator<RendezvousLimits> change) {
        rendezvousLimits = change.apply(rendezvousLimits);
    }

    void storeLimits(UnaryOperator<StoreLimits> change) {
        storeLimits = change.apply(storeLimits);
    }

    void discoveryLimits(UnaryOperator<DiscoveryLimits> change) {
        discoveryLimits = change.apply(discoveryLimits);
    }

    void memberViewLimits(UnaryOperator<MemberViewLimits> change) {
        memberViewLimits = change.apply(memberViewLimits);
    }

    void resolverLimits(UnaryOperator<ResolverLimits> change) {
        resolverLimits = change.apply(resolverLimits);
    }

    void advertisementLimits(UnaryOperator<AdvertisementLimits> change) {
        advertisementLimits = change.apply(advertisementLimits);
    }

    /**
     * Starts all parts. Does not wait for the network or the disk.
     *
     * @param home      the directory of the store; {@code null} for a store in memory
     * @param callbacks runs user callbacks
     * @param work      runs the peer's own work
     */
    PeerOverlay start(
            Endpoint endpoint,
            TransportContext context,
            String name,
            @Nullable Path home,
            Executor callbacks,
            Executor work) {
        Executor storeExecutor = StoreExecutor.shared();
        LazyAdvertisementStore store =
                new LazyAdvertisementStore(() -> store(home, context.scheduler(), storeExecutor), storeExecutor);
        PeerOverlay started;
        try {
            started = start(endpoint, context, name, callbacks, work, store, storeExecutor);
        } catch (RuntimeException | Error e) {
            store.close();
            throw e;
        }
        try {
            store.open();
        } catch (RuntimeException | Error e) {
            started.close(endpoint.limits().closeTimeout());
            throw e;
        }
        return started;
    }

    private PeerOverlay start(
            Endpoint endpoint,
            TransportContext context,
            String name,
            Executor callbacks,
            Executor work,
            LazyAdvertisementStore store,
            Executor storeExecutor) {
        AdvertisementCodec codec = AdvertisementCodec.installed(advertisementLimits);
        Scheduler scheduler = context.scheduler();
        AdvertisementSigner signer = new AdvertisementSigner(context.identity(), codec, scheduler.clock());
        AdvertisementVerifier verifier = new AdvertisementVerifier(codec, scheduler.clock());
        ResolverMetrics resolverMetrics = new ResolverMetrics();
        DiscoveryMetrics discoveryMetrics = new DiscoveryMetrics();
        ServiceCounters serviceCounters = ServiceCounters.installed();
        RendezvousRole rendezvous = rendezvous(endpoint, context, signer, verifier, work, resolverMetrics);
        CompletableFuture<Optional<MulticastPropagator>> multicastPropagator;
        try {
            multicastPropagator = multicast(endpoint, context);
        } catch (RuntimeException | Error e) {
            rendezvous.closeAsync();
            throw e;
        }
        GroupRegistry groups;
        try {
            groups = new GroupRegistry(new GroupContext(
                    endpoint,
                    context.identity(),
                    name,
                    store,
                    signer,
                    verifier,
                    rendezvous,
                    multicastPropagator.thenApply(found -> found.map(Propagator.class::cast)),
                    callbacks,
                    work,
                    scheduler,
                    resolverLimits,
                    resolverMetrics,
                    discoveryLimits,
                    storeLimits,
                    memberViewLimits,
                    expiration(),
                    discoveryMetrics,
                    serviceCounters));
        } catch (RuntimeException | Error e) {
            multicastPropagator.thenAccept(found -> found.ifPresent(MulticastPropagator::closeAsync));
            rendezvous.closeAsync();
            throw e;
        }
        PeerMetrics metrics = new PeerMetrics(
                endpoint.metrics(),
                resolverMetrics,
                discoveryMetrics,
                rendezvous.metrics(),
                store::metrics,
                serviceCounters);
        return new PeerOverlay(groups, rendezvous, multicastPropagator, store, storeExecutor, scheduler, metrics);
    }

    /** One lease period: what a peer has published is forgotten as soon after its end as its lease. */
    private Duration expiration() {
        Duration lease = rendezvousLimits.lease().lease();
        if (lease.compareTo(MIN_EXPIRATION) < 0) {
            return MIN_EXPIRATION;
        }
        return lease.compareTo(MAX_EXPIRATION) > 0 ? MAX_EXPIRATION : lease;
    }

    /** Falls back to memory if the file cannot be read or written, because the store is only a cache. */
    private AdvertisementStore store(@Nullable Path home, Scheduler scheduler, Executor executor) {
        if (home == null) {
            return AdvertisementStore.inMemory(storeLimits, scheduler, executor);
        }
        try {
            return AdvertisementStore.open(home.resolve(STORE_FILE), storeLimits, scheduler, executor);
        } catch (ParleyException e) {
            log.warn("Advertisements of other peers are kept in memory until this peer closes: {}", e.getMessage());
            return AdvertisementStore.inMemory(storeLimits, scheduler, executor);
        }
    }

    private RendezvousRole rendezvous(
            Endpoint endpoint,
            TransportContext context,
            AdvertisementSigner signer,
            AdvertisementVerifier verifier,
            Executor work,
            ResolverMetrics resolverMetrics) {
        RendezvousBuilder builder = new RendezvousBuilder(endpoint, context.identity(), signer, verifier, work)
                .scheduler(context.scheduler())
                .resolverMetrics(resolverMetrics)
                .limits(rendezvousLimits);
        seeds.forEach(seed -> seed.accept(builder));
        admission.accept(builder);
        return isRendezvous ? builder.startRendezvous() : builder.startClient();
    }

    /** Starts to propagate on the local network. Completes with empty if there is none: a peer can run without it. */
    private CompletableFuture<Optional<MulticastPropagator>> multicast(Endpoint endpoint, TransportContext context) {
        PropagationTransportProvider provider = multicast ? provider() : null;
        if (provider == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        PropagationTransport transport = provider.create(context);
        return MulticastPropagator.start(endpoint, transport).handle((started, failure) -> {
            if (failure != null) {
                log.warn("Cannot discover peers on the local network: {}", failure.getMessage());
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
