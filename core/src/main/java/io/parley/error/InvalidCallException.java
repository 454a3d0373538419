package io.parley.error;

import org.jspecify.annotations.Nullable;

/** The call, the configuration or the class path has to change before it can succeed. */
public final class InvalidCallException extends ParleyException {
    private static final long serialVersionUID = 1L;

    InvalidCallException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
