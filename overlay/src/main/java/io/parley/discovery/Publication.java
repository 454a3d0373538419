package io.parley.discovery;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import java.util.concurrent.CompletableFuture;

/**
 * An advertisement that this peer keeps published: it is signed anew before others have to forget it, and told to each
 * rendezvous that takes over. Closing withdraws it, here and, as well as that can be done, elsewhere.
 */
public interface Publication extends AsyncCloseable {

    /** As it was signed last. */
    SignedAdvertisement signedAdvertisement();

    /**
     * Completes when a remote index has it for the first time; never while there is none. Fails when an index refuses it,
     * or when the publication is closed before.
     */
    CompletableFuture<Void> whenIndexed();
}
