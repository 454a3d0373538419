package io.parley.discovery.internal;

import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryLimits;
import io.parley.endpoint.Endpoint;
import io.parley.resolver.internal.Resolver;
import io.parley.store.internal.AdvertisementStore;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Collects a discovery's settings. Not thread-safe. */
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
    private Scheduler scheduler = Scheduler.system();

    /**
     * Starts the configuration of the discovery of the resolver's group.
     *
     * @param resolver what asks and answers, which stays open when the discovery closes; it may get its ways to propagate
     *     before or after
     * @param endpoint learns the ways to others
     * @param store    keeps what others have published; may serve other groups as well
     * @param signer   signs what this peer publishes
     * @param verifier verifies what others have published, by the same clock as the store's
     * @param executor runs work that may wait for the store, several tasks at a time
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

    /** Also uses this index, which stays open when the discovery closes. Without one, peers nearby are all that is asked. */
    public DiscoveryBuilder index(RemoteIndex value) {
        this.index = value;
        return this;
    }

    /** The bounds on what is held and done. */
    public DiscoveryBuilder limits(DiscoveryLimits value) {
        this.limits = value;
        return this;
    }

    /** Sets the source of time, which must be that of the signer. */
    public DiscoveryBuilder scheduler(Scheduler value) {
        this.scheduler = value;
        return this;
    }

    /**
     * Opens the discovery, which then answers.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND} when the peer has a discovery
     *     for the group, {@link io.parley.error.ErrorCode#CLOSED}
     */
    public GroupDiscovery open() {
        DiscoveryContext context =
                new DiscoveryContext(resolver.group(), executor, callbackExecutor, limits, metrics, scheduler);
        return GroupDiscovery.open(context, resolver, endpoint, store, signer, verifier, index);
    }
}
