package io.parley.bench.worker;

import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.ReplyDispatcher;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Ping-pong in which each reply sends the next message, on the thread that announced it. The first round trip, which
 * a thread of ours started, is not recorded unless it is the only one.
 */
final class EventRoundTrips {

    private final ContenderClient link;
    private final ReplyDispatcher replies;
    private final Histogram histogram;
    private final long nanos;
    private final long most;
    private final CountDownLatch done = new CountDownLatch(1);

    private long start;
    private long sent;
    private boolean first = true;
    private @Nullable Exception failure;

    EventRoundTrips(ContenderClient link, ReplyDispatcher replies, Histogram histogram, long nanos, long most) {
        this.link = link;
        this.replies = replies;
        this.histogram = histogram;
        this.nanos = nanos;
        this.most = most;
    }

    void run() throws Exception {
        replies.tell(this::reply);
        synchronized (this) {
            start = System.nanoTime();
            sent = start;
            link.send();
        }
        done.await();
        replies.tellNobody();
        synchronized (this) {
            if (failure != null) {
                throw failure;
            }
        }
    }

    /** Some stacks announce each reply on another thread, hence the lock; it is never contended for long. */
    private void reply() {
        long now = System.nanoTime();
        synchronized (this) {
            boolean enough = now - start >= nanos;
            if (!first || enough) {
                histogram.recordValue(now - sent);
            }
            first = false;
            if (enough || histogram.getTotalCount() >= most) {
                done.countDown();
                return;
            }
            try {
                sent = System.nanoTime();
                link.send();
            } catch (Exception failed) {
                failure = failed;
                done.countDown();
            }
        }
    }
}
