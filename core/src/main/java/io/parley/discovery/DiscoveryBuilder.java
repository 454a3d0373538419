package io.parley.discovery;

import io.parley.advertisement.AdvertisementSigner;
import io.parley.advertisement.AdvertisementVerifier;
import io.parley.advertisement.store.AdvertisementStore;
import io.parley.endpoint.Endpoint;
import io.parley.resolver.Resolver;
import io.parley.resolver.Scheduler;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Collects a discovery's settings. Not thread-safe. */
public final class DiscoveryBuilder {

    private final Resolver resolver;
    private final Endpoint endpoint;
    private final AdvertisementStore store;
    private final AdvertisementSigner signer;
    private final AdvertisementVerifier verifier;
    private final Executor executor;
    private @Nullable RemoteIndex index;
    private DiscoveryLimits limits = DiscoveryLimits.DEFAULTS;
    private Clock clock = Clock.systemUTC();
    private Scheduler alarms = Scheduler.system();
    private RandomGenerator random = new SecureRandom();

    DiscoveryBuilder(
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

    /** Tells when advertisements are due to be signed anew; the signer's clock. */
    public DiscoveryBuilder clock(Clock value) {
        this.clock = value;
        return this;
    }

    /** Wakes up for deadlines and all else that takes time. */
    public DiscoveryBuilder alarms(Scheduler value) {
        this.alarms = value;
        return this;
    }

    /** Spreads what would otherwise come all at once; nobody is harmed who can guess it. Has to be safe from any thread. */
    public DiscoveryBuilder random(RandomGenerator value) {
        this.random = value;
        return this;
    }

    /**
     * Opens the discovery, which then answers.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND} when the peer has a discovery
     *     for the group, {@link io.parley.error.ErrorCode#CLOSED}
     */
    public Discovery open() {
        DiscoveryContext context =
                new DiscoveryContext(resolver.group(), executor, limits, new DiscoveryMetrics(), alarms, clock, random);
        return GroupDiscovery.open(context, resolver, endpoint, store, signer, verifier, index);
    }
}
