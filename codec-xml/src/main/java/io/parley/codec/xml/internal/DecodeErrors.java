package io.parley.codec.xml.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.function.Supplier;

/** Makes the exceptions of one decoding; each names the format and the place that the reader has come to. */
public final class DecodeErrors {
    private final Supplier<String> place;

    /**
     * Faults found in one document.
     *
     * @param place what stands before each fault, such as {@code XML message, line 1, column 20}
     */
    public DecodeErrors(Supplier<String> place) {
        this.place = place;
    }

    /** MALFORMED_MESSAGE. */
    public ParleyException malformed(String fault) {
        return ErrorCode.MALFORMED_MESSAGE.exception(place.get() + ": " + fault);
    }

    /** MALFORMED_MESSAGE, found by a parser. */
    public ParleyException malformed(String fault, Throwable cause) {
        return ErrorCode.MALFORMED_MESSAGE.exception(place.get() + ": " + fault, cause);
    }

    /** LIMIT_EXCEEDED, where the value is known. */
    public ParleyException overLimit(String what, long value, String limit, long max) {
        return ErrorCode.LIMIT_EXCEEDED.exception(
                place.get() + ": " + what + ": " + value + " (expected: <= " + limit + " " + max + ")");
    }

    /** LIMIT_EXCEEDED, where the reader stops as soon as there is more than the limit. */
    public ParleyException overLimit(String what, String limit, long max) {
        return ErrorCode.LIMIT_EXCEEDED.exception(
                place.get() + ": " + what + ": more (expected: <= " + limit + " " + max + ")");
    }
}
