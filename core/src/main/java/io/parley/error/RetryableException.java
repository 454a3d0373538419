package io.parley.error;

import org.jspecify.annotations.Nullable;

/** Nothing is wrong with the call: the same one may succeed later. */
public final class RetryableException extends ParleyException {
    private static final long serialVersionUID = 1L;

    RetryableException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
