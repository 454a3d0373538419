package io.parley.pipes;

/** Receives the messages of a pipe. */
@FunctionalInterface
public interface PipeListener {

    /**
     * Receives a message. Called for one message at a time, on the executor of the pipe. May block, unless that is a direct
     * executor; senders stop when their windows are full. An exception is logged and counted, and the next message is delivered.
     */
    void onMessage(PipeMessage received);
}
