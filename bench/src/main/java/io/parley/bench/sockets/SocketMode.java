package io.parley.bench.sockets;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** The sockets of the JDK that a contender uses. */
enum SocketMode {
    /** {@code java.net.Socket}; a thread that reads sleeps until bytes arrive. */
    BLOCKING {
        @Override
        ServerSocket listen() throws IOException {
            return new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        }

        @Override
        FrameConnection connect(int port) throws IOException {
            return connection(new Socket(InetAddress.getLoopbackAddress(), port));
        }

        @Override
        FrameConnection connection(Socket socket) throws IOException {
            return new SocketFrames(socket);
        }
    },

    /** A non-blocking {@code java.nio} channel; a thread that reads spins before it sleeps. */
    SPINNING {
        @Override
        ServerSocket listen() throws IOException {
            ServerSocketChannel channel = ServerSocketChannel.open();
            return channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG)
                    .socket();
        }

        @Override
        FrameConnection connect(int port) throws IOException {
            return new SpinningFrames(
                    SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
        }

        @Override
        FrameConnection connection(Socket socket) throws IOException {
            return new SpinningFrames(socket.getChannel());
        }
    };

    private static final int BACKLOG = 16;

    /** Listens on a port that the kernel selects. */
    abstract ServerSocket listen() throws IOException;

    /** Connects to a port. */
    abstract FrameConnection connect(int port) throws IOException;

    /** Returns the connection of a socket that {@link #listen} has accepted. Takes ownership of {@code socket}. */
    abstract FrameConnection connection(Socket socket) throws IOException;
}
