package io.parley.common.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The reason for the end of a connection, a channel or a link, in REJECT, REFUSE and GOODBYE frames.
 *
 * @param number     the number of an {@link ErrorCode}; 0 if there is no error
 * @param text       a description for logs and exceptions; at most {@value #MAX_TEXT} characters
 * @param connection in a REJECT for {@link ErrorCode#DUPLICATE_CONNECTION}: the connection to use instead
 */
public record WireStatus(int number, String text, OptionalLong connection) {

    private static final int MAX_TEXT = 500;

    /** Truncates and sanitizes the text, because the text of a remote peer is written to logs. */
    public WireStatus {
        text = TextSanitizer.oneLine(text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT));
    }

    /** Returns the status without an error. */
    public static WireStatus ok() {
        return new WireStatus(0, "", OptionalLong.empty());
    }

    /** Returns a status with the number of the code. */
    public static WireStatus of(ErrorCode code, String text) {
        return new WireStatus(code.toWire().number(), text, OptionalLong.empty());
    }

    /**
     * Returns the status of an exception. Any other than a {@link ParleyException} is a
     * {@link ErrorCode#PROTOCOL_VIOLATION}.
     */
    public static WireStatus of(Throwable cause) {
        return cause instanceof ParleyException failure
                ? of(failure.code(), String.valueOf(failure.getMessage()))
                : of(ErrorCode.PROTOCOL_VIOLATION, "malformed frame");
    }

    /** Returns the status that refuses a connection because another one exists. */
    public static WireStatus duplicateOf(long connection) {
        return new WireStatus(
                ErrorCode.DUPLICATE_CONNECTION.number(), "there is a connection already", OptionalLong.of(connection));
    }

    /** Returns the code, or {@code null} if there is no error or a later version sent a code unknown to this version. */
    public @Nullable ErrorCode code() {
        return ErrorCode.ofNumber(number);
    }

    /** Returns an exception for the local caller. {@code source} names the sender of this status. */
    public ParleyException toException(String source) {
        ErrorCode translated = ErrorCode.ofWire(number);
        return (translated == null ? ErrorCode.DISCONNECTED : translated).exception(source + ": " + text);
    }
}
