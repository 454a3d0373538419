package io.parley.discovery;

import io.parley.common.AsyncCloseable;
import java.util.concurrent.CompletableFuture;

/** A search under way. Closing ends it; its listener may still be busy with what it has. {@link #close()} does not wait. */
public interface Search extends AsyncCloseable {

    /**
     * The end of the search, when its listener has had the last result.
     *
     * @return completes with the number of results, which may be zero: at the deadline, when there are as many as wanted,
     *     or when all who were asked have answered, for which peers nearby have {@link DiscoveryLimits#collectTimeout()}; fails with {@link io.parley.error.ErrorCode#CLOSED} when the discovery
     *     was closed before
     */
    CompletableFuture<Integer> whenDone();

    /** Returns the sources queried so far and their failures; complete after {@link #whenDone()} has completed. */
    SearchReport report();
}
