package io.parley.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.EventExecutor;
import io.parley.id.PeerId;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An open bidirectional connection that carries whole frames in order. {@link #start}, {@link #close}, {@link #abort} and the
 * getters are thread-safe. All other methods must be called on the {@link #executor()}.
 */
public interface Connection {

    /** The largest frame that is accepted before {@link #completeHandshake}, in bytes. */
    int MAX_HANDSHAKE_FRAME_BYTES = 8 * 1024;

    /**
     * The bytes that a writer should leave free before the reader index of a frame. The transport writes its header there
     * instead of into another buffer, and may move a short frame that goes before there. A frame without this headroom is sent
     * nevertheless.
     */
    int HEADROOM = 32;

    /** Returns the address of the remote peer as this side sees it. */
    EndpointAddress remoteAddress();

    /** Returns whether this side dialed. */
    boolean isDialer();

    /**
     * Returns the authenticated id of the remote peer, or {@code null} if the transport does not authenticate
     * ({@link TransportSecurity#PLAINTEXT}).
     */
    @Nullable
    PeerId authenticatedPeer();

    /** Returns the event loop that reads, writes and calls the listener. */
    EventExecutor executor();

    /** Returns the allocator that frames for this connection should come from. */
    ByteBufAllocator allocator();

    /** Starts the delivery of frames and events to the listener, on the executor. Must be called exactly once. */
    void start(ConnectionListener listener);

    /**
     * Queues one frame for writing. Takes ownership of {@code frame}, also if the connection is closed, and may overwrite the
     * bytes before its reader index. To bound the memory, a caller must stop while {@link #isWritable()} is false.
     *
     * @param done called on the executor after the frame was passed to the network or has failed, in the order of the frames;
     *     may be null
     */
    void write(ByteBuf frame, @Nullable WriteListener done);

    /**
     * Appends a short frame to frames that wait for the flush in a buffer of the transport, without a buffer of its own.
     *
     * @return false, with nothing written, if there is no such buffer, or if the source declines; the caller can still
     *     {@link #write} the frame
     */
    default boolean tryAppend(FrameSource frame) {
        return false;
    }

    /** Sends the queued frames. */
    void flush();

    /**
     * Runs a task on the executor after this has looked once for bytes that have arrived meanwhile, and has delivered their frames. By
     * default the task runs after the present one.
     */
    default void runAfterPoll(Runnable task) {
        executor().execute(task);
    }

    /**
     * Returns whether the queue of the transport has space. {@link ConnectionListener#onWritable()} is called when it has space
     * again.
     */
    boolean isWritable();

    /**
     * Stops or resumes the delivery of frames. While it is stopped, back-pressure stops the remote peer. If the remote peer
     * closes in the meantime, its frames and the close may be delivered nevertheless.
     */
    void setReading(boolean reading);

    /**
     * Returns the number of bytes in memory that belong to a frame whose rest has not arrived. A remote peer that does not complete
     * its frames makes this peer keep them.
     */
    default int partialFrameBytes() {
        return 0;
    }

    /**
     * Notifies the transport that the endpoints have completed their handshake. Frames of up to {@code maxFrameBytes} bytes are
     * accepted after this, and the connection no longer counts as a pending handshake.
     */
    void completeHandshake(int maxFrameBytes);

    /** Sends the queued frames, then closes. No frame is delivered or accepted after this call. */
    void close();

    /** Closes immediately and drops the queued frames. Only the listener of this side gets the cause. */
    void abort(@Nullable Throwable cause);

    /** Returns a future that completes normally, on the executor, after the connection is closed. */
    CompletableFuture<Void> whenClosed();

    /** Writes one short frame. */
    @FunctionalInterface
    interface FrameSource {
        /**
         * Writes the frame at the writer index of {@code out}, which is borrowed for this call. The caller resets the index if
         * the call returns false or throws.
         *
         * @return whether the frame is written; false if it is longer than {@code maxBytes}
         */
        boolean writeTo(ByteBuf out, int maxBytes);
    }

    /** Is notified of the result of one write. */
    @FunctionalInterface
    interface WriteListener {
        /** Called once; {@code failure} is null if the frame was passed to the network. */
        void onWritten(@Nullable Throwable failure);
    }
}
