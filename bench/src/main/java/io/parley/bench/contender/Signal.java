package io.parley.bench.contender;

/** What the receiver is to do with a message; the first byte of its {@link Header}. */
public enum Signal {
    /** Send it back as it is. */
    ECHO(0),
    /** Count it. */
    SINK(1),
    /** Count it and answer once all are in: the header says how many. */
    LAST(2);

    private final byte code;

    Signal(int code) {
        this.code = (byte) code;
    }

    static Signal of(byte code) {
        return switch (code) {
            case 0 -> ECHO;
            case 1 -> SINK;
            case 2 -> LAST;
            default -> throw new IllegalArgumentException("signal: %d (expected: 0 to 2)".formatted(code));
        };
    }

    byte code() {
        return code;
    }
}
