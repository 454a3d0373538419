package io.parley.group.internal;

import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryLimits;
import io.parley.discovery.internal.DiscoveryMetrics;
import io.parley.endpoint.Endpoint;
import io.parley.group.MemberViewLimits;
import io.parley.identity.Identity;
import io.parley.rendezvous.internal.RendezvousRole;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.Propagator;
import io.parley.resolver.internal.ResolverMetrics;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The shared dependencies of the groups of one peer. The groups close none of them.
 *
 * @param endpoint         sends and receives messages
 * @param identity         the key pair of the peer
 * @param peerName         the name that other members see
 * @param store            holds the advertisements of all groups
 * @param signer           signs the advertisements of this peer
 * @param verifier         verifies those of other peers
 * @param rendezvous       the role of the peer beyond the local network
 * @param multicast        completes with the propagator of the local network; empty if there is none
 * @param callbackExecutor runs user callbacks
 * @param workExecutor     runs the peer's own work, which may wait for the disk
 * @param scheduler        the source of time
 * @param resolverLimits   the limits of each group's resolver
 * @param resolverMetrics  counts for the resolvers of all groups
 * @param discoveryLimits  the limits of each group's discovery
 * @param storeLimits      the limits of the store
 * @param memberViewLimits the limits of the view of each group
 * @param expiration       the time for which other peers keep what this peer publishes, unless the publication gives another one
 * @param discoveryMetrics counts for the discoveries of all groups
 * @param serviceCounters  counts for the services that are built on the groups
 */
public record GroupContext(
        Endpoint endpoint,
        Identity identity,
        String peerName,
        AdvertisementStore store,
        AdvertisementSigner signer,
        AdvertisementVerifier verifier,
        RendezvousRole rendezvous,
        CompletableFuture<Optional<Propagator>> multicast,
        Executor callbackExecutor,
        Executor workExecutor,
        Scheduler scheduler,
        ResolverLimits resolverLimits,
        ResolverMetrics resolverMetrics,
        DiscoveryLimits discoveryLimits,
        StoreLimits storeLimits,
        MemberViewLimits memberViewLimits,
        Duration expiration,
        DiscoveryMetrics discoveryMetrics,
        ServiceCounters serviceCounters) {}
