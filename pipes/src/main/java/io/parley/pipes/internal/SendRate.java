package io.parley.pipes.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.TokenBucket;
import io.parley.endpoint.MessengerOptions;
import io.parley.pipes.FlowLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The rate of one sender: messages and payload bytes per second. The messengers of the sender share it. A message that {@link #reserve}
 * has counted keeps its place before all later ones, so that a large one is not overtaken without end by small ones, which fit sooner.
 * Thread-safe.
 */
public final class SendRate implements MessengerOptions.Rate {

    /** The shortest wait, so that a high rate does not need a timer for each message. */
    static final Duration MIN_WAIT = Duration.ofMillis(1);

    private final Scheduler scheduler;
    private final @Nullable TokenBucket messages;
    private final @Nullable TokenBucket bytes;

    private SendRate(Scheduler scheduler, @Nullable TokenBucket messages, @Nullable TokenBucket bytes) {
        this.scheduler = scheduler;
        this.messages = messages;
        this.bytes = bytes;
    }

    /** Returns {@code null} if the rate is not limited. */
    public static @Nullable SendRate of(FlowLimits limits, Scheduler scheduler) {
        long now = scheduler.nanoTime();
        TokenBucket messages =
                limits.messagesPerSecond() == 0 ? null : new TokenBucket(limits.messagesPerSecond(), now);
        TokenBucket bytes = limits.bytesPerSecond() == 0 ? null : new TokenBucket(limits.bytesPerSecond(), now);
        return messages == null && bytes == null ? null : new SendRate(scheduler, messages, bytes);
    }

    /**
     * Counts a message, which may be sent when the returned time has passed, in nanoseconds; zero for now. Later ones wait until it is
     * paid for. One that is not sent after all must be {@linkplain #putBack put back}.
     */
    @Override
    public synchronized long reserve(long payloadBytes) {
        long nanos = nanosUntil(payloadBytes);
        take(payloadBytes);
        return nanos;
    }

    /** Counts a message, and returns zero; or returns the time until it may be sent, in nanoseconds, and does not count it. */
    public synchronized long tryAcquire(long payloadBytes) {
        long nanos = nanosUntil(payloadBytes);
        if (nanos == 0) {
            take(payloadBytes);
        }
        return nanos;
    }

    @Override
    public Scheduler scheduler() {
        return scheduler;
    }

    private void take(long payloadBytes) {
        if (messages != null) {
            messages.take(1);
        }
        if (bytes != null) {
            bytes.take(payloadBytes);
        }
    }

    /** Returns the time until a message may be sent, in nanoseconds; zero for now. */
    public synchronized long nanosUntil(long payloadBytes) {
        long now = scheduler.nanoTime();
        long nanos = Math.max(
                messages == null ? 0 : messages.nanosUntil(1, now),
                bytes == null ? 0 : bytes.nanosUntil(payloadBytes, now));
        return nanos == 0 ? 0 : Math.max(nanos, MIN_WAIT.toNanos());
    }

    /** Takes back that a message was counted, because it was not sent. Those that wait already keep their time. */
    @Override
    public synchronized void putBack(long payloadBytes) {
        if (messages != null) {
            messages.putBack(1);
        }
        if (bytes != null) {
            bytes.putBack(payloadBytes);
        }
    }
}
