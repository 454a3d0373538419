package io.parley.transport;

import io.netty.buffer.ByteBuf;
import io.parley.common.AsyncCloseable;
import io.parley.endpoint.Endpoint;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Says something to all peers nearby at once, who they are being unknown: all those on the local network that listen on the
 * same channel hear it, and so learn how to answer over the {@link Endpoint}. For announcements and questions, not for
 * data. Implementations pass {@code PropagationContractTest}, which is in core's test-jar.
 *
 * <p>Delivery is best effort: a payload comes to each peer at most once, perhaps after a later one, or not at all. The
 * sender that a listener is told has signed payload and addresses. Closing waits for a listener that is running; none
 * is called after that.
 */
public interface PropagationTransport extends AsyncCloseable {

    /** The largest payload. */
    int MAX_PAYLOAD_BYTES = 64 * 1024;

    /** What it is called in logs and settings, lower case: {@code udp}. */
    String scheme();

    /**
     * Begins to listen.
     *
     * @return completes when others are heard; fails with {@link io.parley.error.ErrorCode#CANNOT_LISTEN} when that is not
     *     possible, with {@link io.parley.error.ErrorCode#CLOSED}, and with {@link IllegalStateException} when it was
     *     started before
     */
    CompletableFuture<Void> start(PropagationListener listener);

    /**
     * Says it to all who listen, but not to this peer itself.
     *
     * @param addresses where this peer can be reached, at most {@value PeerAddress#MAX_ADDRESSES}
     * @param payload takes ownership; at most {@value #MAX_PAYLOAD_BYTES} bytes, may be empty
     * @return completes when the network has taken it, which does not mean that anybody has heard it; fails with
     *     {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE}, with {@link io.parley.error.ErrorCode#BUSY} when the caller
     *     is faster than it may be, with {@link io.parley.error.ErrorCode#UNREACHABLE} when there is no network at the
     *     moment, with {@link io.parley.error.ErrorCode#CLOSED}, with {@link IllegalArgumentException} when there are too
     *     many addresses, and with {@link IllegalStateException} when it has not been started
     */
    CompletableFuture<Void> propagate(List<EndpointAddress> addresses, ByteBuf payload);
}
