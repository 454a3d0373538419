package io.parley.discovery;

import io.parley.common.AsyncCloseable;
import java.util.concurrent.CompletableFuture;

/**
 * A running search. Closing ends it and discards undelivered results; a callback in progress may continue. {@link #close()} does
 * not wait.
 */
public interface Search extends AsyncCloseable {

    /**
     * Returns a future that completes with the number of results, possibly zero, after the listener has received the last one. A
     * search ends at its timeout, with the maximum number of results, or when all queried sources have responded. The local network
     * has {@link DiscoveryLimits#collectTimeout()} to respond. A search {@linkplain SearchOptions#withWaiting that waits} does not end when
     * the sources have responded.
     *
     * @return the future; it fails with {@link io.parley.error.ErrorCode#CLOSED} if the discovery was closed before
     */
    CompletableFuture<Integer> whenDone();

    /** Returns the sources queried so far and their failures; complete after {@link #whenDone()} has completed. */
    SearchReport report();
}
