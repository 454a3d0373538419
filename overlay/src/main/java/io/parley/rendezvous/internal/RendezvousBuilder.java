package io.parley.rendezvous.internal;

import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.Scheduler;
import io.parley.endpoint.Endpoint;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.resolver.internal.ResolverBuilder;
import io.parley.resolver.internal.ResolverMetrics;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Predicate;

/** Builds a {@link RendezvousRole}. Not thread-safe. */
public final class RendezvousBuilder {

    private final Endpoint endpoint;
    private final Identity identity;
    private final AdvertisementSigner signer;
    private final AdvertisementVerifier verifier;
    private final Executor executor;
    private final List<Seed> seeds = new ArrayList<>();
    private RendezvousLimits limits = RendezvousLimits.DEFAULTS;
    private RendezvousAdmission admission = RendezvousAdmission.OPEN;
    private ResolverMetrics resolverMetrics = new ResolverMetrics();
    private Scheduler scheduler = Scheduler.system();

    /**
     * Starts with the defaults.
     *
     * @param signer   the only signer of the peer
     * @param executor runs handlers and everything else that may block or take long, several tasks at a time
     */
    public RendezvousBuilder(
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

    /** Adds the address of a rendezvous, which authenticates itself when it is connected. */
    public RendezvousBuilder seed(EndpointAddress address) {
        seeds.add(new Seed.AddressSeed(address));
        return this;
    }

    /** Adds a rendezvous whose peer id is known. */
    public RendezvousBuilder seed(PeerAddress address) {
        seeds.add(new Seed.PeerSeed(address));
        return this;
    }

    /** Sets the limits and intervals. */
    public RendezvousBuilder limits(RendezvousLimits value) {
        this.limits = value;
        return this;
    }

    /** Sets which peers may have a lease of this rendezvous, and which other rendezvous it cooperates with. */
    public RendezvousBuilder admission(Predicate<PeerId> clients, Predicate<PeerId> fellows) {
        this.admission = new RendezvousAdmission(clients, fellows);
        return this;
    }

    /** Sets the counters of the resolver, which several resolvers may share. */
    public RendezvousBuilder resolverMetrics(ResolverMetrics value) {
        this.resolverMetrics = value;
        return this;
    }

    /** Sets the scheduler, whose clock must be that of the signer. */
    public RendezvousBuilder scheduler(Scheduler value) {
        this.scheduler = value;
        return this;
    }

    /**
     * Starts as a client, which begins to search for a rendezvous.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#NO_TRANSPORT} if no transport serves a seed,
     *     {@link io.parley.error.ErrorCode#ALREADY_BOUND} if the peer has such a service,
     *     {@link io.parley.error.ErrorCode#CLOSED}
     */
    public RendezvousRole startClient() {
        requireTransports();
        return RendezvousClient.start(context(), seeds);
    }

    /**
     * Starts as a rendezvous. The seeds are other rendezvous; this peer itself may be among them.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#NO_TRANSPORT} if no transport serves a seed,
     *     {@link io.parley.error.ErrorCode#ALREADY_BOUND} if the peer has such a service,
     *     {@link io.parley.error.ErrorCode#CLOSED}
     */
    public RendezvousRole startRendezvous() {
        requireTransports();
        return RendezvousServer.start(context(), seeds);
    }

    /** A seed that can never be reached is an error of the configuration, so it is not retried. */
    private void requireTransports() {
        Set<String> schemes = endpoint.schemes();
        for (Seed seed : seeds) {
            List<String> needed = seed.addresses().stream()
                    .map(EndpointAddress::scheme)
                    .distinct()
                    .toList();
            if (!needed.isEmpty() && Collections.disjoint(needed, schemes)) {
                throw ErrorCode.NO_TRANSPORT.exception("rendezvous " + seed + ": no transport serves "
                        + String.join(", ", needed) + " (found: " + String.join(", ", schemes)
                        + "); add the artifact io.parley:parley-transport-" + needed.get(0) + " to the class path");
            }
        }
    }

    private RendezvousContext context() {
        return new RendezvousContext(
                endpoint,
                identity,
                signer,
                verifier,
                new ResolverBuilder(endpoint, RendezvousContext.GROUP, executor)
                        .limits(RendezvousContext.RESOLVER_LIMITS)
                        .metrics(resolverMetrics)
                        .scheduler(scheduler)
                        .open(),
                executor,
                scheduler,
                limits,
                admission,
                new RendezvousMetrics());
    }
}
