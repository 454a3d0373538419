package io.parley.examples.forward;

import io.parley.id.PeerId;
import io.parley.pipes.PipeTicket;
import io.parley.sockets.PeerSocket;
import io.parley.sockets.PeerSockets;
import io.parley.sockets.ServiceHost;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Connects to a service of a peer, which is found by the name of the service, by the peer, or by a ticket. A service that is found by
 * its name alone stays with one peer until that peer does not accept. Thread-safe.
 */
public final class ServiceConnector implements OnwardConnector {

    /** The name that sockets show for the service of a ticket. */
    private static final String TICKET_SERVICE = "ticket";

    @FunctionalInterface
    private interface Connect {
        PeerSocket connect() throws IOException;
    }

    private final PeerSockets sockets;
    private final String service;
    private final Duration timeout;
    private final boolean fixed;
    private final Connect connect;
    private volatile @Nullable PeerId last;

    private ServiceConnector(PeerSockets sockets, String service, Duration timeout, boolean fixed, Connect connect) {
        this.sockets = sockets;
        this.service = service;
        this.timeout = timeout;
        this.fixed = fixed;
        this.connect = connect;
    }

    /** Returns a connector to the service of a host name. */
    public static ServiceConnector of(PeerSockets sockets, ServiceHost host, Duration timeout) {
        return new ServiceConnector(
                sockets, host.service(), timeout, host.peer().isPresent(), () -> sockets.connect(host, timeout));
    }

    /** Returns a connector to the service of a ticket. */
    public static ServiceConnector of(PeerSockets sockets, PipeTicket ticket, Duration timeout) {
        return new ServiceConnector(
                sockets, TICKET_SERVICE, timeout, true, () -> sockets.connect(ticket, TICKET_SERVICE, timeout));
    }

    @Override
    public Socket connect(Socket accepted) throws IOException {
        if (fixed) {
            return connect.connect();
        }
        PeerId peer = last;
        if (peer != null) {
            try {
                return sockets.connect(peer, service, timeout);
            } catch (IOException e) {
                last = null; // another peer may have the service
            }
        }
        PeerSocket found = connect.connect();
        last = found.remotePeer();
        return found;
    }
}
