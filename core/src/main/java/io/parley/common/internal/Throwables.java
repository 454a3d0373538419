package io.parley.common.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import org.jspecify.annotations.Nullable;

/** Reads the failures of futures. */
public final class Throwables {

    private Throwables() {}

    /** Returns {@link ParleyException#unwrap}. */
    public static Throwable unwrap(Throwable failure) {
        return ParleyException.unwrap(failure);
    }

    /** Returns the unwrapped failure, or {@code null} if there is none. */
    public static @Nullable Throwable unwrapNullable(@Nullable Throwable failure) {
        return failure == null ? null : unwrap(failure);
    }

    /** Returns whether the failed operation may succeed later. */
    public static boolean isRetryable(Throwable failure) {
        return unwrap(failure) instanceof ParleyException known && known.code().remedy() == ErrorCode.Remedy.RETRY;
    }

    /** Returns the unwrapped failure if it is a {@link ParleyException}, else one with {@code otherwise} and this cause. */
    public static ParleyException toParleyException(Throwable failure, ErrorCode otherwise) {
        Throwable cause = unwrap(failure);
        return cause instanceof ParleyException known ? known : otherwise.exception(String.valueOf(cause), cause);
    }
}
