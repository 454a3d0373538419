package io.parley;

import io.parley.common.internal.BoundedExecutor;
import io.parley.common.internal.SharedThreads;
import java.util.concurrent.Executor;

/** The threads on which the stores of all peers of this JVM read, write and purge. Idle threads end. */
final class StoreExecutor {

    /** Two, because one may wait for a disk. */
    private static final int THREADS = 2;

    private static final Executor shared =
            new BoundedExecutor(new SharedThreads("parley-store-", THREADS, THREADS), THREADS);

    private StoreExecutor() {}

    /** Returns the executor, which is never shut down. */
    static Executor shared() {
        return shared;
    }
}
