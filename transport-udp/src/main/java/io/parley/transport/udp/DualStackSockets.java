package io.parley.transport.udp;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.PromiseCombiner;
import io.parley.error.ErrorCode;
import io.parley.transport.PropagationListener;
import io.parley.transport.TransportContext;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The sockets of both families, kept in step with the machine's interfaces. For the loop's thread. */
final class DualStackSockets {

    private static final Logger log = LoggerFactory.getLogger(DualStackSockets.class);

    private final UdpSettings settings;
    private final InterfaceSource interfaces;
    private final InterfaceSelector choice;
    private final EventLoop loop;
    private final BooleanSupplier isClosing;
    private final DatagramReceiver receiver;
    private final ChannelGroup channels;
    private final List<MulticastSockets> sockets = new ArrayList<>();
    private LocalNetworks networks = LocalNetworks.of(List.of());

    DualStackSockets(
            TransportContext context,
            UdpSettings settings,
            InterfaceSource interfaces,
            LongSupplier nanoTime,
            EventLoop loop,
            PropagationListener listener,
            BooleanSupplier isClosing) {
        this.settings = settings;
        this.interfaces = interfaces;
        this.choice = new InterfaceSelector(settings.interfaces());
        this.loop = loop;
        this.isClosing = isClosing;
        this.receiver = new DatagramReceiver(context, settings, this::isLocal, nanoTime, listener);
        this.channels = new DefaultChannelGroup(loop, true);
    }

    /** Binds and joins; the future completes when that is done, or fails when neither family can. */
    void open(CompletableFuture<Void> listening) {
        DatagramHandler inbound = new DatagramHandler();
        List<Throwable> failures = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            MulticastSockets socket = new MulticastSockets(family, settings, loop, inbound, channels::add);
            sockets.add(socket);
            socket.binding().addListener(bound -> {
                if (!bound.isSuccess()) {
                    failures.add(bound.cause());
                    log.info("No {} multicast: {}", family, bound.cause().toString());
                }
            });
        }
        whenAll(sockets.stream().map(MulticastSockets::binding).toList(), () -> {
            if (failures.size() == sockets.size()) {
                listening.completeExceptionally(ErrorCode.CANNOT_LISTEN.exception(
                        "udp port " + settings.port() + ": " + failures.get(0).getMessage(), failures.get(0)));
            } else {
                begin(listening);
            }
        });
    }

    private void begin(CompletableFuture<Void> listening) {
        check();
        long checkNanos = settings.interfaceCheckInterval().toNanos();
        loop.scheduleWithFixedDelay(this::check, checkNanos, checkNanos, TimeUnit.NANOSECONDS);
        whenAll(allSenders().map(InterfaceSender::opening).toList(), () -> listening.complete(null));
    }

    /** When they have completed, one way or the other. */
    private void whenAll(List<ChannelFuture> futures, Runnable then) {
        PromiseCombiner all = new PromiseCombiner(loop);
        futures.forEach(future -> all.add((Future<?>) future));
        Promise<Void> done = loop.newPromise();
        done.addListener(result -> then.run());
        all.finish(done);
    }

    private void check() {
        try {
            List<NetworkInterface> present = interfaces.list();
            networks = LocalNetworks.of(present);
            List<NetworkInterface> chosen = choice.among(present);
            sockets.forEach(socket -> socket.update(chosen));
        } catch (SocketException e) {
            log.warn("Can't list the network interfaces; those known before are kept", e);
        }
        receiver.expire();
    }

    /** By which can be sent at the moment. */
    List<InterfaceSender> senders() {
        return allSenders().filter(InterfaceSender::isReady).toList();
    }

    private Stream<InterfaceSender> allSenders() {
        return sockets.stream().flatMap(socket -> socket.senders().stream());
    }

    private boolean isLocal(InetAddress address) {
        return settings.hops() > 1 || networks.contains(address);
    }

    /** Closes all sockets. */
    Future<Void> close() {
        return channels.close();
    }

    @Sharable
    private final class DatagramHandler extends SimpleChannelInboundHandler<DatagramPacket> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            if (!isClosing.getAsBoolean()) {
                receiver.receive(packet.sender().getAddress(), packet.content());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            log.warn("A datagram could not be received", cause);
        }
    }
}
