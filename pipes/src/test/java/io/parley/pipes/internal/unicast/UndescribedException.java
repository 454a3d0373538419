package io.parley.pipes.internal.unicast;

/** A failure of user code that fails again when it is described. */
final class UndescribedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
        throw new IllegalStateException("no description");
    }
}
