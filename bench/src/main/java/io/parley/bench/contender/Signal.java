package io.parley.bench.contender;

/** What the receiver is to do with a message; the first byte of its {@link Header}. */
public enum Signal {
    /** Send it back as it is. */
    ECHO,
    /** Count it. */
    SINK,
    /** Count it and answer once all are in: the header says how many. */
    LAST;

    private static final Signal[] VALUES = values();

    static Signal of(byte code) {
        return VALUES[code];
    }

    byte code() {
        return (byte) ordinal();
    }
}
