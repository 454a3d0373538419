package io.parley.endpoint.internal;

import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import java.util.concurrent.CompletableFuture;

/** Finds out who answers at an address, and goes on with the connection that was made for it. From any thread. */
final class AddressConnector {

    private final PeerEndpoint endpoint;
    private final EndpointContext core;

    AddressConnector(PeerEndpoint endpoint, EndpointContext core) {
        this.endpoint = endpoint;
        this.core = core;
    }

    CompletableFuture<PeerId> identify(EndpointAddress address) {
        Transport transport = endpoint.transportFor(address.scheme());
        if (transport == null) {
            return CompletableFuture.failedFuture(endpoint.noTransport(address));
        }
        CompletableFuture<Connection> dialed;
        try {
            dialed = transport.dial(address, null);
        } catch (RuntimeException e) {
            dialed = CompletableFuture.failedFuture(e);
        }
        return dialed.exceptionallyCompose(failure ->
                        CompletableFuture.failedFuture(Throwables.toParleyException(failure, ErrorCode.UNREACHABLE)))
                .thenCompose(connection -> meet(address, connection));
    }

    private CompletableFuture<PeerId> meet(EndpointAddress address, Connection connection) {
        PeerId peer = connection.authenticatedPeer();
        if (peer == null || peer.equals(core.self())) {
            connection.close();
            return CompletableFuture.failedFuture(ErrorCode.IDENTITY_REFUSED.exception(
                    peer == null
                            ? address + ": who answers there can't prove its id (expected: a connection with TLS)"
                            : address + ": this peer itself answers there (expected: another peer)"));
        }
        core.addresses().learn(PeerAddress.of(peer, address));
        Dialer.AuthenticatedConnection met = new Dialer.AuthenticatedConnection(address, connection);
        CompletableFuture<PeerId> connected = endpoint.withAssociation(
                peer, association -> association.connectOver(met).thenApply(link -> peer));
        connected.whenComplete((id, failure) -> {
            if (failure != null) {
                connection.abort(null);
            }
        });
        return connected;
    }
}
