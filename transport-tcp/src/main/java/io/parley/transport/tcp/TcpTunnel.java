package io.parley.transport.tcp;

import io.netty.channel.Channel;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.transport.EndpointAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A protocol between TCP and the TLS of the peers, such as WebSocket, with which connections pass proxies that know only this protocol.
 * The peers authenticate each other inside it. For the authors of transports; see {@link TcpTransportProvider#TcpTransportProvider(TcpTunnel)}.
 * Thread-safe.
 */
public interface TcpTunnel {

    /** Returns the schemes of addresses that are reached through this tunnel, lower case. */
    Set<String> schemes();

    /**
     * Returns the maximum number of bytes that are read from a channel and processed at a time. With accepted channels, other hosts get
     * their turn after one such read; other channels of the event loop after eight. At least 16 KiB. The default is 256 KiB, for a tunnel whose
     * work for each byte is small.
     */
    default int maxReadBytes() {
        return 256 * 1024;
    }

    /**
     * Returns the address of the proxy through which to dial an address, after all is loaded that a dial needs. Must not block. The
     * transport fails the dial if the future fails.
     *
     * @return empty to connect to the address itself, the default
     */
    default CompletableFuture<Optional<EndpointAddress>> proxy(EndpointAddress address) {
        return CompletableFuture.completedFuture(Optional.empty());
    }

    /**
     * Returns why this tunnel cannot listen on an address.
     *
     * @return empty if it can, the default; otherwise a sentence with the remedy, for {@link ErrorCode#CANNOT_LISTEN}
     */
    default Optional<String> reasonNotToListen(EndpointAddress address) {
        return Optional.empty();
    }

    /**
     * Adds handlers at the end of the pipeline of a channel that connects. When the tunnel is open, they pass on the bytes that it
     * carries as {@link io.netty.buffer.ByteBuf}s, and accept such to write.
     *
     * @param address    the address that is dialed
     * @param proxy      the proxy, which the channel reaches when a handler has made it connect there instead of to the address; null if
     *     there is none
     * @param onOpen     called once, on the event loop, when the tunnel is open; may add handlers
     * @param onRejected called instead with the reason if the tunnel cannot be opened; the channel is closed afterwards
     */
    void addDialerHandlers(
            Channel channel,
            EndpointAddress address,
            @Nullable InetSocketAddress proxy,
            Runnable onOpen,
            Consumer<ParleyException> onRejected);

    /** Adds handlers at the end of the pipeline of an accepted channel, as for a dialer. They must bound the time until it is open. */
    void addAcceptorHandlers(Channel channel, Runnable onOpen, Consumer<ParleyException> onRejected);
}
