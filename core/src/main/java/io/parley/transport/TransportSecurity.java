package io.parley.transport;

/** How a peer's connections are protected. Both sides of a connection have to choose the same. */
public enum TransportSecurity {
    /** TLS 1.3; both sides prove their peer ids. The default. */
    TLS,
    /**
     * No protection: whoever is on the path can read and change everything, and a peer id is a mere claim. For
     * benchmarks, and for networks that protect their traffic themselves.
     */
    PLAINTEXT
}
