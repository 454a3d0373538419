package io.parley.transport;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Hears what happens on a connection, always on its executor, one call at a time. An exception closes the connection. */
public interface ConnectionListener {

    /** A frame came. {@code frame} is borrowed for this call: retain or copy what is needed longer. */
    void onFrame(ByteBuf frame);

    /** {@link Connection#isWritable()} has become true again. */
    void onWritable();

    /**
     * The connection is gone; called exactly once and last.
     *
     * @param cause why, or null after an orderly close by either side
     */
    void onClosed(@Nullable Throwable cause);
}
