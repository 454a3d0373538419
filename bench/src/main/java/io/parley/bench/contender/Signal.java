package io.parley.bench.contender;

/** The action of the receiver for a message; the first byte of its {@link Header}. */
public enum Signal {
    /** Send the message back unchanged. */
    ECHO(0),
    /** Count the message. */
    SINK(1),
    /** Count the message and reply after all messages of the flood have arrived. The header contains their number. */
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
