package io.parley.bench.worker;

import io.parley.bench.contender.BlockingLink;
import io.parley.bench.contender.Link;
import io.parley.bench.contender.Replies;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** Makes the measurements on the connecting side. Not thread-safe: one measurement at a time. */
final class Driver {

    /** Long enough for anything; the runner loses patience earlier. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Link link;
    private final Replies replies;

    Driver(Link link, Replies replies) {
        this.link = link;
        this.replies = replies;
    }

    /** Round trips for that long, at least one and at most {@code most}; returns the encoded histogram. */
    String roundTrips(Form form, long nanos, long most) throws Exception {
        Histogram histogram = Histograms.create();
        if (form == Form.EVENT) {
            new EventRoundTrips(link, replies, histogram, nanos, most).run();
        } else {
            callerRoundTrips(histogram, nanos, most);
        }
        return Histograms.encode(histogram);
    }

    private void callerRoundTrips(Histogram histogram, long nanos, long most) throws Exception {
        Waiter waiter = waiter();
        long start = System.nanoTime();
        long now = start;
        for (long done = 0; done < most && (done == 0 || now - start < nanos); done++) {
            long sent = System.nanoTime();
            link.send();
            waiter.await();
            now = System.nanoTime();
            histogram.recordValue(now - sent);
        }
        replies.tellNobody();
    }

    /** Nanoseconds from the first send until the answer of a receiver that has everything. */
    long flood(long messages) throws Exception {
        Waiter waiter = waiter();
        long start = System.nanoTime();
        link.flood(messages);
        waiter.await();
        long nanos = System.nanoTime() - start;
        replies.tellNobody();
        return nanos;
    }

    private Waiter waiter() {
        if (link instanceof BlockingLink blocking) {
            return blocking::awaitReply;
        }
        Parked parked = new Parked(Thread.currentThread());
        replies.tell(parked);
        return parked;
    }

    private interface Waiter {
        void await() throws Exception;
    }

    /** Parks the caller until a reply has been announced. */
    private static final class Parked implements Waiter, Runnable {

        private final Thread caller;
        private volatile boolean arrived;

        Parked(Thread caller) {
            this.caller = caller;
        }

        @Override
        public void run() {
            arrived = true;
            LockSupport.unpark(caller);
        }

        @Override
        public void await() throws TimeoutException {
            long start = System.nanoTime();
            while (!arrived) {
                LockSupport.parkNanos(this, PATIENCE_NANOS);
                if (!arrived && System.nanoTime() - start > PATIENCE_NANOS) {
                    throw new TimeoutException("no reply");
                }
            }
            arrived = false;
        }
    }
}
