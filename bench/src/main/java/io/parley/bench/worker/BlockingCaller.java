package io.parley.bench.worker;

import io.parley.bench.contender.BlockingContenderClient;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.ReplyDispatcher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Sends messages and blocks until the reply arrives. Must be used by the thread that created it. */
public final class BlockingCaller implements Runnable {

    /** The reply timeout. It exceeds every measurement; the runner times out earlier. */
    private static final long TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final ContenderClient client;
    private final Thread thread = Thread.currentThread();
    private volatile boolean arrived;

    /** Creates a caller for the current thread and registers it as the listener of {@code replies}. */
    public BlockingCaller(ContenderClient client, ReplyDispatcher replies) {
        this.client = client;
        replies.setListener(this);
    }

    /** Sends one message and waits for the reply. */
    public void roundTrip() throws Exception {
        client.send();
        await();
    }

    /** Waits for one reply. */
    public void await() throws Exception {
        if (client instanceof BlockingContenderClient blocking) {
            blocking.awaitReply();
            return;
        }
        long start = System.nanoTime();
        while (!arrived) {
            LockSupport.parkNanos(this, TIMEOUT_NANOS);
            if (!arrived && System.nanoTime() - start > TIMEOUT_NANOS) {
                throw new TimeoutException("reply: not received within " + TIMEOUT_NANOS + " ns");
            }
        }
        arrived = false;
    }

    /** Wakes the caller because a reply has arrived. */
    @Override
    public void run() {
        arrived = true;
        LockSupport.unpark(thread);
    }
}
