package io.parley.sockets;

import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ParleyException;
import io.parley.message.Payload;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The direction of a stream from the remote peer. The endpoint adds messages without a lock, and wakes the reader; the window of the
 * remote peer bounds them, because a message is released when its bytes are read. Readers take turns. Thread-safe.
 */
final class StreamInput {

    private static final int END_OF_STREAM = -1;

    /** The stream, for texts. */
    private final Object stream;

    private final Queue<ReceivedMessage> queue = new ConcurrentLinkedQueue<>();
    private final AtomicLong available = new AtomicLong();

    /** Held by the reader, also while it waits. */
    private final ReentrantLock reading = new ReentrantLock();

    private final SocketWait arrival = new SocketWait(() -> !this.isEmpty() || isOver());

    /** The message that is read in part, and its bytes. Guarded by the lock. */
    private @Nullable ReceivedMessage current;

    private @Nullable Payload bytes;
    private long position;

    private volatile boolean ended;
    private volatile @Nullable ParleyException failure;
    private volatile boolean shutDown;
    private volatile boolean closed;

    StreamInput(Object stream) {
        this.stream = stream;
    }

    private boolean isEmpty() {
        return queue.isEmpty();
    }

    private boolean isOver() {
        return closed || shutDown || ended || failure != null;
    }

    /** Adds a message of the stream, which has bytes. */
    void add(ReceivedMessage message, long size) {
        available.addAndGet(size);
        queue.add(message);
        if (isDiscarding()) {
            releaseAll();
        } else {
            arrival.signal();
        }
    }

    private boolean isDiscarding() {
        return closed || shutDown;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Called after the last message. */
    void end() {
        ended = true;
        arrival.signal();
    }

    /** Makes reads fail after the bytes that have arrived, unless the stream has ended in order. */
    void fail(ParleyException reason) {
        failure = reason;
        arrival.signal();
    }

    /** Discards all bytes. Reads return the end of the stream. */
    void shutDown() {
        shutDown = true;
        arrival.signal();
        releaseAll();
    }

    /** Discards all bytes. Reads fail. */
    void close() {
        closed = true;
        arrival.signal();
        releaseAll();
    }

    /** Returns the number of bytes that can be read without waiting. */
    int available() throws IOException {
        if (closed) {
            throw SocketFailures.closed();
        }
        return shutDown ? 0 : (int) Math.min(Integer.MAX_VALUE, available.get());
    }

    /**
     * Reads the bytes that have arrived, as many as fit. Waits for the first one, and for other threads that read.
     *
     * @param timeout of both waits; zero for none
     * @return the number of bytes; -1 at the end of the stream
     */
    int read(ByteBuffer target, Duration timeout) throws IOException {
        SocketDeadline deadline = SocketDeadline.after(timeout);
        if (!deadline.tryLock(reading)) {
            throw timedOut();
        }
        try {
            while (true) {
                boolean atEnd = ended; // before the poll, because messages come before the end
                ParleyException reason = failure;
                if (closed) {
                    throw SocketFailures.closed();
                }
                if (shutDown) {
                    return END_OF_STREAM;
                }
                int read = take(target);
                if (read > 0) {
                    return read;
                }
                if (atEnd) {
                    return END_OF_STREAM;
                }
                if (reason != null) {
                    throw SocketFailures.reset(stream, reason);
                }
                if (!arrival.await(deadline)) {
                    throw timedOut();
                }
            }
        } finally {
            reading.unlock();
            if (isDiscarding()) {
                releaseAll();
            }
        }
    }

    private static SocketTimeoutException timedOut() {
        return new SocketTimeoutException("Read timed out");
    }

    /** Copies what is there. */
    private int take(ByteBuffer target) {
        int taken = 0;
        while (target.hasRemaining() && (bytes != null || next())) {
            taken += copy(target);
        }
        if (taken > 0) {
            available.addAndGet(-taken);
        }
        return taken;
    }

    private boolean next() {
        ReceivedMessage message = queue.poll();
        if (message == null) {
            return false;
        }
        current = message;
        bytes = StreamFormat.data(message.message());
        position = 0;
        return true;
    }

    private int copy(ByteBuffer target) {
        Payload source = bytes;
        if (source == null) {
            return 0;
        }
        int count = (int) Math.min(target.remaining(), source.size() - position);
        if (source.hasArray()) {
            target.put(source.array(), source.arrayOffset() + (int) position, count);
        } else {
            int limit = target.limit();
            target.limit(target.position() + count);
            source.readInto(target, position);
            target.limit(limit);
        }
        position += count;
        if (position == source.size()) {
            releaseCurrent();
        }
        return count;
    }

    private void releaseCurrent() {
        ReceivedMessage message = current;
        current = null;
        bytes = null;
        if (message != null) {
            message.release();
        }
    }

    /** Releases all messages. A reader that has one does it when it leaves. */
    private void releaseAll() {
        for (ReceivedMessage message = queue.poll(); message != null; message = queue.poll()) {
            message.release();
        }
        if (reading.tryLock()) {
            try {
                releaseCurrent();
            } finally {
                reading.unlock();
            }
        }
    }
}
