package io.parley.transport;

import io.netty.buffer.ByteBuf;
import io.parley.common.AsyncCloseable;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Multicasts small payloads to all peers on the same channel of the local network. Each receiver gets the id and addresses of
 * the sender, so it can respond over an endpoint. Intended for announcements and queries, not for data. Implementations
 * must pass {@code PropagationContractTest} of the test kit. Thread-safe.
 *
 * <p>Delivery is best effort: a peer receives a payload at most once, possibly after a later one, or not at all. The sender has
 * signed the payload and its addresses. Closing waits for a running listener; no listener is called after that.
 */
public interface PropagationTransport extends AsyncCloseable {

    /** The largest payload, in bytes. */
    int MAX_PAYLOAD_BYTES = 64 * 1024;

    /** Returns the name of the transport in logs and settings, lower case, such as {@code udp}. */
    String scheme();

    /**
     * Starts to listen.
     *
     * @return a future that completes when payloads of other peers are received; it fails with
     *     {@link io.parley.error.ErrorCode#CANNOT_LISTEN} if that is not possible, with
     *     {@link io.parley.error.ErrorCode#CLOSED} if the transport is closed, and with {@link IllegalStateException} if it was
     *     started before
     */
    CompletableFuture<Void> start(PropagationListener listener);

    /**
     * Propagates a payload to all listening peers except this one. Takes ownership of {@code payload}.
     *
     * @param addresses the addresses of this peer, at most {@value PeerAddress#MAX_ADDRESSES}
     * @param payload   at most {@value #MAX_PAYLOAD_BYTES} bytes, may be empty
     * @return a future that completes when the network has accepted the payload, which does not imply that a peer has received
     *     it; it fails with {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE}, with
     *     {@link io.parley.error.ErrorCode#BUSY} if a rate or queue limit is exceeded, with
     *     {@link io.parley.error.ErrorCode#UNREACHABLE} if no network is available, with
     *     {@link io.parley.error.ErrorCode#CLOSED}, with {@link IllegalArgumentException} if there are too many addresses, and
     *     with {@link IllegalStateException} if the transport has not been started
     */
    CompletableFuture<Void> propagate(List<EndpointAddress> addresses, ByteBuf payload);
}
