package io.parley.error;

import io.parley.error.internal.PrintableText;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A failure reported by Parley. The subclass is the {@linkplain ErrorCode.Remedy remedy}; the {@link #code} is the reason.
 * Programming errors are reported with the exceptions of the JDK, such as {@link IllegalArgumentException}.
 *
 * <p>The message may quote text of a remote peer. So control characters, format characters and line separators in it are
 * replaced by spaces, and a cause with such characters in its description is replaced by a copy without them.
 */
public abstract sealed class ParleyException extends RuntimeException
        permits RetryableException, InvalidCallException, PeerFaultException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;

    ParleyException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(PrintableText.of(message), PrintableText.of(cause));
        this.code = code;
    }

    /** Returns the reason of the failure. */
    public final ErrorCode code() {
        return code;
    }

    /**
     * Returns the failure of a future without the {@link CompletionException} or {@link ExecutionException} around it. Other failures are returned as they are.
     */
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

    /**
     * Returns an exception to rethrow after a failed {@code join} or {@code get} of a future: the unwrapped failure if it is
     * unchecked, otherwise a {@link CompletionException} with the unwrapped failure as its cause.
     *
     * @throws Error if the unwrapped failure is an error
     */
    public static RuntimeException unchecked(Throwable failure) {
        Throwable cause = unwrap(failure);
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException known ? known : new CompletionException(cause);
    }

    /** Returns the class name, the code and the message. */
    @Override
    @SuppressWarnings("OverrideThrowableToString") // the message is sent to remote peers, beside the number of the code
    public String toString() {
        return getClass().getName() + ": " + code + ": " + getLocalizedMessage();
    }
}
