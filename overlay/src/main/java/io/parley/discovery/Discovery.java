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
 * Publishes advertisements in one group and finds those of others: in this peer's store, among the peers nearby, and in
 * the index that rendezvous keep. Discoveries of different groups do not see each other's. All methods may be called from
 * any thread; those that read the store may wait for the disk, and do not belong on threads that serve connections.
 *
 * <p>Whatever comes from others is verified, stored until it expires, and taken as the way to its publisher if it is
 * a peer's advertisement of itself. Closing withdraws what is published and ends searches.
 */
public interface Discovery extends AsyncCloseable {

    /** The group. */
    GroupId group();

    /**
     * Publishes an advertisement, and keeps it published until that is closed. Of two with the same key the later counts,
     * and ends the earlier. A peer's advertisement of itself is also announced to the peers nearby, now and then.
     *
     * @throws IllegalArgumentException when it belongs to another group or may only be published by another peer
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE},
     *     {@link io.parley.error.ErrorCode#BUSY} when there are too many, {@link io.parley.error.ErrorCode#CLOSED}
     */
    Publication publish(Advertisement advertisement, PublishOptions options);

    /** Publishes with {@link PublishOptions#DEFAULTS}. */
    default Publication publish(Advertisement advertisement) {
        return publish(advertisement, PublishOptions.DEFAULTS);
    }

    /**
     * What this peer has published or heard of, without asking anybody; reads the store.
     *
     * @throws io.parley.error.ParleyException as the store's search does, {@link io.parley.error.ErrorCode#CLOSED}
     */
    List<SignedAdvertisement> findLocal(DiscoveryQuery query, int limit);

    /**
     * Searches. The listener gets each result once, as it comes, and once more when a newer version of it comes. Searches
     * for the same that run at the same time share their questions to others.
     *
     * @return {@link Search#whenDone()} fails at once with {@link io.parley.error.ErrorCode#BUSY} when too many searches are
     *     under way
     * @throws IllegalArgumentException when deadline or number of results are beyond {@link DiscoveryLimits}, or a text is
     *     one that no store can have
     */
    Search search(DiscoveryQuery query, SearchOptions options, Consumer<SignedAdvertisement> listener);

    /**
     * Searches as {@link #search(DiscoveryQuery, SearchOptions, Consumer)}, with a listener that is not a user callback.
     *
     * @param executor runs the listener, instead of the callback executor
     */
    Search search(DiscoveryQuery query, SearchOptions options, Consumer<SignedAdvertisement> listener, Executor executor);

    /** As {@link #search}, with the newest versions of all results, but for those withdrawn since, at the end. Cancelling it ends the search. */
    CompletableFuture<List<SignedAdvertisement>> find(DiscoveryQuery query, SearchOptions options);

    /**
     * Hears of every advertisement of another peer that is new or newer, from now on, however this peer came to hear of it.
     *
     * @return closing it ends that
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#CLOSED}
     */
    AsyncCloseable addListener(Consumer<SignedAdvertisement> listener);

    /**
     * Has what this peer has heard of so far written to disk, where its store is; otherwise that is done within seconds.
     * What this peer itself publishes is not in there: it is published by whoever runs the peer, each time anew.
     *
     * @return completes when it will survive the end of the process, and of the machine, at once for a store in memory;
     *     fails with {@link io.parley.error.ErrorCode#STORE_UNAVAILABLE}, {@link io.parley.error.ErrorCode#CLOSED}
     */
    CompletableFuture<Void> flush();
}
