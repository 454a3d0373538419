package io.parley.error.internal;

import org.jspecify.annotations.Nullable;

/** A copy of a failure with the description in one printable line. It has the stack trace, and no suppressed failures. */
final class PrintableCause extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Creates a copy.
     *
     * @param description the printable description, which begins with the name of the class of the original
     * @param cause       the printable cause
     */
    PrintableCause(String description, Throwable original, @Nullable Throwable cause) {
        super(description, cause, false, true);
        setStackTrace(original.getStackTrace());
    }

    /** Omits the capture of a stack trace, which the one of the original replaces. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }

    /** Returns the description of the original, which begins with the name of its class. */
    @Override
    @SuppressWarnings("OverrideThrowableToString") // the message contains the name of the original class
    public String toString() {
        return String.valueOf(getMessage());
    }
}
