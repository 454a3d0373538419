package io.parley.bench.suite;

/** The parts of the suite {@code netpipe} that run only by an option, and then alone. */
public enum NetPipeVariant {
    /** Socket buffers of 16 and 256 KB. */
    BUFFERS,
    /** Links of 100 Mbit/s and 1 Gbit/s, each with both socket buffers. */
    LINKS,
    /** Sizes of the heap and collectors. */
    HEAPS
}
