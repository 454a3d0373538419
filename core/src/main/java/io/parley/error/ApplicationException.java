package io.parley.error;

import org.jspecify.annotations.Nullable;

/**
 * An error that the application of the remote peer has sent instead of a response, with a code and a text of the application. A
 * handler of requests throws it; the request fails with a new instance that has the same code and text. The same request is likely to
 * fail again, but only the application knows.
 */
public final class ApplicationException extends InvalidCallException {
    private static final long serialVersionUID = 1L;

    private final int applicationCode;

    /**
     * Creates an error with a code and a text. The application defines the meaning of both.
     *
     * @param text a description, without text that the requester must not see; it is truncated on the wire to 2048 bytes of UTF-8
     */
    public ApplicationException(int applicationCode, String text) {
        this(applicationCode, text, null);
    }

    /** Creates an error with a cause, which stays on this peer. */
    public ApplicationException(int applicationCode, String text, @Nullable Throwable cause) {
        super(ErrorCode.APPLICATION_ERROR, text, cause);
        this.applicationCode = applicationCode;
    }

    /** Returns the code of the application. */
    public int applicationCode() {
        return applicationCode;
    }

    /** Returns the text of the application: the message of this exception, which is printable. */
    public String text() {
        return String.valueOf(getMessage());
    }

    /** Returns the class name, both codes and the text. */
    @Override
    @SuppressWarnings("OverrideThrowableToString") // see ParleyException
    public String toString() {
        return getClass().getName() + ": " + code() + " " + applicationCode + ": " + getLocalizedMessage();
    }
}
