package io.parley.examples.forward;

import io.parley.Peer;
import io.parley.examples.MemoryNet;
import io.parley.sockets.PeerServerSocket;
import io.parley.sockets.PeerSockets;
import io.parley.sockets.ServiceHost;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The whole way of a forwarded connection in one JVM: a TCP port, the connecting peer, the serving peer, and the TCP server of the
 * test. Closing it closes all.
 */
final class ForwardPath implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    static final int GREETING = '!';

    private final MemoryNet net = new MemoryNet();
    private final List<Socket> greeted = new ArrayList<>();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final ServerSocket port = loopback();
    private final Peer bob;
    final ServerSocket server = loopback();
    final ConnectionForwarder serving;
    final ConnectionForwarder connecting;

    ForwardPath(int maxConnections) throws IOException {
        Peer alice = net.start("alice");
        bob = net.start("bob");
        PeerServerSocket service = PeerSockets.of(alice)
                .withLimits(ConnectionForwarder.socketLimits(TIMEOUT))
                .listen("test");
        ConnectionLog log = new ConnectionLog(lines::add, () -> 0); // with no further lines later
        serving = ConnectionForwarder.start(
                service, new TcpTarget("127.0.0.1", server.getLocalPort()), maxConnections, log);
        connecting = ConnectionForwarder.start(
                port,
                ServiceConnector.of(
                        PeerSockets.of(bob).withLimits(ConnectionForwarder.socketLimits(TIMEOUT)),
                        ServiceHost.of("test"),
                        TIMEOUT),
                maxConnections,
                log);
    }

    private static ServerSocket loopback() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    /** Connects a client. */
    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.getLocalPort());
        socket.setSoTimeout((int) TIMEOUT.toMillis());
        return socket;
    }

    /** Connects to the service without the TCP port, as a program of the connecting peer. */
    Socket connectByPeer() throws IOException {
        return PeerSockets.of(bob).connect("test", TIMEOUT);
    }

    /** Accepts at the server of the test. */
    Socket accept() throws IOException {
        server.setSoTimeout((int) TIMEOUT.toMillis());
        Socket socket = server.accept();
        socket.setSoTimeout((int) TIMEOUT.toMillis());
        return socket;
    }

    /** Sends a byte to each further connection, by which a client knows at once that it was not refused. */
    void greetAll() throws IOException {
        server.setSoTimeout(0);
        Thread greeter = new Thread(
                () -> {
                    try {
                        while (true) {
                            Socket socket = server.accept();
                            greeted.add(socket);
                            socket.getOutputStream().write(GREETING);
                        }
                    } catch (IOException e) { // the end of the test
                        greeted.forEach(ForwardedConnection::reset);
                    }
                },
                "greeter");
        greeter.setDaemon(true);
        greeter.start();
    }

    /** Returns what both forwarders have printed. */
    List<String> lines() {
        return lines;
    }

    @Override
    public void close() throws IOException {
        connecting.close();
        serving.close();
        server.close();
        net.close();
    }
}
