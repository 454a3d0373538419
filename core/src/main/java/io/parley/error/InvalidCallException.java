package io.parley.error;

import org.jspecify.annotations.Nullable;

/** Thrown if a call cannot succeed until its arguments, the configuration or the class path have changed. */
public final class InvalidCallException extends ParleyException {
    private static final long serialVersionUID = 1L;

    InvalidCallException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
