package io.parley.testkit.transport;

import io.netty.buffer.ByteBuf;
import io.parley.transport.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes a number of frames as an endpoint does: while the connection is writable, and again after it has become writable. It
 * also checks that the {@link Connection.WriteListener} of each frame is called once and in order.
 */
public final class PacedSender {

    private static final int FRAMES_PER_FLUSH = 32;

    private final Connection connection;
    private final int count;
    private final IntFunction<ByteBuf> frames;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile int written;
    private final LongAdder writtenBytes = new LongAdder();
    private int confirmed;

    /** @param frames creates the frame with this number, from 0 */
    public PacedSender(Connection connection, int count, IntFunction<ByteBuf> frames) {
        this.connection = connection;
        this.count = count;
        this.frames = frames;
    }

    /** Starts on the executor. {@link #resume} must be called when the connection is writable again. */
    public PacedSender start() {
        connection.executor().execute(this::resume);
        return this;
    }

    /** Continues. Must be called on the executor. */
    public void resume() {
        while (written < count && connection.isWritable()) {
            for (int i = 0; i < FRAMES_PER_FLUSH && written < count; i++) {
                int number = written;
                ByteBuf frame = frames.apply(number);
                written = number + 1;
                writtenBytes.add(frame.readableBytes());
                connection.write(frame, failure -> onWritten(number, failure));
            }
            connection.flush();
        }
    }

    private void onWritten(int number, @Nullable Throwable failure) {
        if (failure != null) {
            done.completeExceptionally(failure);
        } else if (number != confirmed++) {
            done.completeExceptionally(
                    new AssertionError("frame " + number + " confirmed as number " + (confirmed - 1)));
        } else if (confirmed == count) {
            done.complete(null);
        }
    }

    /** Returns the number of frames passed to the connection. */
    public int written() {
        return written;
    }

    /** Returns the bytes passed to the connection. */
    public long writtenBytes() {
        return writtenBytes.sum();
    }

    /** Returns a future that completes when all frames are confirmed; it fails if a frame fails or is confirmed out of order. */
    public CompletableFuture<Void> done() {
        return done;
    }
}
