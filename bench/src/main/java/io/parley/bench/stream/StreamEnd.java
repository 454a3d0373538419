package io.parley.bench.stream;

import java.io.IOException;

/** One end of a byte stream. Used by one thread at a time. */
public interface StreamEnd extends AutoCloseable {

    /** Writes the first {@code length} bytes of {@code block}. May return before they are sent; the array can be reused then. */
    void write(byte[] block, int length) throws Exception;

    /** Sends what is left in buffers of this process. */
    default void flush() throws Exception {}

    /**
     * Reads {@code length} bytes into the start of {@code block}. Blocks until all of them have arrived.
     *
     * @throws java.io.EOFException if the stream ends before
     */
    void read(byte[] block, int length) throws Exception;

    @Override
    void close() throws IOException;
}
