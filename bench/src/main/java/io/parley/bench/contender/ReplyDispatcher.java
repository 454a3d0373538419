package io.parley.bench.contender;

/**
 * Checks each message that arrives at a client, and notifies a listener of it, on the thread that received it. Thread-safe.
 */
public final class ReplyDispatcher {

    private final ContentCheck check = new ContentCheck();
    private volatile Runnable listener = ReplyDispatcher::discard;

    /**
     * Checks a message that arrived, and notifies the listener. The listener may send the next message before this method
     * returns.
     */
    public void arrived(MessageBytes message) {
        check.check(message);
        listener.run();
    }

    /** @throws IllegalStateException if a message that arrived was damaged */
    public void requireIntact() {
        check.requireIntact();
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
