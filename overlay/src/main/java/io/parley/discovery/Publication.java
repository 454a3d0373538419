package io.parley.discovery;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import java.util.concurrent.CompletableFuture;

/**
 * A published advertisement. It is signed again before it expires at other peers ({@link PublishOptions}), and published at each rendezvous that this peer
 * connects to. Closing withdraws it: locally, and best effort at other peers.
 */
public interface Publication extends AsyncCloseable {

    /** Returns the most recently signed version. */
    SignedAdvertisement signedAdvertisement();

    /**
     * Returns a future that completes when a rendezvous has indexed the advertisement for the first time. It stays incomplete while no
     * rendezvous is available. It fails if the index rejects the advertisement or the publication is closed before.
     */
    CompletableFuture<Void> whenIndexed();
}
