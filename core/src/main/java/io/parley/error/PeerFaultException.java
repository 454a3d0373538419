package io.parley.error;

import org.jspecify.annotations.Nullable;

/** The other peer misbehaved; the connection to it is closed or about to be. */
public final class PeerFaultException extends ParleyException {
    private static final long serialVersionUID = 1L;

    PeerFaultException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
