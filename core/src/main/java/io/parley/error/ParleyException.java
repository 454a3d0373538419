package io.parley.error;

import org.jspecify.annotations.Nullable;

/** Every failure that Parley itself reports; programming errors stay what the JDK calls them. */
public abstract sealed class ParleyException extends RuntimeException
        permits RetryableException, InvalidCallException, PeerFaultException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    ParleyException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** The stable code. */
    public final ErrorCode code() {
        return code;
    }
}
