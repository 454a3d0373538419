package io.parley.endpoint.link;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Reads what transports' futures fail with. */
final class Throwables {

    private Throwables() {}

    /** The failure itself, where a stage has wrapped it. */
    static @Nullable Throwable causeOf(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** The failure, or {@link ErrorCode#UNREACHABLE} for one that is none of ours. */
    static ParleyException asParley(@Nullable Throwable cause) {
        return cause instanceof ParleyException known
                ? known
                : ErrorCode.UNREACHABLE.exception(String.valueOf(cause), cause);
    }
}
