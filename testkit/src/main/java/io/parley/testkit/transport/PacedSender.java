package io.parley.testkit.transport;

import io.netty.buffer.ByteBuf;
import io.parley.transport.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Writes a number of frames as an endpoint does: while the connection is writable, and on when it is again. It also checks
 * that each frame's {@link Connection.WriteListener} is called once and in order.
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

    /** @param frames makes the frame of that number, from 0 */
    public PacedSender(Connection connection, int count, IntFunction<ByteBuf> frames) {
        this.connection = connection;
        this.count = count;
        this.frames = frames;
    }

    /** Begins, on the executor. {@link #resume} has to be called when the connection is writable again. */
    public PacedSender start() {
        connection.executor().execute(this::resume);
        return this;
    }

    /** Goes on. On the executor. */
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

    /** How many frames have been passed to the connection. */
    public int written() {
        return written;
    }

    /** How many bytes have been passed to the connection. */
    public long writtenBytes() {
        return writtenBytes.sum();
    }

    /** Completes when all have been confirmed; fails when one was not, or out of turn. */
    public CompletableFuture<Void> done() {
        return done;
    }
}
