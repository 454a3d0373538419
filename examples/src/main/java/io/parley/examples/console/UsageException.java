package io.parley.examples.console;

import org.jspecify.annotations.Nullable;

/** Signals that an option or a parameter has a value that the command does not accept, or lacks one that it needs. */
public final class UsageException extends CommandFailedException {
    private static final long serialVersionUID = 1L;

    public UsageException(String message) {
        this(message, null);
    }

    public UsageException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
