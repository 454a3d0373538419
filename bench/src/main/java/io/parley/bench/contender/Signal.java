package io.parley.bench.contender;

/** The action of the receiver for a message; the first byte of its {@link Header}. */
public enum Signal {
    /** Send the message back unchanged. */
    ECHO(0),
    /** Count the message. */
    SINK(1),
    /** Count the message and reply after all messages of the flood have arrived. The header contains their number. */
    LAST(2),
    /** Count the message and record the time since the nanoseconds in its header. Messages arrive in order. */
    TIMED(3),
    /** Count the message. Messages before it may be missing, but those that arrive are in order. */
    LOSSY(4);

    private final byte code;

    Signal(int code) {
        this.code = (byte) code;
    }

    static Signal of(byte code) {
        return switch (code) {
            case 0 -> ECHO;
            case 1 -> SINK;
            case 2 -> LAST;
            case 3 -> TIMED;
            case 4 -> LOSSY;
            default -> throw new IllegalArgumentException("signal: %d (expected: 0 to 4)".formatted(code));
        };
    }

    byte code() {
        return code;
    }
}
