package io.parley.discovery.internal;

import io.parley.common.internal.Throwables;
import io.parley.discovery.SearchReport;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Records the sources that a {@link RemoteSearch} queries, and their failures. Thread-safe. */
final class QueriedSources {

    private final Set<PeerId> rendezvous = new LinkedHashSet<>();
    private boolean localNetworkQueried;
    private @Nullable Throwable localNetworkFailure;
    private boolean indexQueried;
    private boolean indexResponded;
    private @Nullable Throwable indexFailure;

    synchronized void onLocalNetworkQueried() {
        localNetworkQueried = true;
    }

    synchronized void onLocalNetworkFailed(Throwable failure) {
        localNetworkQueried = false;
        localNetworkFailure = Throwables.unwrap(failure);
    }

    /** @param peer the rendezvous that receives the query, if the index names it */
    synchronized void onIndexQueried(Optional<PeerId> peer) {
        indexQueried = true;
        indexFailure = null;
        peer.ifPresent(rendezvous::add);
    }

    synchronized void onIndexResponded() {
        indexResponded = true;
    }

    synchronized void onIndexFailed(Throwable failure) {
        indexFailure = Throwables.unwrap(failure);
    }

    synchronized SearchReport report(boolean hasLocalResults) {
        return new SearchReport(
                hasLocalResults, localNetworkQueried, localNetworkFailure, rendezvous, rendezvousFailure());
    }

    private @Nullable Throwable rendezvousFailure() {
        if (indexResponded) {
            return null;
        }
        if (indexFailure != null) {
            return indexFailure;
        }
        return indexQueried
                ? ErrorCode.TIMEOUT.exception("rendezvous " + rendezvous + ": no response before the end of the search")
                : ErrorCode.UNREACHABLE.exception("rendezvous: none is connected");
    }
}
