package io.parley.transport;

/** The protection of the connections of a peer. Both peers of a connection must use the same. */
public enum TransportSecurity {
    /** TLS 1.3; both peers are authenticated. The default. */
    TLS,
    /**
     * No protection: an attacker on the path can read and change all data, and peer ids are not authenticated. For benchmarks
     * and for networks that protect their traffic themselves.
     */
    PLAINTEXT
}
