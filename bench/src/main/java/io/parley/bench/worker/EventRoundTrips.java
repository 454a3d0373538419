package io.parley.bench.worker;

import io.parley.bench.contender.ContenderClient;
import io.parley.bench.contender.ReplyDispatcher;
import java.util.concurrent.CountDownLatch;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Measures round trips in which each reply triggers the next message, on the thread that announced the reply. The first
 * round trip is started by a benchmark thread and is therefore recorded only if it is the only one.
 */
final class EventRoundTrips {

    private final ContenderClient client;
    private final ReplyDispatcher replies;
    private final Histogram histogram;
    private final long nanos;
    private final long maxRoundTrips;
    private final CountDownLatch done = new CountDownLatch(1);

    private long start;
    private long sent;
    private long count;
    private @Nullable Exception failure;

    EventRoundTrips(
            ContenderClient client, ReplyDispatcher replies, Histogram histogram, long nanos, long maxRoundTrips) {
        this.client = client;
        this.replies = replies;
        this.histogram = histogram;
        this.nanos = nanos;
        this.maxRoundTrips = maxRoundTrips;
    }

    /** Sends the first message. */
    void start() throws Exception {
        replies.setListener(this::reply);
        synchronized (this) {
            start = System.nanoTime();
            sent = start;
            client.send();
        }
    }

    /** Waits until the time is over. Returns the times of the round trips, in nanoseconds. */
    Histogram await() throws Exception {
        done.await();
        replies.clearListener();
        synchronized (this) {
            if (failure != null) {
                throw failure;
            }
            return histogram;
        }
    }

    /** Returns the number of all round trips. */
    synchronized long count() {
        return count;
    }

    /**
     * Some stacks announce each reply on another thread, which requires the lock. Contention on it is always short.
     */
    private void reply() {
        long now = System.nanoTime();
        synchronized (this) {
            boolean expired = now - start >= nanos;
            count++;
            if (count > 1 || expired) {
                histogram.recordValue(now - sent);
            }
            if (expired || histogram.getTotalCount() >= maxRoundTrips) {
                done.countDown();
                return;
            }
            try {
                sent = System.nanoTime();
                client.send();
            } catch (Exception failed) {
                failure = failed;
                done.countDown();
            }
        }
    }
}
