package io.parley.bench.contender;

/** A client of a stack that drops messages instead of stopping the sender. */
public interface LossyContenderClient extends PacedContenderClient {

    /** Prepares {@link #sendTimed} for messages of {@code bytes} bytes with {@link Signal#LOSSY}. This call is not measured. */
    void prepareLossy(int bytes);
}
