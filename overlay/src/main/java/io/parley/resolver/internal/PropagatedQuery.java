package io.parley.resolver.internal;

import io.parley.common.AsyncCloseable;
import java.util.concurrent.CompletableFuture;

/**
 * A propagated question, open until its deadline, until it has all the answers it may get, or until it is closed. After
 * closing the listener gets nothing more, but may still be busy with what it has. {@link #close()} does not wait.
 */
public interface PropagatedQuery extends AsyncCloseable {

    /**
     * The end of the asking.
     *
     * @return completes, when the listener has had the last one, with the number of answers it got; fails with the reason
     *     when the question could not be asked, or with {@link io.parley.error.ErrorCode#CLOSED} when the resolver was
     *     closed before its end
     */
    CompletableFuture<Integer> whenDone();
}
