package io.parley.transport.udp;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends datagrams to a multicast group through one interface. It has its own socket, because the interface is an option of
 * the socket. Must be used on the event loop.
 */
final class InterfaceSender {

    private static final Logger log = LoggerFactory.getLogger(InterfaceSender.class);

    private final String name;
    private final InetSocketAddress group;
    private final ChannelFuture opening;
    private boolean failing;

    InterfaceSender(IpFamily family, NetworkInterface network, UdpSettings settings, EventLoopGroup loops) {
        this.name = family + " on " + network.getName();
        this.group = new InetSocketAddress(family.group(settings), settings.port());
        this.opening = new Bootstrap()
                .group(loops)
                .channelFactory(() -> new NioDatagramChannel(family.protocol()))
                .option(ChannelOption.IP_MULTICAST_IF, network)
                .option(ChannelOption.IP_MULTICAST_TTL, settings.hops())
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInboundHandlerAdapter())
                .bind(family.wildcard(0));
    }

    /** Returns a future that completes when the sender is ready. */
    ChannelFuture opening() {
        return opening;
    }

    boolean isReady() {
        return opening.isSuccess();
    }

    Channel channel() {
        return opening.channel();
    }

    /** Closes the socket. Without one, for example because of too many open files, Netty's channel cannot be closed. */
    void close() {
        if (channel().isRegistered()) {
            channel().close();
        }
    }

    /** Sends a datagram. Takes ownership of {@code datagram}. */
    ChannelFuture send(ByteBuf datagram) {
        return channel().writeAndFlush(new DatagramPacket(datagram, group)).addListener(sent -> {
            if (!sent.isSuccess() && !failing && channel().isOpen()) {
                log.info("Cannot send by {}: {}", name, sent.cause().toString());
            }
            failing = !sent.isSuccess();
        });
    }

    @Override
    public String toString() {
        return name;
    }
}
