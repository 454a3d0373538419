package io.parley.group.internal;

import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.Scheduler;
import io.parley.endpoint.Endpoint;
import io.parley.rendezvous.internal.RendezvousRole;
import io.parley.resolver.internal.Propagator;
import io.parley.store.internal.AdvertisementStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * What the groups of one peer stand on. They close none of it.
 *
 * @param endpoint   sends and receives
 * @param peerName   the name that members see
 * @param store      keeps the advertisements of all groups
 * @param signer     signs what this peer publishes
 * @param verifier   looks at what others have published
 * @param rendezvous the way to those who are not nearby
 * @param nearby     the way to those who are, as soon as it is there; empty where there is none
 * @param callbacks  runs user callbacks, and what may wait for the disk
 * @param scheduler  the source of time
 */
public record GroupContext(
        Endpoint endpoint,
        String peerName,
        AdvertisementStore store,
        AdvertisementSigner signer,
        AdvertisementVerifier verifier,
        RendezvousRole rendezvous,
        CompletableFuture<Optional<Propagator>> nearby,
        Executor callbacks,
        Scheduler scheduler) {}
