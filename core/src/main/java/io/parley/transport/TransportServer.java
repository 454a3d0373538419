package io.parley.transport;

import io.parley.common.AsyncCloseable;

/** A server that accepts connections at one address. Closing it leaves accepted connections open. Thread-safe. */
public interface TransportServer extends AsyncCloseable {

    /** Returns the address, with the actual port if port 0 was requested. */
    EndpointAddress address();
}
