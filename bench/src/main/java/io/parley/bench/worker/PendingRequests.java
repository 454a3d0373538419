package io.parley.bench.worker;

import io.parley.bench.contender.MessageBytes;
import io.parley.bench.contender.ReplyDispatcher;
import io.parley.bench.contender.RequestContenderClient;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/** Keeps a constant number of requests pending: each response triggers the next request. */
final class PendingRequests {

    private static final int SIGNIFICANT_DIGITS = 3;

    private final RequestContenderClient client;
    private final ReplyDispatcher replies;
    private final long nanos;
    private final CountDownLatch pending;
    private final Recorder times = new Recorder(SIGNIFICANT_DIGITS);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final long start = System.nanoTime();

    PendingRequests(RequestContenderClient client, ReplyDispatcher replies, int count, long nanos) {
        this.client = client;
        this.replies = replies;
        this.nanos = nanos;
        this.pending = new CountDownLatch(count);
    }

    /** Sends requests until the time is over. Returns the times from request to response, in nanoseconds. */
    Histogram run() throws Exception {
        for (long count = pending.getCount(); count > 0; count--) {
            send();
        }
        pending.await();
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException("request failed", cause);
        }
        return times.getIntervalHistogram();
    }

    /** Returns the nanoseconds since the first request. */
    long elapsed() {
        return System.nanoTime() - start;
    }

    private void send() {
        long sent = System.nanoTime();
        client.request((response, cause) -> onResponse(sent, response, cause));
    }

    private void onResponse(long sent, @Nullable MessageBytes response, @Nullable Throwable cause) {
        long now = System.nanoTime();
        if (response == null) {
            failure.compareAndSet(null, cause == null ? new IllegalStateException("no response") : cause);
            pending.countDown();
            return;
        }
        times.recordValue(now - sent);
        replies.arrived(response);
        if (now - start >= nanos || failure.get() != null) {
            pending.countDown();
        } else {
            send();
        }
    }
}
