package io.parley.discovery;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.endpoint.AsyncCloseable;
import io.parley.id.GroupId;
import java.util.List;
import java.util.concurrent.CompletableFuture;

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
     * Publishes an advertisement, and keeps it published until that is closed. Of two with the same key the later counts.
     *
     * @throws IllegalArgumentException when it belongs to another group or may only be published by another peer
     * @throws io.parley.error.ParleyException when it is too large, when there are too many, when the store refuses it
     */
    Publication publish(Advertisement advertisement, PublishOptions options);

    /** Publishes with {@link PublishOptions#DEFAULTS}. */
    default Publication publish(Advertisement advertisement) {
        return publish(advertisement, PublishOptions.DEFAULTS);
    }

    /** What this peer has published or heard of, without asking anybody; reads the store. */
    List<SignedAdvertisement> local(DiscoveryQuery query, int limit);

    /**
     * Searches. The listener gets each result once, as it comes. Searches for the same that run at the same time
     * share their questions to others.
     */
    Search search(DiscoveryQuery query, SearchOptions options, DiscoveryListener listener);

    /** As {@link #search}, with all results at the end. Cancelling it ends the search. */
    CompletableFuture<List<SignedAdvertisement>> find(DiscoveryQuery query, SearchOptions options);

    /**
     * Hears of every advertisement of another peer that is new or newer, from now on.
     *
     * @return closing it ends that
     */
    AsyncCloseable listen(DiscoveryListener listener);
}
