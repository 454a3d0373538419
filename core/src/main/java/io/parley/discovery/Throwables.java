package io.parley.discovery;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.concurrent.CompletionException;

/** What to make of a failure of somebody else. */
final class Throwables {

    private Throwables() {}

    /** Without what futures wrap around it. */
    static Throwable causeOf(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /** Whether the same may succeed later. */
    static boolean mayPass(Throwable cause) {
        return cause instanceof ParleyException known && known.code().remedy() == ErrorCode.Remedy.RETRY;
    }
}
