package io.parley.bench.contender;

/**
 * Notifies a listener of each message that arrives at an event-driven client, on the thread that received it.
 * Thread-safe.
 */
public final class ReplyDispatcher {

    private volatile Runnable listener = ReplyDispatcher::discard;

    /**
     * Notifies the listener that a message arrived. The listener may send the next message before this method returns.
     */
    public void arrived() {
        listener.run();
    }

    /** Sets the listener that runs for each message. */
    public void setListener(Runnable listener) {
        this.listener = listener;
    }

    /** Removes the listener. Later messages notify no listener. */
    public void clearListener() {
        listener = ReplyDispatcher::discard;
    }

    private static void discard() {}
}
