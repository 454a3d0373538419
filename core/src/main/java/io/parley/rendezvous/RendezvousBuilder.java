package io.parley.rendezvous;

import io.parley.advertisement.AdvertisementSigner;
import io.parley.advertisement.AdvertisementVerifier;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointAddress;
import io.parley.endpoint.PeerAddress;
import io.parley.identity.Identity;
import io.parley.resolver.Resolver;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.Scheduler;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/** Collects the settings of a {@link RendezvousService}. Not thread-safe. */
public final class RendezvousBuilder {

    /** What costs much has rates of its own; a rendezvous asks another for all its clients. Nothing is propagated. */
    private static final ResolverLimits RESOLVER_LIMITS = ResolverLimits.DEFAULTS.withRates(20_000, 1);

    private final Endpoint endpoint;
    private final Identity identity;
    private final AdvertisementSigner signer;
    private final AdvertisementVerifier verifier;
    private final Executor executor;
    private final List<Seed> seeds = new ArrayList<>();
    private RendezvousLimits limits = RendezvousLimits.DEFAULTS;
    private Clock clock = Clock.systemUTC();
    private Scheduler alarms = Scheduler.system();
    private Random random = new SecureRandom();

    RendezvousBuilder(
            Endpoint endpoint,
            Identity identity,
            AdvertisementSigner signer,
            AdvertisementVerifier verifier,
            Executor executor) {
        this.endpoint = endpoint;
        this.identity = identity;
        this.signer = signer;
        this.verifier = verifier;
        this.executor = executor;
    }

    /** Where a rendezvous is said to be; it is known by what it proves when it answers. */
    public RendezvousBuilder seed(EndpointAddress address) {
        seeds.add(new Seed.AddressSeed(address));
        return this;
    }

    /** A rendezvous that is known. */
    public RendezvousBuilder seed(PeerAddress address) {
        seeds.add(new Seed.PeerSeed(address));
        return this;
    }

    /** The bounds, and how often what is done. */
    public RendezvousBuilder limits(RendezvousLimits value) {
        this.limits = value;
        return this;
    }

    /** Tells the time of day; the system's unless said otherwise. */
    public RendezvousBuilder clock(Clock value) {
        this.clock = value;
        return this;
    }

    RendezvousBuilder alarms(Scheduler value) {
        this.alarms = value;
        return this;
    }

    RendezvousBuilder random(Random value) {
        this.random = value;
        return this;
    }

    /**
     * Starts as a client, which begins to look for a rendezvous.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND} when the peer has such a
     *     service, {@link io.parley.error.ErrorCode#CLOSED}
     */
    public RendezvousService startClient() {
        return RendezvousClient.start(overlay(), seeds);
    }

    /**
     * Starts as a rendezvous; the seeds are others, and this peer itself may be among them.
     *
     * @param scheduler removes from the index what has expired; never shut down here
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND} when the peer has such a
     *     service, {@link io.parley.error.ErrorCode#CLOSED}
     */
    public RendezvousService startRendezvous(ScheduledExecutorService scheduler) {
        return RendezvousServer.start(overlay(), seeds, scheduler);
    }

    private RendezvousContext overlay() {
        return new RendezvousContext(
                endpoint,
                identity,
                signer,
                verifier,
                Resolver.builder(endpoint, RendezvousContext.GROUP, executor)
                        .limits(RESOLVER_LIMITS)
                        .open(),
                executor,
                alarms,
                clock,
                random,
                limits,
                new RendezvousMetrics());
    }
}
