package io.parley.endpoint.internal.messenger;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The futures of callers that wait for one event. Those that their callers have given up, by a timeout for example, do not pile up.
 * Must be called with the lock of the messenger.
 */
final class PendingFutures {

    private static final int MIN_SIZE = 16;

    private final List<CompletableFuture<Void>> futures = new ArrayList<>();

    /** The size at which the futures that are done are removed. */
    private int fullSize = MIN_SIZE;

    void add(CompletableFuture<Void> future) {
        if (futures.size() >= fullSize) {
            futures.removeIf(CompletableFuture::isDone);
            fullSize = Math.max(MIN_SIZE, 2 * futures.size());
        }
        futures.add(future);
    }

    /** Returns whether there is a future that is not done. */
    boolean isPending() {
        int last = futures.size() - 1;
        while (last >= 0 && futures.get(last).isDone()) {
            futures.remove(last--); // so that the next call does not look at it
        }
        return last >= 0;
    }

    /** Removes and returns the futures. */
    List<CompletableFuture<Void>> removeAll() {
        List<CompletableFuture<Void>> removed = List.copyOf(futures);
        futures.clear();
        return removed;
    }
}
