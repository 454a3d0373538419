package io.parley.error;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a call cannot succeed until its arguments, the configuration or the class path have changed. The subclass
 * {@code ApplicationException} contains an error of a remote application.
 */
public non-sealed class InvalidCallException extends ParleyException {
    private static final long serialVersionUID = 1L;

    InvalidCallException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
