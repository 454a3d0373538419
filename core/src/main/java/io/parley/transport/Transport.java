package io.parley.transport;

import io.parley.common.AsyncCloseable;
import io.parley.id.PeerId;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Connects peers over one kind of network. Implementations must pass {@code TransportContractTest} of the test kit. Closing a
 * transport closes its servers and aborts its connections. Thread-safe.
 */
public interface Transport extends AsyncCloseable {

    /** Returns the address schemes that it serves, lower case. */
    Set<String> schemes();

    /**
     * Connects to an address.
     *
     * @param expected the required remote peer, or null to accept any
     * @return a future that completes, on the executor of the connection, after both peers are authenticated; it fails with
     *     {@link io.parley.error.ErrorCode#UNREACHABLE}, {@link io.parley.error.ErrorCode#TIMEOUT},
     *     {@link io.parley.error.ErrorCode#IDENTITY_REFUSED} or {@link io.parley.error.ErrorCode#CLOSED}. Cancelling it abandons
     *     the attempt.
     */
    CompletableFuture<Connection> dial(EndpointAddress address, @Nullable PeerId expected);

    /**
     * Listens on an address.
     *
     * @param address  the address; port 0 selects any free port
     * @param onAccept called for each connection, on its executor, after the remote peer is authenticated; must call
     *     {@link Connection#start} before it returns
     * @return a future that completes with the server; it fails with {@link io.parley.error.ErrorCode#CANNOT_LISTEN} if the
     *     address is in use or does not belong to this machine, and with {@link io.parley.error.ErrorCode#CLOSED}
     */
    CompletableFuture<TransportServer> listen(EndpointAddress address, Consumer<Connection> onAccept);
}
