package io.parley.codec.compress.internal;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;

/** The failure of a content that no encoder has made. */
final class Malformed {

    private Malformed() {}

    /** Returns a {@link io.parley.error.PeerFaultException} with the code MALFORMED_MESSAGE. */
    static ParleyException because(String reason) {
        return ErrorCode.MALFORMED_MESSAGE.exception("compressed element: " + reason);
    }
}
