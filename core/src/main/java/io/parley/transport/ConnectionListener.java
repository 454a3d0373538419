package io.parley.transport;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Receives the events of a connection, on its executor, one call at a time. An exception closes the connection. */
public interface ConnectionListener {

    /** Called for each frame. {@code frame} is borrowed for this call; a listener that needs it longer must retain or copy it. */
    void onFrame(ByteBuf frame);

    /**
     * Called after a read that has completed a frame, or has left part of one. The transport may send the frames that the listener writes and flushes
     * during the read, including this call, together after it.
     */
    void onReadComplete();

    /** Called when {@link Connection#isWritable()} has become true again. */
    void onWritable();

    /**
     * Called when the connection is closed, exactly once and last.
     *
     * @param cause the reason, or null after an orderly close by either side
     */
    void onClosed(@Nullable Throwable cause);
}
