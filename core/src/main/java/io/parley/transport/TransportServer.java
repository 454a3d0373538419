package io.parley.transport;

import io.parley.common.AsyncCloseable;
import java.util.concurrent.CompletableFuture;

/** A server that accepts connections at one address. Closing it leaves accepted connections open. Thread-safe. */
public interface TransportServer extends AsyncCloseable {

    /** Returns the address, with the actual port if port 0 was requested. */
    EndpointAddress address();

    /**
     * Returns a future that completes when peers can dial the address for the first time: at once, unless another peer must serve the
     * address, such as a relay. It fails with {@code CLOSED} if the server is closed before. Completed on any thread; a dependent must
     * not block.
     */
    default CompletableFuture<Void> whenReachable() {
        return CompletableFuture.completedFuture(null);
    }
}
