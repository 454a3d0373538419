package io.parley.discovery;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.id.GroupId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Publishes advertisements in one group and searches for those of other peers: in the local store, on the local network, and in the
 * index that rendezvous keep. Discoveries of different groups are isolated from each other. Thread-safe. Methods that read the
 * store may wait for the disk, so they must not be called on an event loop.
 *
 * <p>Received advertisements are verified and stored until they expire. A received peer advertisement provides the addresses of its
 * publisher. Closing withdraws the publications and ends the searches.
 */
public interface Discovery extends AsyncCloseable {

    /** Returns the group. */
    GroupId group();

    /**
     * Publishes an advertisement until the publication is closed. If this peer ends without closing it, other peers find it for one more
     * lease period at most, unless the options give another expiration. A publication replaces and closes an earlier one with the same
     * key. The peer's own peer advertisement is also announced on the local network periodically.
     *
     * @throws IllegalArgumentException if the advertisement belongs to another group or only another peer may publish it, or an attribute
     *     cannot be stored
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE},
     *     {@link io.parley.error.ErrorCode#LOCAL_LIMIT} if there are too many publications, or if other peers are to find the
     *     advertisement and it exceeds both the default {@link io.parley.store.StoreLimits} and those of this peer,
     *     {@link io.parley.error.ErrorCode#CLOSED}
     */
    Publication publish(Advertisement advertisement, PublishOptions options);

    /** Publishes with {@link PublishOptions#DEFAULTS}. */
    default Publication publish(Advertisement advertisement) {
        return publish(advertisement, PublishOptions.DEFAULTS);
    }

    /**
     * Returns matching advertisements that this peer has published or received, without querying other peers. Reads the store.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#STORE_UNAVAILABLE},
     *     {@link io.parley.error.ErrorCode#CLOSED}
     */
    List<SignedAdvertisement> findLocal(DiscoveryQuery query, int limit);

    /**
     * Starts a search. The listener receives each result once when it arrives, and again when a newer version of it arrives. It is
     * called on the callback executor, one result at a time. Concurrent searches with equal queries share the remote queries.
     *
     * @return the search; {@link Search#whenDone()} fails immediately with {@link io.parley.error.ErrorCode#BUSY} if there are too
     *     many searches
     * @throws IllegalArgumentException if the number of results exceeds {@link DiscoveryLimits}, or a text cannot be stored
     */
    Search search(DiscoveryQuery query, SearchOptions options, Consumer<SignedAdvertisement> listener);

    /**
     * Starts a search like {@link #search(DiscoveryQuery, SearchOptions, Consumer)}, with a listener that is not a user callback.
     *
     * @param executor runs the listener, instead of the callback executor
     */
    Search search(
            DiscoveryQuery query, SearchOptions options, Consumer<SignedAdvertisement> listener, Executor executor);

    /**
     * Searches like {@link #search} and returns the newest versions of all results, except those withdrawn before the end of the
     * search. The future completes at the end of the search: see {@link Search#whenDone} and {@link SearchOptions#withWaiting}.
     * Cancelling it ends the search.
     */
    CompletableFuture<List<SignedAdvertisement>> find(DiscoveryQuery query, SearchOptions options);

    /**
     * Adds a listener for every new or newer advertisement that this peer receives from other peers, for any reason. The listener is
     * called on the callback executor, one advertisement at a time, after the signature was verified.
     *
     * @return a registration that removes the listener when it is closed
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#CLOSED}
     */
    AsyncCloseable addListener(Consumer<SignedAdvertisement> listener);

    /**
     * Writes all received advertisements to disk; otherwise that happens within seconds. Own publications are not stored: the
     * application publishes them at each start.
     *
     * @return a future that completes when the data survives a failure of the process and of the machine, immediately if the store is
     *     in memory; it fails with {@link io.parley.error.ErrorCode#STORE_UNAVAILABLE} or
     *     {@link io.parley.error.ErrorCode#CLOSED}
     */
    CompletableFuture<Void> flush();
}
