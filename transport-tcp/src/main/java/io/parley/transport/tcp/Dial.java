package io.parley.transport.tcp;

import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.tcp.internal.relay.RelayRequest;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An attempt to connect.
 *
 * @param address  the address of the remote peer
 * @param server   the address that is connected to: that of the relay if the address is relayed
 * @param request  what is requested from the relay; null if there is none
 * @param proxy    the proxy to connect through; null if there is none
 * @param expected the required remote peer, or null to accept any
 * @param dialed   completes with the connection
 */
record Dial(
        EndpointAddress address,
        EndpointAddress server,
        @Nullable RelayRequest request,
        @Nullable InetSocketAddress proxy,
        @Nullable PeerId expected,
        CompletableFuture<Connection> dialed) {}
