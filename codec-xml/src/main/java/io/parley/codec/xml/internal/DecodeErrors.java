package io.parley.codec.xml.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.function.Supplier;

/** Creates the exceptions of a decoder. Each message starts with the format and the current position. */
public final class DecodeErrors {
    private final Supplier<String> position;

    /**
     * Creates the factory of one decoder.
     *
     * @param position returns the start of each message, for example {@code XML message, line 1, column 20}
     */
    public DecodeErrors(Supplier<String> position) {
        this.position = position;
    }

    /** Returns a MALFORMED_MESSAGE exception. */
    public ParleyException malformed(String fault) {
        return ErrorCode.MALFORMED_MESSAGE.exception(position.get() + ": " + fault);
    }

    /** Returns a MALFORMED_MESSAGE exception with the exception of a parser as its cause. */
    public ParleyException malformed(String fault, Throwable cause) {
        return ErrorCode.MALFORMED_MESSAGE.exception(position.get() + ": " + fault, cause);
    }

    /** Returns a LIMIT_EXCEEDED exception for a known value. */
    public ParleyException overLimit(String name, long value, String limit, long max) {
        return ErrorCode.LIMIT_EXCEEDED.exception(
                position.get() + ": " + name + ": " + value + " (expected: <= " + limit + " " + max + ")");
    }

    /** Returns a LIMIT_EXCEEDED exception for a reader that stops at the limit and does not know the value. */
    public ParleyException overLimit(String name, String limit, long max) {
        return ErrorCode.LIMIT_EXCEEDED.exception(
                position.get() + ": " + name + ": more (expected: <= " + limit + " " + max + ")");
    }
}
