package io.parley.transport.udp;

import io.netty.channel.EventLoop;
import io.parley.common.Scheduler;
import io.parley.common.Scheduler.Timer;
import io.parley.common.internal.Timers;
import io.parley.common.internal.TokenBucket;
import io.parley.error.ErrorCode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sends queued messages at a bounded pace. A payload of the largest size takes some sixty datagrams on each interface. Sent
 * at once, they would overflow the buffers of switches and receivers, so a batch is sent every few milliseconds.
 */
final class PacedDatagramSender {

    private static final int BATCH = 16;
    private static final Duration BATCH_INTERVAL = Duration.ofMillis(10);

    private final UdpLimits limits;
    private final Scheduler scheduler;
    private final EventLoop loop;
    private final TokenBucket rate;
    private final AtomicInteger unsentBytes = new AtomicInteger();
    private final Deque<FragmentedSend> queue = new ArrayDeque<>();
    private @Nullable Timer timer;

    PacedDatagramSender(UdpLimits limits, Scheduler scheduler, EventLoop loop) {
        this.limits = limits;
        this.scheduler = scheduler;
        this.loop = loop;
        this.rate = new TokenBucket(limits.payloadsPerSecond(), scheduler.nanoTime());
    }

    /**
     * Reserves queue space for {@code bytes} bytes. If it succeeds, {@link #release} must follow. Must be called before
     * anything is queued, because the queue of the event loop is unbounded. Thread-safe.
     *
     * @throws io.parley.error.ParleyException with {@link ErrorCode#BUSY} if the queue is full or the rate is exceeded
     */
    void acquire(int bytes) {
        int pending = unsentBytes.addAndGet(bytes);
        if (pending > limits.sendQueueBytes()) {
            unsentBytes.addAndGet(-bytes);
            throw ErrorCode.BUSY.exception(
                    "sendQueueBytes: " + pending + " (expected: <= " + limits.sendQueueBytes() + "); send later");
        }
        synchronized (rate) {
            if (rate.tryAcquire(scheduler.nanoTime())) {
                return;
            }
        }
        unsentBytes.addAndGet(-bytes);
        throw ErrorCode.BUSY.exception(
                "payloadsPerSecond: exceeded (expected: <= " + limits.payloadsPerSecond() + "); send later");
    }

    /** Releases the queue space of a message that was sent or has failed. Thread-safe. */
    void release(int bytes) {
        unsentBytes.addAndGet(-bytes);
    }

    /** Queues a message. Must be called on the event loop. */
    void add(FragmentedSend message) {
        queue.add(message);
        if (timer == null) {
            sendBatch();
        }
    }

    private void sendBatch() {
        for (int i = 0; i < BATCH && !queue.isEmpty(); i++) {
            FragmentedSend first = queue.element();
            first.sendNext();
            if (!first.hasMore()) {
                queue.remove();
            }
        }
        // Also after the last batch, because otherwise payloads of one datagram would be sent without any pause.
        timer = Timers.schedule(scheduler, BATCH_INTERVAL, loop, this::resume);
    }

    private void resume() {
        timer = null;
        if (!queue.isEmpty()) {
            sendBatch();
        }
    }

    /** Fails the queued messages. Must be called on the event loop. */
    void close(RuntimeException failure) {
        Timer pending = timer;
        if (pending != null) {
            pending.cancel();
        }
        queue.forEach(message -> message.fail(failure));
        queue.clear();
    }
}
