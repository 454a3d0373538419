package io.parley.transport.udp;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.PromiseCombiner;
import io.parley.common.Scheduler;
import io.parley.common.Scheduler.Timer;
import io.parley.common.internal.Timers;
import io.parley.error.ErrorCode;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets of both IP families and the event loop that serves them. The sockets follow the interfaces of the machine.
 * Each received datagram goes to all receivers. Must be used on the event loop, except for the methods that are marked
 * thread-safe.
 *
 * <p>One thread does everything: it reads, verifies, calls listeners and sends. Datagrams that arrive faster than it
 * processes them stay in the buffers of the sockets. These are bounded, and so is the time for signatures. A second thread
 * would need a queue between the threads and gain nothing.
 */
final class DualStackSockets {

    private static final Logger log = LoggerFactory.getLogger(DualStackSockets.class);

    private final UdpSettings settings;
    private final InterfaceSource interfaces;
    private final Scheduler scheduler;
    private final InterfaceSelector selector;
    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("parley-udp", true), NioIoHandler.newFactory());
    private final EventLoop loop = loops.next();
    private final ChannelGroup channels = new DefaultChannelGroup(loop, true);
    private final List<MulticastSockets> sockets = new ArrayList<>();
    private final List<DatagramReceiver> receivers = new ArrayList<>();
    private final MessageVerifier verifier = new MessageVerifier();
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private LocalNetworks networks = LocalNetworks.of(List.of());
    private @Nullable Timer interfaceCheck;
    private boolean closing;

    DualStackSockets(UdpSettings settings, InterfaceSource interfaces, Scheduler scheduler) {
        this.settings = settings;
        this.interfaces = interfaces;
        this.scheduler = scheduler;
        this.selector = new InterfaceSelector(settings.interfaces());
    }

    /** Returns the event loop. Thread-safe. */
    EventLoop loop() {
        return loop;
    }

    MessageVerifier verifier() {
        return verifier;
    }

    /** Begins to bind and join. Must be called once. Thread-safe. */
    void open() {
        loop.execute(this::bind);
    }

    /** Returns whether neither family could be bound. Thread-safe. */
    boolean hasFailed() {
        return opened.isCompletedExceptionally();
    }

    /**
     * Adds a receiver. Thread-safe.
     *
     * @return a future that completes when the receiver gets datagrams; it fails with {@link ErrorCode#CANNOT_LISTEN} if
     *     neither family can be bound
     */
    CompletableFuture<Void> add(DatagramReceiver receiver) {
        return CompletableFuture.runAsync(() -> receivers.add(receiver), loop).thenCompose(added -> opened);
    }

    /** Removes a receiver. */
    void remove(DatagramReceiver receiver) {
        receivers.remove(receiver);
    }

    private void bind() {
        DatagramHandler inbound = new DatagramHandler();
        List<Throwable> failures = new ArrayList<>();
        for (IpFamily family : IpFamily.values()) {
            MulticastSockets socket = new MulticastSockets(family, settings, loop, inbound, channels::add);
            sockets.add(socket);
            socket.binding().addListener(bound -> {
                if (!bound.isSuccess()) {
                    failures.add(bound.cause());
                    log.info(
                            "Cannot use {} multicast: {}", family, bound.cause().toString());
                }
            });
        }
        whenAll(sockets.stream().map(MulticastSockets::binding).toList(), () -> {
            if (failures.size() == sockets.size()) {
                opened.completeExceptionally(ErrorCode.CANNOT_LISTEN.exception(
                        "UDP port " + settings.port() + ": cannot be bound: "
                                + failures.get(0).getMessage()
                                + "; stop the program that uses it, or choose another port",
                        failures.get(0)));
            } else {
                checkInterfaces();
                whenAll(allSenders().map(InterfaceSender::opening).toList(), () -> opened.complete(null));
            }
        });
    }

    /** Runs the action after all futures have completed or failed. */
    private void whenAll(List<ChannelFuture> futures, Runnable action) {
        PromiseCombiner all = new PromiseCombiner(loop);
        futures.forEach(future -> all.add((Future<?>) future));
        Promise<Void> done = loop.newPromise();
        done.addListener(result -> action.run());
        all.finish(done);
    }

    private void checkInterfaces() {
        if (closing) {
            return;
        }
        try {
            List<NetworkInterface> present = interfaces.list();
            networks = LocalNetworks.of(present);
            List<NetworkInterface> selected = selector.select(present);
            sockets.forEach(socket -> socket.update(selected));
        } catch (SocketException e) {
            log.warn("Cannot list the network interfaces; using those of the last check", e);
        }
        receivers.forEach(DatagramReceiver::expire);
        interfaceCheck = Timers.schedule(scheduler, settings.interfaceCheckInterval(), loop, this::checkInterfaces);
    }

    /** Returns the senders of the interfaces that are ready. */
    List<InterfaceSender> senders() {
        return allSenders().filter(InterfaceSender::isReady).toList();
    }

    private Stream<InterfaceSender> allSenders() {
        return sockets.stream().flatMap(socket -> socket.senders().stream());
    }

    /** Returns whether datagrams from this address are accepted: from anywhere if datagrams may cross routers. */
    boolean isLocal(InetAddress address) {
        return settings.hops() > 1 || networks.contains(address);
    }

    /** Closes all sockets and stops the event loop. The future completes after its thread has ended. Thread-safe. */
    CompletableFuture<Void> close() {
        loop.execute(() -> {
            closing = true;
            Timer check = interfaceCheck;
            if (check != null) {
                check.cancel();
            }
            channels.close()
                    .addListener(gone -> loops.shutdownGracefully(0, 1, TimeUnit.SECONDS)
                            .addListener(ended -> closed.complete(null)));
        });
        return closed;
    }

    @Sharable
    private final class DatagramHandler extends SimpleChannelInboundHandler<DatagramPacket> {

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            InetAddress source = packet.sender().getAddress();
            for (DatagramReceiver receiver : receivers) {
                receiver.receive(source, packet.content());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            log.warn("Cannot receive a datagram", cause);
        }
    }
}
