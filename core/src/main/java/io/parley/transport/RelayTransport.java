package io.parley.transport;

/**
 * A transport whose servers can serve a relay: other peers listen there, at the relayed form of the address of a server ({@link EndpointAddress#relayed()}),
 * and are dialed there. Thread-safe.
 */
public interface RelayTransport extends Transport {

    /** Makes the servers of this transport serve a relay with these limits. Called once, before the transport listens. */
    void serve(RelayLimits limits);
}
