package io.parley.encoding.internal;

import io.parley.error.ParleyException;

/** The memory for the contents of one message while its elements are decoded. Confined to the thread that decodes. */
public interface ElementMemory {

    /** Reserves memory, and leaves some for all others. Returns the number of reserved bytes, 0 to {@code bytes}. */
    long reserveSpare(long bytes);

    /** Reserves memory, as much of it as there is. Returns the number of reserved bytes, 0 to {@code bytes}. */
    long reserve(long bytes);

    /** Releases memory that was reserved. */
    void release(long bytes);

    /** Returns the failure of a message for which {@code bytes} bytes could not be reserved: BUSY. */
    ParleyException shortage(long bytes);
}
