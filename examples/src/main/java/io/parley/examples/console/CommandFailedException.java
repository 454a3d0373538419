package io.parley.examples.console;

import org.jspecify.annotations.Nullable;

/** Signals that a command has failed. The message is for the user: what failed and what to do. */
public class CommandFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CommandFailedException(String message) {
        this(message, null);
    }

    public CommandFailedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
