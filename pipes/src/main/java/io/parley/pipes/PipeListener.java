package io.parley.pipes;

/** Receives a pipe's messages. */
@FunctionalInterface
public interface PipeListener {

    /**
     * A message came. Called for one message at a time. It may block unless the pipe was opened with a direct executor:
     * while it does, senders are slowed down once their windows are used up. An exception is logged and counted, and the
     * next message is delivered.
     */
    void onMessage(PipeMessage received);
}
