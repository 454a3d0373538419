package io.parley;

import io.parley.common.internal.BoundedExecutor;
import io.parley.common.internal.SharedThreads;

/**
 * Creates the executors of one peer for tasks off the event loops. There are two kinds, which never share a thread:
 * {@linkplain #forCallbacks() user callbacks}, which may block, and the {@linkplain #forWork() peer's own work}, such as queries
 * of other peers, searches and lease renewals. Callbacks that block therefore delay other callbacks of the same peer, but never
 * the work for which they wait. The threads of a kind belong to all peers of this JVM, of which there may be thousands. Each peer
 * uses a bounded number of them at a time. Callbacks of one peer therefore never delay those of another; work of
 * another peer waits for one task of each at most, or for 50 ms.
 *
 * <p>The queue has no bound of its own, because each user of it has one:
 * <ul>
 *   <li>the listener of a pipe, a discovery, a search or a propagated query has one task at a time, and searches and propagated
 *       queries are limited ({@code DiscoveryLimits.maxSearches}, {@code ResolverLimits.maxPropagatedQueries}, per group);
 *   <li>queries of other peers: {@code ResolverLimits.maxConcurrentQueries}, per group, until the handler has returned;
 *   <li>group messages that wait for verification: the window of each sender, because they are released after verification, and
 *       rates;
 *   <li>a search queries its index and each of {@code DiscoveryLimits.maxMulticastResponses} peers one page after the other, and
 *       the search for a pipe's holder or a peer is a few tasks of its caller;
 *   <li>periodic work, such as the renewal of a lease, is one task each.
 * </ul>
 */
final class PeerExecutors {

    /** The number of threads that one peer uses at a time, for each kind. */
    private static final int MAX_PEER_THREADS =
            Math.max(8, 4 * Runtime.getRuntime().availableProcessors());

    /** The number of callbacks up to which none waits. More than one peer can use, so that no peer can delay another one. */
    private static final int FEW_CALLBACK_THREADS = 2 * MAX_PEER_THREADS;

    /**
     * The number of threads up to which no work waits. Work hardly blocks, and more threads than processors would take them from
     * the event loops while other peers query this one.
     */
    private static final int FEW_WORK_THREADS = Math.max(2, Runtime.getRuntime().availableProcessors());

    /** Without a maximum of their own, because callbacks may block for any time, and each peer has a maximum. */
    private static final SharedThreads callbackThreads =
            new SharedThreads("parley-callback-", FEW_CALLBACK_THREADS, Integer.MAX_VALUE);

    /** With a maximum, because work waits for the disk at most. */
    private static final SharedThreads workThreads =
            new SharedThreads("parley-work-", FEW_WORK_THREADS, 4 * MAX_PEER_THREADS);

    private PeerExecutors() {}

    /** Returns an executor of one peer's user callbacks. */
    static BoundedExecutor forCallbacks() {
        return new BoundedExecutor(callbackThreads, MAX_PEER_THREADS);
    }

    /** Returns an executor of one peer's own work. Its tasks may wait for the disk, but not for callbacks or other peers. */
    static BoundedExecutor forWork() {
        return new BoundedExecutor(workThreads, MAX_PEER_THREADS);
    }
}
