package io.parley.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Writes the messages of one publishing thread to the channels of one event loop, while all of them are writable. {@link #send} and
 * {@link #channels} are called by the publishing thread, all other methods on the event loop.
 */
final class LoopFanOut implements Runnable {

    /** The limit of the messages that wait for the event loop. The publisher waits until half of it is free. */
    private static final int MAX_QUEUED = 1024;

    /** The messages that are written before a flush. */
    private static final int BATCH = 64;

    private static final long MAX_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final EventLoop loop;
    private final Queue<byte[]> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final List<Channel> channels = new ArrayList<>();
    private volatile int channelCount;
    private volatile @Nullable Thread waiting;
    private boolean isWriting;

    LoopFanOut(EventLoop loop) {
        this.loop = loop;
    }

    int channels() {
        return channelCount;
    }

    void add(Channel channel) {
        channels.add(channel);
        channelCount = channels.size();
    }

    void remove(Channel channel) {
        channels.remove(channel);
        channelCount = channels.size();
        run(); // it may be the one that was not writable
    }

    /** Queues a frame for all channels. Waits while the queue is full. */
    void send(byte[] frame) throws InterruptedException {
        if (queued.get() >= MAX_QUEUED) {
            awaitRoom();
        }
        queue.add(frame);
        queued.incrementAndGet();
        if (scheduled.compareAndSet(false, true)) {
            loop.execute(this::runScheduled);
        }
    }

    private void awaitRoom() throws InterruptedException {
        waiting = Thread.currentThread();
        while (queued.get() > MAX_QUEUED / 2) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(this, MAX_PARK_NANOS);
        }
        waiting = null;
    }

    private void runScheduled() {
        scheduled.set(false);
        run();
    }

    /** Writes while all channels are writable. A flush can call this method again; the outer call then continues. */
    @Override
    public void run() {
        if (isWriting) {
            return;
        }
        isWriting = true;
        while (isWritable() && writeBatch()) {
            channels.forEach(Channel::flush);
        }
        isWriting = false;
    }

    private boolean isWritable() {
        for (Channel channel : channels) {
            if (!channel.isWritable()) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether there was a message. */
    private boolean writeBatch() {
        int written = 0;
        for (byte[] frame = queue.poll(); frame != null; frame = written < BATCH ? queue.poll() : null) {
            ByteBuf message = Unpooled.wrappedBuffer(frame);
            for (Channel channel : channels) {
                channel.write(message.retainedDuplicate(), channel.voidPromise());
            }
            message.release();
            written++;
        }
        int left = queued.addAndGet(-written);
        Thread publisher = waiting;
        if (publisher != null && left <= MAX_QUEUED / 2) {
            LockSupport.unpark(publisher);
        }
        return written > 0;
    }
}
