package io.parley.bench.contender;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** Checks and counts the messages that arrive at the serving side. Thread-safe. */
public final class MessageCounter {

    private static final long UNKNOWN = Long.MAX_VALUE;
    private static final int SIGNIFICANT_DIGITS = 3;

    private final ContentCheck check = new ContentCheck();
    private final AtomicLong arrived = new AtomicLong();
    private final AtomicLong nextSequence = new AtomicLong();
    private final LongSupplier clock;
    private final Recorder latencies = new Recorder(SIGNIFICANT_DIGITS);
    private volatile long expected = UNKNOWN;
    private volatile long firstNanos;

    /** Creates a counter that has counted nothing. */
    public MessageCounter() {
        this(System::nanoTime);
    }

    MessageCounter(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * Counts a message that is not echoed. Records the latency of a {@link Signal#TIMED} message.
     *
     * @return whether all messages of the flood have arrived, so that the reply must be sent: true exactly once per
     *     flood
     */
    public boolean count(MessageBytes message) {
        Signal signal = Header.signal(message);
        if (signal == Signal.TIMED) {
            recordLatency(message);
        } else if (signal == Signal.LOSSY) {
            checkOrder(message);
        } else if (signal == Signal.LAST) {
            expected = Header.number(message);
        }
        check.check(message);
        if (arrived.get() == 0) {
            firstNanos = clock.getAsLong(); // before the count, which tells other threads that the time is there
        }
        long count = arrived.incrementAndGet();
        return count >= expected && complete(count);
    }

    private boolean complete(long count) {
        expected = UNKNOWN;
        return arrived.compareAndSet(count, 0);
    }

    private void recordLatency(MessageBytes message) {
        latencies.recordValue(Math.max(0, clock.getAsLong() - Header.nanos(message)));
        long sequence = Header.number(message);
        long next = sequence == 0 ? 0 : nextSequence.get();
        if (sequence != next) {
            check.damaged("sequence number: %d (expected: %d)".formatted(sequence, next));
        }
        nextSequence.set(sequence + 1);
    }

    private void checkOrder(MessageBytes message) {
        long sequence = Header.number(message);
        long next = sequence == 0 ? 0 : nextSequence.get();
        if (sequence < next) {
            check.damaged("sequence number: %d (expected: >= %d)".formatted(sequence, next));
        }
        nextSequence.set(sequence + 1);
    }

    /** Returns the number of messages that have arrived, and starts again with 0. No message may be on its way. */
    public long takeArrived() {
        nextSequence.set(0);
        return arrived.getAndSet(0);
    }

    /** Returns the latencies of {@link Signal#TIMED} messages since the call before, in nanoseconds. */
    public Histogram latencies() {
        return latencies.getIntervalHistogram();
    }

    /**
     * Returns the number of messages that arrived after the last complete flood: the messages that an incomplete flood
     * delivered.
     */
    public long arrived() {
        return arrived.get();
    }

    /** Returns when the first message of the last flood arrived, see {@link System#nanoTime}. */
    public long firstNanos() {
        return firstNanos;
    }

    /** @throws IllegalStateException if a message was damaged or, if it has a sequence number, out of order */
    public void requireIntact() {
        check.requireIntact();
    }
}
