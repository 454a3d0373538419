package io.parley.bench.worker;

/** How the side that measures round trips waits for a reply. */
public enum WaitMode {
    /** The next message is sent from the callback that announced the reply: no thread is woken on this side. */
    EVENT("event"),
    /** A thread of the caller sends, blocks until the reply is there, and sends again. */
    CALLER("caller");

    private final String label;

    WaitMode(String label) {
        this.label = label;
    }

    /** The word used in results. */
    public String label() {
        return label;
    }
}
