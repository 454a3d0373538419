package io.parley.endpoint.internal.frame;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Why a connection, a channel or a conversation ends: in REJECT, REFUSE and GOODBYE.
 *
 * @param number     the number of an {@link ErrorCode}; 0 when nothing is wrong
 * @param text       for people; at most {@value #MAX_TEXT} characters
 * @param connection in a REJECT for {@link ErrorCode#DUPLICATE_CONNECTION}: the connection to use
 */
public record WireStatus(int number, String text, OptionalLong connection) {

    private static final int NUMBER = 1;
    private static final int TEXT = 2;
    private static final int CONNECTION = 3;
    private static final int MAX_TEXT = 500;

    /** Cuts a long text, and takes control characters out, because it ends in somebody's log. */
    public WireStatus {
        String printable = text.replaceAll("\\p{Cntrl}", " ");
        text = printable.length() <= MAX_TEXT ? printable : printable.substring(0, MAX_TEXT);
    }

    /** Nothing is wrong. */
    public static WireStatus ok() {
        return new WireStatus(0, "", OptionalLong.empty());
    }

    /** For that reason. */
    public static WireStatus of(ErrorCode code, String text) {
        return new WireStatus(code.toWire().number(), text, OptionalLong.empty());
    }

    /** For the reason of an exception; what is not ours is a {@link ErrorCode#PROTOCOL_VIOLATION}. */
    public static WireStatus of(Throwable cause) {
        return cause instanceof ParleyException failure
                ? of(failure.code(), String.valueOf(failure.getMessage()))
                : of(ErrorCode.PROTOCOL_VIOLATION, "malformed frame");
    }

    /** Because there is a connection already. */
    public static WireStatus duplicateOf(long connection) {
        return new WireStatus(
                ErrorCode.DUPLICATE_CONNECTION.number(), "there is a connection already", OptionalLong.of(connection));
    }

    /** The code, or {@code null} when nothing is wrong or a later version has sent one that this does not know. */
    public @Nullable ErrorCode code() {
        return ErrorCode.ofNumber(number);
    }

    /** As an exception on this side, in which the text says where it came from. */
    public ParleyException toException(String who) {
        ErrorCode translated = ErrorCode.ofWire(number);
        return (translated == null ? ErrorCode.DISCONNECTED : translated).exception(who + ": " + text);
    }

    TaggedFields toFields() {
        TaggedFields fields = new TaggedFields().number(NUMBER, number).text(TEXT, text);
        connection.ifPresent(value -> fields.number(CONNECTION, value));
        return fields;
    }

    static WireStatus of(TaggedFields fields) {
        return new WireStatus(
                fields.number(NUMBER).orElse(0L).intValue(),
                fields.text(TEXT).orElse(""),
                fields.number(CONNECTION).map(OptionalLong::of).orElse(OptionalLong.empty()));
    }
}
