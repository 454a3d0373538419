package io.parley.discovery.internal;

import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryLimits;
import io.parley.endpoint.Endpoint;
import io.parley.resolver.internal.Resolver;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Builds a {@link GroupDiscovery}. Not thread-safe. */
public final class DiscoveryBuilder {

    private final Resolver resolver;
    private final Endpoint endpoint;
    private final AdvertisementStore store;
    private final AdvertisementSigner signer;
    private final AdvertisementVerifier verifier;
    private final Executor executor;
    private Executor callbackExecutor;
    private DiscoveryMetrics metrics = new DiscoveryMetrics();
    private @Nullable RemoteIndex index;
    private DiscoveryLimits limits = DiscoveryLimits.DEFAULTS;
    private StoreLimits storeLimits = StoreLimits.DEFAULTS;
    private Duration expiration = AdvertisementSigner.DEFAULT_EXPIRATION;
    private Scheduler scheduler = Scheduler.system();

    /**
     * Creates a builder for the discovery of the resolver's group.
     *
     * @param resolver sends and receives queries; closing the discovery does not close it. Its propagators may be added before or
     *     after
     * @param endpoint receives the addresses of other peers
     * @param store    stores advertisements of other peers; may be shared with other groups
     * @param signer   signs own advertisements
     * @param verifier verifies advertisements of other peers; must use the clock of the store
     * @param executor runs work that may block on the store, several tasks at a time
     */
    public DiscoveryBuilder(
            Resolver resolver,
            Endpoint endpoint,
            AdvertisementStore store,
            AdvertisementSigner signer,
            AdvertisementVerifier verifier,
            Executor executor) {
        this.resolver = resolver;
        this.endpoint = endpoint;
        this.store = store;
        this.signer = signer;
        this.verifier = verifier;
        this.executor = executor;
        this.callbackExecutor = executor;
    }

    /** Sets the executor of listeners. Default: the executor of the work. */
    public DiscoveryBuilder callbackExecutor(Executor value) {
        this.callbackExecutor = value;
        return this;
    }

    /** Sets the counters, which several discoveries may share. */
    public DiscoveryBuilder metrics(DiscoveryMetrics value) {
        this.metrics = value;
        return this;
    }

    /** Sets the index, which closing the discovery does not close. Without an index only the local network is queried. */
    public DiscoveryBuilder index(RemoteIndex value) {
        this.index = value;
        return this;
    }

    /** Sets the limits. */
    public DiscoveryBuilder limits(DiscoveryLimits value) {
        this.limits = value;
        return this;
    }

    /** Sets the limits of the store. Default: {@link StoreLimits#DEFAULTS}. */
    public DiscoveryBuilder storeLimits(StoreLimits value) {
        this.storeLimits = value;
        return this;
    }

    /**
     * Sets the caching time at other peers of publications whose options give none; above {@link RemoteIndex#WITHDRAWAL_EXPIRATION}.
     * Default: {@link AdvertisementSigner#DEFAULT_EXPIRATION}.
     */
    public DiscoveryBuilder expiration(Duration value) {
        this.expiration = value;
        return this;
    }

    /** Sets the source of time, which must be the same as the signer's. */
    public DiscoveryBuilder scheduler(Scheduler value) {
        this.scheduler = value;
        return this;
    }

    /**
     * Opens the discovery, which then responds to queries.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND} if the peer has a discovery
     *     for the group, {@link io.parley.error.ErrorCode#CLOSED}
     */
    public GroupDiscovery open() {
        DiscoveryContext context = new DiscoveryContext(
                resolver.group(), executor, callbackExecutor, limits, storeLimits, expiration, metrics, scheduler);
        return GroupDiscovery.open(context, resolver, endpoint, store, signer, verifier, index);
    }
}
