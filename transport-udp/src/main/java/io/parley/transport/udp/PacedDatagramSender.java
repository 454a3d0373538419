package io.parley.transport.udp;

import io.netty.channel.EventLoop;
import io.parley.error.ErrorCode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * What waits to be sent. A payload of the largest size is some sixty datagrams for each interface, which would overflow the
 * buffers of switches and receivers if they came at once; so a few go every few milliseconds.
 */
final class PacedDatagramSender {

    private static final int BATCH = 16;
    private static final long PAUSE_MILLIS = 10;

    private final UdpLimits limits;
    private final LongSupplier nanoTime;
    private final EventLoop loop;
    private final TokenBucket rate;
    private final AtomicInteger unsentBytes = new AtomicInteger();
    private final Deque<FragmentedSend> queue = new ArrayDeque<>();
    private boolean paused;

    PacedDatagramSender(UdpLimits limits, LongSupplier nanoTime, EventLoop loop) {
        this.limits = limits;
        this.nanoTime = nanoTime;
        this.loop = loop;
        this.rate = new TokenBucket(limits.payloadsPerSecond(), nanoTime.getAsLong());
    }

    /**
     * Asks whether that much more may be sent; if so, {@link #sent} has to follow. From any thread, before anything is
     * queued, as the loop's own queue has no bound.
     */
    void admit(int bytes) {
        if (unsentBytes.addAndGet(bytes) > limits.sendQueueBytes()) {
            unsentBytes.addAndGet(-bytes);
            throw ErrorCode.BUSY.exception("unsentBytes: more than " + limits.sendQueueBytes() + " wait to be sent");
        }
        synchronized (rate) {
            if (rate.take(nanoTime.getAsLong())) {
                return;
            }
        }
        unsentBytes.addAndGet(-bytes);
        throw ErrorCode.BUSY.exception("sentPerSecond: more than " + limits.payloadsPerSecond() + " payloads a second");
    }

    /** Whatever came of it, it is no longer here. From any thread. */
    void sent(int bytes) {
        unsentBytes.addAndGet(-bytes);
    }

    /** Sends it in its turn. On the loop. */
    void add(FragmentedSend sending) {
        queue.add(sending);
        if (!paused) {
            sendSome();
        }
    }

    private void sendSome() {
        paused = false;
        for (int i = 0; i < BATCH && !queue.isEmpty(); i++) {
            FragmentedSend first = queue.element();
            first.sendNext();
            if (!first.hasMore()) {
                queue.remove();
            }
        }
        // Also when all is sent, or payloads one by one would know no pause.
        paused = true;
        loop.schedule(this::goOn, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void goOn() {
        paused = false;
        if (!queue.isEmpty()) {
            sendSome();
        }
    }

    /** Fails what still waits. On the loop. */
    void close(RuntimeException failure) {
        queue.forEach(sending -> sending.fail(failure));
        queue.clear();
    }
}
