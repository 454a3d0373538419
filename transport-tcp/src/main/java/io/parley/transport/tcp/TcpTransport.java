package io.parley.transport.tcp;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.SharedEventExecutors;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.RelayLimits;
import io.parley.transport.RelayTransport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import io.parley.transport.tcp.internal.relay.Relay;
import io.parley.transport.tcp.internal.relay.RelayRequest;
import io.parley.transport.tcp.internal.relay.RelayedServer;
import io.parley.transport.tls.TlsHandlerFactory;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TCP by Netty, directly, through a tunnel, or through a relay that is reached by either. The event loops, one per processor, accept, connect, read and write. All transports of the JVM that wait in the
 * same way ({@link io.parley.transport.TransportLimits#maxSpin}) share them, except those that must have their own. Thread-safe.
 */
final class TcpTransport implements RelayTransport {

    private static final Logger log = LoggerFactory.getLogger(TcpTransport.class);

    /** The queued bytes above which writers must stop: a few of the largest frames. */
    private static final WriteBufferWaterMark WATER_MARKS = new WriteBufferWaterMark(128 * 1024, 512 * 1024);

    private final TransportContext context;
    private final TcpTunnel tunnel;
    private final NettyPlatform platform;
    private final SharedEventExecutors<EventLoopGroup> loopSource;
    private final EventLoopGroup loops;
    private final TlsHandlerFactory tls;
    private final HandshakeLimiter handshakes;
    private final Map<EventLoop, HostTurns> hostTurns = new ConcurrentHashMap<>();
    private final HostResolver hosts;
    private final RateLimitedLogger rejectionLog;
    private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
    private final Map<EndpointAddress, RelayedServer> relayedServers = new ConcurrentHashMap<>();
    private volatile @Nullable Relay relay;
    private final AtomicBoolean preloading = new AtomicBoolean();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Uses the fastest platform and TLS engine that are available. */
    TcpTransport(TransportContext context, TcpTunnel tunnel) {
        this(context, tunnel, NettyPlatform.best(), TlsHandlerFactory::bestProvider);
    }

    TcpTransport(TransportContext context, TcpTunnel tunnel, NettyPlatform platform, Supplier<SslProvider> provider) {
        this.context = context;
        this.tunnel = tunnel;
        this.platform = platform;
        this.loopSource = context.ownEventLoops()
                ? platform.newSource(context.limits().maxSpin())
                : platform.sharedLoops(context.limits().maxSpin());
        this.loops = loopSource.acquire();
        this.tls = new TlsHandlerFactory(context, provider);
        this.handshakes = new HandshakeLimiter(context.limits(), context.scheduler());
        this.hosts = new HostResolver(
                InetAddress::getByName, context.scheduler(), context.limits().connectTimeout());
        this.rejectionLog = new RateLimitedLogger(log, context.scheduler());
    }

    @Override
    public Set<String> schemes() {
        return schemes(tunnel);
    }

    /** Returns the schemes of a tunnel, and those of peers that are reached through a relay at such an address. */
    static Set<String> schemes(TcpTunnel tunnel) {
        return tunnel.schemes().stream()
                .flatMap(scheme -> Stream.of(
                        scheme,
                        new EndpointAddress(scheme, "relay", -1).relayed().scheme()))
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public void serve(RelayLimits limits) {
        serve(new Relay(limits, context.metrics(), context.scheduler()));
    }

    void serve(Relay served) {
        relay = served;
    }

    /** Loads TLS while the peer continues its start. Not called for a peer that never uses TCP. */
    private void preloadTls() {
        if (context.security() == TransportSecurity.TLS && preloading.compareAndSet(false, true)) {
            CompletableFuture.runAsync(tls::preload);
        }
    }

    @Override
    public CompletableFuture<Connection> dial(EndpointAddress address, @Nullable PeerId expected) {
        if (closing.get()) {
            return CompletableFuture.failedFuture(closedException());
        }
        if (!address.isRelayed()) {
            return dial(address, address, null, expected, null);
        }
        if (expected == null) {
            return CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception(
                    address + ": needs the id of the peer (expected: <peer id>@" + address + ")"));
        }
        return dial(address, address.relay(), new RelayRequest.Dial(expected), expected, null);
    }

    /**
     * Dials an address.
     *
     * @param server   the address to connect to
     * @param request  what to request from the relay there; null if there is none
     * @param accepted accepts the remote peer of a circuit; null if this peer is the dialer of the connection
     */
    private CompletableFuture<Connection> dial(
            EndpointAddress address,
            EndpointAddress server,
            @Nullable RelayRequest request,
            @Nullable PeerId expected,
            @Nullable AcceptedChannelInitializer accepted) {
        preloadTls();
        CompletableFuture<Connection> dialed = new CompletableFuture<>();
        if (address.port() < 1) {
            dialed.completeExceptionally(withoutPort(address));
            return dialed;
        }
        CompletableFuture.completedFuture(server)
                .thenCompose(tunnel::proxy) // whose exceptions fail the future
                .thenCompose(proxy -> resolve(proxy.orElse(server)).handle((resolved, failure) -> {
                    if (closing.get()) {
                        dialed.completeExceptionally(closedException());
                    } else if (failure != null) {
                        dialed.completeExceptionally(dialFailure(address, proxy, Throwables.unwrap(failure)));
                    } else if (!dialed.isDone()) {
                        InetSocketAddress used = proxy.isPresent() ? resolved : null;
                        Dial dial = new Dial(address, server, request, used, expected, dialed);
                        connect(dial, proxy, resolved, initializer(dial, accepted));
                    }
                    return dialed;
                }))
                .whenComplete((done, failure) -> {
                    if (failure != null) { // of the tunnel or of Netty, which nothing else reports
                        dialed.completeExceptionally(Throwables.unwrap(failure));
                    }
                });
        return dialed;
    }

    private DialedChannelInitializer initializer(Dial dial, @Nullable AcceptedChannelInitializer accepted) {
        return accepted == null
                ? new DialedChannelInitializer(context, tunnel, tls, dial)
                : new DialedChannelInitializer(context, tunnel, tls, dial, channel -> {
                    channel.closeFuture()
                            .addListener(closed -> dial.dialed()
                                    .completeExceptionally(ErrorCode.UNREACHABLE.exception(
                                            dial.address() + ": the dialer closed the connection")));
                    accepted.initializeCircuit(channel);
                });
    }

    /** @param resolved that of the address, or of the proxy */
    private void connect(
            Dial dial,
            Optional<EndpointAddress> proxy,
            InetSocketAddress resolved,
            DialedChannelInitializer initializer) {
        EndpointAddress address = dial.server();
        CompletableFuture<Connection> dialed = dial.dialed();
        SocketAddress remote = dial.proxy() == null
                ? resolved
                : InetSocketAddress.createUnresolved(address.host(), address.port()); // which the proxy resolves
        Bootstrap bootstrap = new Bootstrap()
                .group(loops)
                .channel(platform.channel())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARKS)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FairReadAllocator(tunnel.maxReadBytes()))
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, connectTimeoutMillis())
                .disableResolver()
                .handler(initializer);
        try {
            ChannelFuture connecting = bootstrap.connect(remote);
            Throwable refused = connecting.cause();
            if (refused != null) {
                // Without a socket, for example because of too many open files, Netty returns a channel that has
                // no event loop and cannot be closed.
                dialed.completeExceptionally(connectFailure(address, proxy, refused));
                return;
            }
            channels.add(connecting.channel());
            dialed.whenComplete((connection, failure) -> {
                if (failure != null) {
                    connecting.channel().close();
                }
            });
            connecting.addListener(future -> {
                if (!future.isSuccess()) {
                    dialed.completeExceptionally(connectFailure(address, proxy, future.cause()));
                }
            });
        } catch (RejectedExecutionException e) { // closed since the check
            dialed.completeExceptionally(closedException());
        }
    }

    /** Returns at least 1, because 0 is no timeout for Netty. */
    private int connectTimeoutMillis() {
        long millis = context.limits().connectTimeout().toMillis();
        return (int) Math.max(1, Math.min(Integer.MAX_VALUE, millis));
    }

    private static ParleyException closedException() {
        return ErrorCode.CLOSED.exception("the transport is closed");
    }

    private static Throwable connectFailure(EndpointAddress address, Optional<EndpointAddress> proxy, Throwable cause) {
        return dialFailure(address, proxy, connectFailure(proxy.orElse(address), cause));
    }

    /** Returns the failure; if it is that of a proxy, with the address that was dialed through it. */
    private static Throwable dialFailure(EndpointAddress address, Optional<EndpointAddress> proxy, Throwable failure) {
        return proxy.isPresent() && failure instanceof ParleyException reason
                ? reason.code()
                        .exception(
                                address + ": proxy " + reason.getMessage() + "; check the settings of the proxy",
                                reason)
                : failure;
    }

    private static ParleyException connectFailure(EndpointAddress address, Throwable cause) {
        if (cause instanceof ConnectTimeoutException) {
            return ErrorCode.TIMEOUT.exception(address + ": no connection within the connect timeout", cause);
        }
        String message = String.valueOf(cause.getMessage());
        boolean refused = cause instanceof ConnectException && message.contains("Connection refused");
        String reason = refused ? "connection refused" : message;
        return ErrorCode.UNREACHABLE.exception(address + ": " + reason, cause);
    }

    private static ParleyException withoutPort(EndpointAddress address) {
        return ErrorCode.UNREACHABLE.exception(address + ": needs a port (expected: 1 to 65535)");
    }

    /** Resolves literal addresses at once, and host names off the event loops. */
    CompletableFuture<InetSocketAddress> resolve(EndpointAddress address) {
        if (address.port() < 1) {
            return CompletableFuture.failedFuture(withoutPort(address));
        }
        String host = address.host();
        if (!NetUtil.isValidIpV4Address(host) && !NetUtil.isValidIpV6Address(host)) {
            return hosts.resolve(address);
        }
        try {
            // Not from the bytes, which have no zone.
            return CompletableFuture.completedFuture(
                    new InetSocketAddress(InetAddress.getByName(host), address.port()));
        } catch (UnknownHostException e) { // the zone is not an interface of this machine
            return CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception(address + ": " + e.getMessage(), e));
        }
    }

    @Override
    public CompletableFuture<TransportServer> listen(EndpointAddress address, Consumer<Connection> onAccept) {
        if (closing.get()) {
            return CompletableFuture.failedFuture(closedException());
        }
        if (address.isRelayed()) {
            return listenAtRelay(address, onAccept);
        }
        if (address.port() < 0) {
            return CompletableFuture.failedFuture(ErrorCode.CANNOT_LISTEN.exception(
                    address + ": needs a port, such as " + address.withPort(9701) + "; 0 selects any free port"));
        }
        Optional<String> reason = tunnel.reasonNotToListen(address);
        if (reason.isPresent()) {
            return CompletableFuture.failedFuture(ErrorCode.CANNOT_LISTEN.exception(address + ": " + reason.get()));
        }
        preloadTls();
        CompletableFuture<TransportServer> listening = new CompletableFuture<>();
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(platform.serverChannel())
                .option(ChannelOption.SO_REUSEADDR, true)
                .option(ChannelOption.SO_BACKLOG, context.limits().maxHandshakes())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARKS)
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FairReadAllocator(tunnel.maxReadBytes()))
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channels.add(channel);
                        newInitializer(address.scheme(), (InetSocketAddress) channel.remoteAddress(), onAccept)
                                .initialize(channel);
                    }
                });
        try {
            bootstrap
                    .bind(new InetSocketAddress(address.host(), address.port()))
                    .addListener((ChannelFuture bound) -> {
                        if (bound.isSuccess()) {
                            channels.add(bound.channel());
                            listening.complete(new TcpServer(
                                    address, bound.channel(), context.limits().closeTimeout()));
                        } else {
                            listening.completeExceptionally(ErrorCode.CANNOT_LISTEN.exception(
                                    address + ": " + bound.cause().getMessage()
                                            + "; choose another port, or 0 for any free port",
                                    bound.cause()));
                        }
                    });
        } catch (RejectedExecutionException e) { // closed since the check
            listening.completeExceptionally(closedException());
        }
        return listening;
    }

    private AcceptedChannelInitializer newInitializer(
            String scheme, InetSocketAddress remote, Consumer<Connection> onAccept) {
        return new AcceptedChannelInitializer(
                context,
                tunnel,
                tls,
                handshakes,
                loop -> hostTurns.computeIfAbsent(loop, added -> HostTurns.of(added, context.scheduler()::nanoTime)),
                relay,
                rejectionLog,
                scheme,
                remote,
                onAccept);
    }

    private CompletableFuture<TransportServer> listenAtRelay(EndpointAddress address, Consumer<Connection> onAccept) {
        if (address.port() < 1) {
            return CompletableFuture.failedFuture(ErrorCode.CANNOT_LISTEN.exception(
                    address + ": needs the port of the relay, such as " + address.withPort(9701)));
        }
        RelayedServer server = new RelayedServer(address, context, new CircuitAcceptor(address, onAccept));
        // A closed one does not count: who has waited for its end may come before it is removed.
        RelayedServer used = relayedServers.merge(
                address, server, (present, added) -> present.whenClosed().isDone() ? added : present);
        if (!used.equals(server)) {
            return CompletableFuture.failedFuture(
                    ErrorCode.CANNOT_LISTEN.exception(address + ": this peer listens there already"));
        }
        server.whenClosed().thenRun(() -> relayedServers.remove(address, server));
        server.start();
        if (closing.get()) {
            server.closeAsync();
        }
        return CompletableFuture.completedFuture(server);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            relayedServers.values().forEach(RelayedServer::closeAsync);
            hosts.close();
            Set<EventLoop> used = channels.stream()
                    .filter(Channel::isRegistered)
                    .map(Channel::eventLoop)
                    .collect(Collectors.toSet());
            channels.forEach(TcpConnection::closeImmediately);
            channels.close()
                    .addListener(gone -> drain(used)
                            .thenRun(tls::close)
                            .thenCompose(drained -> loopSource.release())
                            .thenRun(() -> closed.complete(null)));
        }
        return closed.copy();
    }

    /**
     * Waits until the callbacks of closed channels have returned. A channel that has closed queues its last event on its event
     * loop. The first task runs after it was queued, the second after it was processed.
     */
    private static CompletableFuture<Void> drain(Set<EventLoop> used) {
        return CompletableFuture.allOf(used.stream()
                .map(loop -> CompletableFuture.runAsync(() -> {}, loop).thenRunAsync(() -> {}, loop))
                .toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing.get();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, context.limits().closeTimeout());
    }

    /** Connects to a relay at which this peer listens. */
    private final class CircuitAcceptor implements RelayedServer.Owner {

        private final EndpointAddress address;
        private final Consumer<Connection> onAccept;

        private CircuitAcceptor(EndpointAddress address, Consumer<Connection> onAccept) {
            this.address = address;
            this.onAccept = onAccept;
        }

        @Override
        public CompletableFuture<Connection> connect() {
            RelayRequest request = new RelayRequest.Listen(context.identity().peerId());
            return dial(address, address.relay(), request, null, null);
        }

        @Override
        public CompletableFuture<Connection> accept(UUID circuit, InetSocketAddress from) {
            CompletableFuture<Connection> accepted = new CompletableFuture<>();
            AcceptedChannelInitializer initializer = newInitializer(address.scheme(), from, connection -> {
                accepted.complete(connection);
                onAccept.accept(connection);
            });
            if (!initializer.tryBegin(() -> accepted.cancel(false))) {
                accepted.completeExceptionally(ErrorCode.BUSY.exception("too many pending handshakes"));
                return accepted;
            }
            CompletableFuture<Connection> dialed =
                    dial(address, address.relay(), new RelayRequest.Accept(circuit), null, initializer);
            accepted.whenComplete((connection, failure) -> {
                if (failure == null) {
                    dialed.complete(connection);
                } else {
                    dialed.cancel(false); // such as a handshake that gives way
                }
            });
            dialed.whenComplete((connection, failure) -> {
                if (failure != null) {
                    initializer.release();
                    accepted.completeExceptionally(Throwables.unwrap(failure));
                }
            });
            return accepted;
        }
    }
}
