package io.parley.resolver.internal;

import io.parley.common.AsyncCloseable;
import java.util.concurrent.CompletableFuture;

/**
 * A propagated query. It is open until its timeout, until it has the maximum number of responses, or until it is closed. Closing
 * discards responses that the listener has not received; a callback in progress may continue. {@link #close()} does not wait.
 */
public interface PropagatedQuery extends AsyncCloseable {

    /**
     * Returns a future that completes with the number of responses after the listener has received the last one.
     *
     * @return the future; it fails with the reason if the query could not be sent, or with
     *     {@link io.parley.error.ErrorCode#CLOSED} if the resolver was closed before the end
     */
    CompletableFuture<Integer> whenDone();
}
