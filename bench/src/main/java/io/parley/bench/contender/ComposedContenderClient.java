package io.parley.bench.contender;

/** A client of a stack whose messages consist of elements. */
public interface ComposedContenderClient extends ContenderClient {

    /**
     * Prepares messages of {@code bytes} bytes in {@code elements} elements of the same size, see {@link Header#slices}. This call is
     * not measured. {@link #prepare(int)} prepares messages with one element.
     */
    void prepare(int bytes, int elements) throws Exception;
}
