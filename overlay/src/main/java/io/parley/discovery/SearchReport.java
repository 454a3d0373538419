package io.parley.discovery;

import io.parley.id.PeerId;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sources that a search queried, and the failures of those that did not respond. Applications use it to explain a search
 * without results. A source that a search did not need has neither been queried nor failed. Immutable.
 *
 * @param hasLocalResults     whether the local store contained at least one result
 * @param localNetworkQueried whether the query was sent by multicast
 * @param localNetworkFailure the reason why the multicast query could not be sent; {@code null} if there is none
 * @param queriedRendezvous   the rendezvous to which the query was sent, in this order; more than one if the search outlived a
 *     rendezvous; this peer itself if it is a rendezvous
 * @param rendezvousFailure   the reason why no rendezvous responded: {@link io.parley.error.ErrorCode#UNREACHABLE} if there was
 *     none, {@link io.parley.error.ErrorCode#TIMEOUT} if there was no response before the end of the search, or the failure
 *     of the last query; {@code null} if a rendezvous responded or the search did not need one
 */
public record SearchReport(
        boolean hasLocalResults,
        boolean localNetworkQueried,
        @Nullable Throwable localNetworkFailure,
        Set<PeerId> queriedRendezvous,
        @Nullable Throwable rendezvousFailure) {

    /** Copies the set. */
    public SearchReport {
        queriedRendezvous = Collections.unmodifiableSet(new LinkedHashSet<>(queriedRendezvous));
    }
}
