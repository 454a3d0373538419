package io.parley.transport.relay;

import io.parley.transport.Transport;

/** A transport whose servers can serve a relay. The addresses of its relays have the schemes of its servers. Thread-safe. */
public interface RelayTransport extends Transport {

    /** Makes all servers of this transport serve a relay. Called once, before the transport listens. */
    void serve(Relay relay);
}
