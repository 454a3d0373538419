package io.parley.examples.software;

import io.parley.Peer;
import io.parley.sockets.PeerSocketFactory;
import io.parley.sockets.PeerSockets;
import io.parley.transport.memory.InMemoryNetwork;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two peers that are connected by TCP and TLS: one has the service of a real server, the other a client. They find each other's services
 * by name. Closes them.
 */
final class SoftwarePeers implements AutoCloseable {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<TcpBridge> bridges = new ArrayList<>();
    private final Peer server;
    private final Peer client;

    SoftwarePeers() {
        int number = NUMBER.incrementAndGet();
        server = start("server-" + number);
        client = start("client-" + number);
        PeerSockets.of(client); // makes it known to factories
    }

    private Peer start(String name) {
        return Peer.loopback()
                .name(name)
                .multicast(true)
                .propagationTransport(network.propagationProvider())
                .start();
    }

    /** Opens a service that leads to a TCP port of this machine. */
    TcpBridge bridge(String service, int port) throws IOException {
        TcpBridge bridge = TcpBridge.start(PeerSockets.of(server).listen(service), port);
        bridges.add(bridge);
        return bridge;
    }

    /** Returns the sockets of the peer with the server. */
    PeerSockets ofServer() {
        return PeerSockets.of(server);
    }

    /** Returns the sockets of the peer with the client. */
    PeerSockets ofClient() {
        return PeerSockets.of(client);
    }

    /** Returns the host name of a service of the peer with the server. */
    String host(String service) {
        return service + "." + server.id().text() + ".parley";
    }

    /** Returns the name of the peer with the client, for factories that a program creates by the name of their class. */
    String clientName() {
        return client.name();
    }

    PeerSocketFactory clientFactory() {
        return new PeerSocketFactory(clientName());
    }

    @Override
    public void close() {
        bridges.forEach(TcpBridge::close);
        client.close();
        server.close();
    }
}
