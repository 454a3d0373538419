package io.parley.bench.worker;

import io.parley.bench.contender.BlockingLink;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** A thread that sends and blocks until the reply is there. Use from the thread that made it. */
public final class Caller implements Runnable {

    /** Longer than any measurement; the runner loses patience earlier. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Link link;
    private final Thread thread = Thread.currentThread();
    private volatile boolean arrived;

    /** From now on, replies are for this caller. */
    public Caller(Link link, Replies replies) {
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
        if (link instanceof BlockingLink blocking) {
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
