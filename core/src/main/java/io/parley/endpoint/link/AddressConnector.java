package io.parley.endpoint.link;

import io.parley.endpoint.Connection;
import io.parley.endpoint.EndpointAddress;
import io.parley.endpoint.PeerAddress;
import io.parley.endpoint.Transport;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
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
        return dialed.exceptionallyCompose(
                        failure -> CompletableFuture.failedFuture(Throwables.asParley(Throwables.causeOf(failure))))
                .thenCompose(connection -> meet(address, connection));
    }

    private CompletableFuture<PeerId> meet(EndpointAddress address, Connection connection) {
        PeerId peer = connection.provenPeer();
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
