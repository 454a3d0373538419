package io.parley.examples.console;

import org.jspecify.annotations.Nullable;

/** A command can't do what it was asked; the message is a sentence for the user that says what to do. */
public final class CommandFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CommandFailedException(String sentence) {
        this(sentence, null);
    }

    public CommandFailedException(String sentence, @Nullable Throwable cause) {
        super(sentence, cause);
    }
}
