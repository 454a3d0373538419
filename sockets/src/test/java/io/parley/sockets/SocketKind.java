package io.parley.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Where the sockets of a contract case come from: the JDK's own, or those between two peers. */
abstract class SocketKind implements AutoCloseable {

    abstract Socket newSocket() throws IOException;

    abstract ServerSocket newServer() throws IOException;

    /** Returns an address to which a new server can be bound. */
    abstract SocketAddress newAddress();

    /** Returns the address of a bound server, for a client. */
    abstract SocketAddress addressOf(ServerSocket server);

    /** Returns an address at which nothing responds to a connect. */
    abstract SocketAddress silentAddress() throws IOException;

    /** Returns an address at which a connect is refused. */
    abstract SocketAddress refusingAddress() throws IOException;

    @Override
    public void close() throws IOException {}

    /** TCP on loopback. */
    static final class Plain extends SocketKind {

        private static final int MAX_FILLERS = 8;
        private static final int FILL_MILLIS = 200;

        private final List<AutoCloseable> opened = new ArrayList<>();

        @Override
        Socket newSocket() {
            return new Socket();
        }

        @Override
        ServerSocket newServer() throws IOException {
            return new ServerSocket();
        }

        @Override
        SocketAddress newAddress() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        }

        @Override
        SocketAddress addressOf(ServerSocket server) {
            return server.getLocalSocketAddress();
        }

        /** A server whose backlog is full: the kernel drops further connects. */
        @Override
        SocketAddress silentAddress() throws IOException {
            ServerSocket server = new ServerSocket();
            opened.add(server);
            server.bind(newAddress(), 1);
            for (int i = 0; i < MAX_FILLERS; i++) {
                Socket filler = new Socket();
                opened.add(filler);
                try {
                    filler.connect(server.getLocalSocketAddress(), FILL_MILLIS);
                } catch (SocketTimeoutException full) {
                    return server.getLocalSocketAddress();
                }
            }
            throw new IOException("the backlog does not fill");
        }

        /** The address of a socket that is bound and does not listen, so that no other program gets the port. */
        @Override
        SocketAddress refusingAddress() throws IOException {
            Socket bound = new Socket();
            opened.add(bound);
            bound.bind(newAddress());
            return bound.getLocalSocketAddress();
        }

        @Override
        public void close() throws IOException {
            for (AutoCloseable each : opened) {
                try {
                    each.close();
                } catch (Exception e) {
                    throw new IOException(e);
                }
            }
        }

        @Override
        public String toString() {
            return "plain";
        }
    }

    /** Sockets of bob to services of alice. */
    static final class OfPeers extends SocketKind {

        private static final AtomicInteger NUMBER = new AtomicInteger();

        private final SocketPeers peers = SocketPeers.inMemory();

        @Override
        Socket newSocket() throws IOException {
            return peers.ofBob().socketFactory().createSocket();
        }

        @Override
        ServerSocket newServer() throws IOException {
            return peers.ofAlice().serverSocketFactory().createServerSocket();
        }

        @Override
        SocketAddress newAddress() {
            return InetSocketAddress.createUnresolved("service" + NUMBER.incrementAndGet() + ".parley", 0);
        }

        @Override
        SocketAddress addressOf(ServerSocket server) {
            return server.getLocalSocketAddress();
        }

        @Override
        SocketAddress silentAddress() {
            return InetSocketAddress.createUnresolved("nobody-has-it.parley", 1);
        }

        @Override
        SocketAddress refusingAddress() {
            return InetSocketAddress.createUnresolved(
                    "no-such-service." + peers.alice.id().text() + ".parley", 1);
        }

        @Override
        public void close() {
            peers.close();
        }

        @Override
        public String toString() {
            return "peers";
        }
    }
}
