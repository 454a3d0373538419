package io.parley.bench.contender;

/** Where an event-driven link announces each message that arrives, on whatever thread received it. */
public final class ReplyDispatcher {

    private volatile Runnable listener = ReplyDispatcher::nobody;

    /** A message has arrived. The listener may send the next one before this returns. */
    public void arrived() {
        listener.run();
    }

    /** From now on {@code listener} is run for each message. */
    public void tell(Runnable listener) {
        this.listener = listener;
    }

    /** From now on nobody is told. */
    public void tellNobody() {
        listener = ReplyDispatcher::nobody;
    }

    private static void nobody() {}
}
