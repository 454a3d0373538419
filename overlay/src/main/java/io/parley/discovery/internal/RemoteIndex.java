package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.AsyncCloseable;
import io.parley.discovery.DiscoveryQuery;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** What peers beyond the local network have published, as far as somebody keeps an index of it. Safe from any thread. */
public interface RemoteIndex {

    /**
     * An advertisement that others may keep no longer than that says that it is withdrawn: it replaces older ones, as any
     * does, but is not to be found. So long, and not less, because clocks differ, and who holds it for expired keeps the
     * older one.
     */
    Duration WITHDRAWAL_EXPIRATION = Duration.ofSeconds(10);

    /** Whether there is one now: a rendezvous has granted a lease, or this peer is one. */
    boolean isAvailable();

    /** Returns the rendezvous that {@link #find} queries now; empty if there is none or the index does not name it. */
    default Optional<PeerId> rendezvous() {
        return Optional.empty();
    }

    /**
     * Runs the task each time the index becomes available, also when another rendezvous takes over, which then has to be
     * told what this peer publishes; and at once when it is available now. The task must not block.
     *
     * @return closing it ends that
     */
    AsyncCloseable onAvailable(Runnable task);

    /**
     * Has advertisements indexed. The newest of each key counts: see {@link #WITHDRAWAL_EXPIRATION}.
     *
     * @return completes when the index has them; fails with {@link io.parley.error.ErrorCode#UNREACHABLE} when there is
     *     none, {@link io.parley.error.ErrorCode#REJECTED_BY_PEER} when the quota is used up, or as asking a peer does
     */
    CompletableFuture<Void> publish(GroupId group, List<SignedAdvertisement> advertisements);

    /**
     * Looks something up.
     *
     * @param offset how many to leave out: 0 at first, then {@link IndexPage#next}
     * @param limit  how many at most, at least 1; the index may give fewer
     * @return fails with {@link io.parley.error.ErrorCode#UNREACHABLE} when there is no index, or as asking a peer does
     */
    CompletableFuture<IndexPage> find(GroupId group, DiscoveryQuery query, int offset, int limit, Duration timeout);
}
