package io.parley.bench.sockets;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads and writes frames: a length, then the payload. One thread reads and writes. */
interface FrameConnection extends Closeable {

    /** Returns the frame of {@code payload}. */
    static byte[] frame(byte[] payload) {
        return ByteBuffer.allocate(Integer.BYTES + payload.length)
                .putInt(payload.length)
                .put(payload)
                .array();
    }

    /** Writes a whole frame. */
    void write(byte[] frame) throws IOException;

    /**
     * Returns the next frame with its length, in an array that the next call of this method may reuse.
     *
     * @throws java.io.EOFException if the other process has disconnected
     */
    byte[] read() throws IOException;
}
