package io.parley.bench.worker;

import io.parley.bench.contender.BlockingContenderClient;
import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.ReplyDispatcher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** A thread that sends and blocks until the reply is there. Use from the thread that made it. */
public final class BlockingCaller implements Runnable {

    /** Longer than any measurement; the runner loses patience earlier. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final ContenderClient link;
    private final Thread thread = Thread.currentThread();
    private volatile boolean arrived;

    /** From now on, replies are for this caller. */
    public BlockingCaller(ContenderClient link, ReplyDispatcher replies) {
        this.link = link;
        replies.tell(this);
    }

    /** One message there and back. */
    public void roundTrip() throws Exception {
        link.send();
        await();
    }

    /** Waits for one reply. */
    void await() throws Exception {
        if (link instanceof BlockingContenderClient blocking) {
            blocking.awaitReply();
            return;
        }
        long start = System.nanoTime();
        while (!arrived) {
            LockSupport.parkNanos(this, PATIENCE_NANOS);
            if (!arrived && System.nanoTime() - start > PATIENCE_NANOS) {
                throw new TimeoutException("no reply");
            }
        }
        arrived = false;
    }

    /** A reply has arrived: wakes the caller. */
    @Override
    public void run() {
        arrived = true;
        LockSupport.unpark(thread);
    }
}
