package io.parley.bench.worker;

/** The way in which the measuring side waits for a reply. */
public enum WaitMode {
    /** The callback that announced the reply sends the next message. No thread is woken on this side. */
    EVENT("event"),
    /** A thread of the caller sends, blocks until the reply arrives, and sends again. */
    CALLER("caller");

    private final String label;

    WaitMode(String label) {
        this.label = label;
    }

    /** Returns the label used in the results. */
    public String label() {
        return label;
    }
}
