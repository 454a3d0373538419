package io.parley.error;

import org.jspecify.annotations.Nullable;

/** Thrown if the remote peer is faulty or hostile. The connection to it is closed or about to be closed. */
public final class PeerFaultException extends ParleyException {
    private static final long serialVersionUID = 1L;

    PeerFaultException(ErrorCode code, String message, @Nullable Throwable cause) {
        super(code, message, cause);
    }
}
