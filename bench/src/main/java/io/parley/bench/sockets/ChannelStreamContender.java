package io.parley.bench.sockets;

import io.parley.bench.stream.AbstractStreamContender;
import io.parley.bench.stream.StreamEnd;
import io.parley.bench.stream.StreamSite;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Blocking channels of {@code java.nio}, as in the Java NetPIPE of the paper. */
final class ChannelStreamContender extends AbstractStreamContender {

    private final boolean direct;

    ChannelStreamContender(String name, String description, boolean direct) {
        super(name, description, JavaStreamStack.BLOCKING);
        this.direct = direct;
    }

    @Override
    public boolean hasManyConnections() {
        return true;
    }

    @Override
    public Server serve(StreamSite site) throws IOException {
        ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(site.host(), 0), BlockingStreamContender.BACKLOG);
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        return new Server() {
            @Override
            public String address() {
                return site.host() + ":" + port;
            }

            @Override
            public StreamEnd accept() throws IOException {
                return new ChannelStreamEnd(listener.accept(), direct);
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
                return new ChannelStreamEnd(SocketChannel.open(remote), direct);
            }

            @Override
            public void close() {
                // the connections are closed by their users
            }
        };
    }
}
