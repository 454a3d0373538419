package io.parley.bench.contender;

/**
 * A client that can also send messages at times that the caller determines. These methods may be called from any thread, by
 * one at a time.
 */
public interface PacedContenderClient extends ContenderClient {

    /** Returns whether a message can be sent now; false while back-pressure stops the sender. */
    boolean isWritable();

    /**
     * Sends a new {@link Signal#TIMED} message, which may wait until {@link #flush}.
     *
     * @param sequence 0 for the first message of a measurement, then 1, 2, ...
     * @param nanos the time at which the message was due, see {@link System#nanoTime}
     */
    void sendTimed(long sequence, long nanos) throws Exception;

    /** Sends what waits. */
    void flush();
}
