package io.parley.bench.worker;

import io.parley.bench.contender.PacedContenderClient;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Sends messages at a constant rate from the calling thread, which sleeps until the next message is due. Each message carries
 * the time at which it was due, not the time at which it was sent: a message that waits because an earlier one was slow, or
 * because the sender woke up late, counts that wait as latency.
 */
final class Pacer {

    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long START_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long WRITABLE_POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private final PacedContenderClient client;
    private final long perSecond;
    private final boolean waitsForRoom;
    private final Histogram wakeUps = HistogramCodec.create();

    /** Creates a pacer that waits while back-pressure stops the sender. */
    Pacer(PacedContenderClient client, long perSecond) {
        this(client, perSecond, true);
    }

    /** @param waitsForRoom whether it waits while back-pressure stops the sender; otherwise the client drops messages */
    Pacer(PacedContenderClient client, long perSecond, boolean waitsForRoom) {
        this.client = client;
        this.perSecond = perSecond;
        this.waitsForRoom = waitsForRoom;
    }

    /** Sends messages. Returns the nanoseconds from the time at which the first one was due until the last one was sent. */
    long send(long messages) throws Exception {
        long start = System.nanoTime() + START_DELAY_NANOS;
        long next = 0;
        while (next < messages) {
            long now = awaitTime(due(start, next));
            while (next < messages && due(start, next) - now <= 0) {
                awaitWritable();
                client.sendTimed(next, due(start, next));
                next++;
            }
            client.flush();
        }
        return System.nanoTime() - start;
    }

    private long due(long start, long message) {
        return start + message * NANOS_PER_SECOND / perSecond;
    }

    /** Sleeps until {@code nanos}. Returns the time, which is later. */
    private long awaitTime(long nanos) {
        long now = System.nanoTime();
        if (now - nanos >= 0) {
            return now;
        }
        while (now - nanos < 0) {
            LockSupport.parkNanos(this, nanos - now);
            now = System.nanoTime();
        }
        wakeUps.recordValue(now - nanos);
        return now;
    }

    private void awaitWritable() {
        if (!waitsForRoom || client.isWritable()) {
            return;
        }
        client.flush();
        while (!client.isWritable()) {
            LockSupport.parkNanos(this, WRITABLE_POLL_NANOS);
        }
    }

    /** Returns the times from the end of each sleep, as requested, until the thread ran, in nanoseconds. */
    Histogram wakeUps() {
        return wakeUps;
    }
}
