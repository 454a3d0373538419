package io.parley.pipes;

/** Whether an output pipe is secure. */
enum PipeSecurity {
    /** It is secure if the pipe is, by its advertisement. */
    AS_ADVERTISED,
    SECURE,
    PLAIN;

    boolean isSecure(boolean advertised) {
        return this == SECURE || (this == AS_ADVERTISED && advertised);
    }
}
