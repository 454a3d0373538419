package io.parley.transport.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.parley.error.ParleyException;
import io.parley.transport.EndpointAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Connections whose TLS begins with the first byte: those of {@code tcp://}. */
final class NoTunnel implements TcpTunnel {

    static final String SCHEME = "tcp";

    @Override
    public Set<String> schemes() {
        return Set.of(SCHEME);
    }

    @Override
    public void addDialerHandlers(
            Channel channel,
            EndpointAddress address,
            @Nullable InetSocketAddress proxy,
            Runnable onOpen,
            Consumer<ParleyException> onRejected) {
        openWhenActive(channel, onOpen);
    }

    @Override
    public void addAcceptorHandlers(Channel channel, Runnable onOpen, Consumer<ParleyException> onRejected) {
        openWhenActive(channel, onOpen);
    }

    private static void openWhenActive(Channel channel, Runnable onOpen) {
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext active) {
                active.pipeline().remove(this);
                onOpen.run();
            }
        });
    }
}
