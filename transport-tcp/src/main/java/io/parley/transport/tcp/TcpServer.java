package io.parley.transport.tcp;

import io.netty.channel.Channel;
import io.parley.common.internal.Closeables;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A bound server channel. Thread-safe. */
final class TcpServer implements TransportServer {

    private final EndpointAddress address;
    private final Channel channel;
    private final Duration closeTimeout;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    TcpServer(EndpointAddress requested, Channel channel, Duration closeTimeout) {
        this.address = requested.withPort(((InetSocketAddress) channel.localAddress()).getPort());
        this.channel = channel;
        this.closeTimeout = closeTimeout;
        channel.closeFuture().addListener(future -> closed.complete(null));
    }

    @Override
    public EndpointAddress address() {
        return address;
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        channel.close();
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return !channel.isOpen();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, closeTimeout);
    }

    @Override
    public String toString() {
        return "server on " + address;
    }
}
