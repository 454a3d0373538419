package io.parley.group;

import io.parley.advertisement.AdvertisementSigner;
import io.parley.advertisement.AdvertisementVerifier;
import io.parley.advertisement.store.AdvertisementStore;
import io.parley.endpoint.Endpoint;
import io.parley.rendezvous.RendezvousService;
import io.parley.resolver.Propagator;
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
 */
public record GroupContext(
        Endpoint endpoint,
        String peerName,
        AdvertisementStore store,
        AdvertisementSigner signer,
        AdvertisementVerifier verifier,
        RendezvousService rendezvous,
        CompletableFuture<Optional<Propagator>> nearby,
        Executor callbacks) {}
