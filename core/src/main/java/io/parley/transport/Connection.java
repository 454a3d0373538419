package io.parley.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import io.parley.id.PeerId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An open two-way connection that carries frames, whole and in order. {@link #start}, {@link #close}, {@link #abort}
 * and the getters may be called from any thread; everything else on the {@link #executor()} only.
 */
public interface Connection {

    /** The largest frame that is taken before {@link #completeHandshake}. */
    int MAX_HANDSHAKE_FRAME_BYTES = 8 * 1024;

    /**
     * Bytes that a writer may leave free in front of a frame's reader index, so that the transport can put its own
     * header there without another buffer. A frame without that room is sent all the same.
     */
    int HEADROOM = 8;

    /** Where the other side is, as this side sees it. */
    EndpointAddress remoteAddress();

    /** Whether this side dialed. */
    boolean isDialer();

    /** The other side's proven id, or {@code null} where the transport proves nothing ({@link TransportSecurity#PLAINTEXT}). */
    @Nullable
    PeerId authenticatedPeer();

    /** The one thread that reads, writes and calls back. */
    EventExecutor executor();

    /** What frames for this connection should be allocated from. */
    ByteBufAllocator allocator();

    /** Begins to deliver frames and events to the listener, on the executor. Called exactly once. */
    void start(ConnectionListener listener);

    /**
     * Queues one frame for writing. Takes ownership of {@code frame}, also when the connection is closed, and may
     * overwrite what stands in front of its reader index. To keep memory bounded a caller stops while
     * {@link #isWritable()} is false.
     *
     * @param done called on the executor when the frame has been handed to the network or has failed, in the order of the
     *     frames; may be null
     */
    void write(ByteBuf frame, @Nullable WriteListener done);

    /** Sends what has been queued. */
    void flush();

    /** Whether the transport's own queue has room; {@link ConnectionListener#onWritable()} tells when it has again. */
    boolean isWritable();

    /**
     * Stops or resumes the delivery of frames; while stopped, the other side is slowed down. When the other side closes
     * meanwhile, what it had sent may be delivered all the same, as may the end.
     */
    void setReading(boolean reading);

    /**
     * The peers have agreed to talk: from now on frames of up to that many bytes are taken, and the connection no longer
     * counts among the handshakes.
     */
    void completeHandshake(int maxFrameBytes);

    /** Sends what has been queued, then closes. No frame is delivered or taken any more. */
    void close();

    /** Closes at once; what is queued is lost. The cause is for this side's listener only. */
    void abort(@Nullable Throwable cause);

    /** Completes normally, on the executor, when the connection is gone. */
    CompletableFuture<Void> whenClosed();

    /** Hears what became of a written frame. */
    @FunctionalInterface
    interface WriteListener {
        /** Called once; {@code failure} is null when the frame has been handed to the network. */
        void onWritten(@Nullable Throwable failure);
    }
}
