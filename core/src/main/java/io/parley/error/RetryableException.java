package io.parley.error;

import org.jspecify.annotations.Nullable;

/** Thrown if a valid call failed for a temporary reason. The same call may succeed later. */
public final class RetryableException extends ParleyException {
    private static final long serialVersionUID = 1L;

    RetryableException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
