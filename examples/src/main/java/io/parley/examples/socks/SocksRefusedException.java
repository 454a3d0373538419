package io.parley.examples.socks;

import java.io.IOException;

/** Signals that a SOCKS client gets no connection. The client has been sent the reply, if the protocol has one. */
final class SocksRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    SocksRefusedException(String message) {
        super(message);
    }

    SocksRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
