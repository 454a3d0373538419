package io.parley.transport;

import io.parley.common.AsyncCloseable;

/** An address that is being listened on. Closing it leaves accepted connections open. */
public interface TransportServer extends AsyncCloseable {

    /** The address in use, with the real port where port 0 was asked for. */
    EndpointAddress address();
}
