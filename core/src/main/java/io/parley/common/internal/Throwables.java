package io.parley.common.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** Reads the failures of futures. */
public final class Throwables {

    private Throwables() {}

    /** Returns the cause that a future has wrapped in {@link CompletionException} or {@link ExecutionException}. */
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

    /** As {@link #unwrap}; {@code null} stays {@code null}. */
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
