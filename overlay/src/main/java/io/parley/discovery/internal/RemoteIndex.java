package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.AsyncCloseable;
import io.parley.discovery.DiscoveryQuery;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The index that rendezvous keep of advertisements published in a group. Thread-safe. */
public interface RemoteIndex {

    /** The maximum expiration of a tombstone, see {@link AdvertisementVerifier#WITHDRAWAL_EXPIRATION}. */
    Duration WITHDRAWAL_EXPIRATION = AdvertisementVerifier.WITHDRAWAL_EXPIRATION;

    /** Returns whether the index is available: a rendezvous has granted a lease, or this peer is a rendezvous. */
    boolean isAvailable();

    /** Returns the rendezvous that {@link #find} queries now; empty if there is none or the index does not name it. */
    default Optional<PeerId> rendezvous() {
        return Optional.empty();
    }

    /**
     * Runs the task each time the index becomes available, including when another rendezvous takes over and needs the publications
     * of this peer; and immediately if the index is available now. The task must not block.
     *
     * @return a registration that removes the task when it is closed
     */
    AsyncCloseable onAvailable(Runnable task);

    /**
     * Publishes advertisements. The newest version of each key wins, including tombstones: see {@link #WITHDRAWAL_EXPIRATION}.
     *
     * @return a future that completes when the index has stored them; it fails with
     *     {@link io.parley.error.ErrorCode#UNREACHABLE} if there is no index, {@link io.parley.error.ErrorCode#REJECTED_BY_PEER} if the
     *     quota is exceeded, or like a query to a peer
     */
    CompletableFuture<Void> publish(GroupId group, List<SignedAdvertisement> advertisements);

    /**
     * Searches the index.
     *
     * @param offset number of results to skip: 0 at first, then {@link IndexPage#next}
     * @param limit  maximum number of results, at least 1; the index may return fewer
     * @return a future of the results; it fails with {@link io.parley.error.ErrorCode#UNREACHABLE} if there is no index, or like a
     *     query to a peer
     */
    CompletableFuture<IndexPage> find(GroupId group, DiscoveryQuery query, int offset, int limit, Duration timeout);
}
