package io.parley.bench.sockets;

import io.parley.bench.stream.AbstractStreamContender;
import io.parley.bench.stream.StreamEnd;
import io.parley.bench.stream.StreamSite;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** Plain sockets of {@code java.net} and streams of {@code java.io}. */
final class BlockingStreamContender extends AbstractStreamContender {

    static final int BACKLOG = 1024;

    BlockingStreamContender() {
        super(
                JavaStreamStack.BLOCKING,
                "blocking sockets of java.net with streams of java.io",
                JavaStreamStack.C_NETPIPE);
    }

    @Override
    public boolean hasManyConnections() {
        return true;
    }

    @Override
    public Server serve(StreamSite site) throws IOException {
        ServerSocket listener = new ServerSocket(0, BACKLOG, InetAddress.getByName(site.host()));
        return new Server() {
            @Override
            public String address() {
                return site.host() + ":" + listener.getLocalPort();
            }

            @Override
            public StreamEnd accept() throws IOException {
                return end(listener.accept());
            }

            @Override
            public void close() throws IOException {
                listener.close();
            }
        };
    }

    @Override
    public Client connect(String address, StreamSite site) {
        InetSocketAddress remote = JavaStreamStack.socketAddress(address);
        return new Client() {
            @Override
            public StreamEnd open() throws IOException {
                return end(new Socket(remote.getAddress(), remote.getPort()));
            }

            @Override
            public void close() {
                // the connections are closed by their users
            }
        };
    }

    private static StreamEnd end(Socket socket) throws IOException {
        socket.setTcpNoDelay(true);
        return new SocketStreamEnd(socket);
    }
}
