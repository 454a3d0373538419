package io.parley.common.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Unwraps and classifies the failures of futures. */
public final class Throwables {

    private Throwables() {}

    /** Returns the cause that a future wrapped in a {@link CompletionException} or {@link ExecutionException}. */
    public static Throwable unwrap(Throwable failure) {
        Throwable unwrapped = failure;
        while (unwrapped instanceof CompletionException || unwrapped instanceof ExecutionException) {
            Throwable cause = unwrapped.getCause();
            if (cause == null) {
                break;
            }
            unwrapped = cause;
        }
        return unwrapped;
    }

    /** Returns the result of {@link #unwrap}, or {@code null} if {@code failure} is {@code null}. */
    public static @Nullable Throwable unwrapNullable(@Nullable Throwable failure) {
        return failure == null ? null : unwrap(failure);
    }

    /** Returns whether the failed operation may succeed later. */
    public static boolean isRetryable(Throwable failure) {
        return unwrap(failure) instanceof ParleyException known && known.code().remedy() == ErrorCode.Remedy.RETRY;
    }

    /** Returns the unwrapped failure if it is a {@link ParleyException}, otherwise a new one with that code and cause. */
    public static ParleyException toParleyException(Throwable failure, ErrorCode code) {
        Throwable cause = unwrap(failure);
        return cause instanceof ParleyException known ? known : code.exception(String.valueOf(cause), cause);
    }
}
