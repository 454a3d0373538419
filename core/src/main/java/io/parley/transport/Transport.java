package io.parley.transport;

import io.parley.common.AsyncCloseable;
import io.parley.id.PeerId;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections between peers over one kind of network. Implementations pass {@code TransportContractTest}, which is
 * in core's test-jar. Closing a transport closes its listeners and aborts its connections.
 */
public interface Transport extends AsyncCloseable {

    /** The address schemes it serves, lower case. */
    Set<String> schemes();

    /**
     * Connects. The future completes, on the connection's executor, when both sides have proven who they are; it fails
     * with {@link io.parley.error.ErrorCode#UNREACHABLE}, {@link io.parley.error.ErrorCode#TIMEOUT},
     * {@link io.parley.error.ErrorCode#IDENTITY_REFUSED} or {@link io.parley.error.ErrorCode#CLOSED}. Cancelling it
     * abandons the attempt.
     *
     * @param expected the peer that must answer, or null to accept any
     */
    CompletableFuture<Connection> dial(EndpointAddress address, @Nullable PeerId expected);

    /**
     * Listens. {@code onAccept} is called on each new connection's executor, after the other side has proven who it is,
     * and has to call {@link Connection#start} before it returns.
     *
     * @param address port 0 stands for any free port
     * @return fails with {@link io.parley.error.ErrorCode#CANNOT_LISTEN} when the address is in use or not ours
     */
    CompletableFuture<TransportServer> listen(EndpointAddress address, Consumer<Connection> onAccept);
}
