package io.parley.endpoint.internal;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.parley.codec.MessageCodec;
import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Throwables;
import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.endpoint.ChannelAcceptor;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.QueueLimits;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.context.AddressBook;
import io.parley.endpoint.internal.context.ConnectionEventDispatcher;
import io.parley.endpoint.internal.context.ConnectionLimiter;
import io.parley.endpoint.internal.context.DecodingExecutor;
import io.parley.endpoint.internal.context.DialLimiter;
import io.parley.endpoint.internal.context.DirectDialLimiter;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.context.EndpointExecutor;
import io.parley.endpoint.internal.context.LocalAddressResolver;
import io.parley.endpoint.internal.context.ServiceRegistry;
import io.parley.endpoint.internal.context.TransportRegistry;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.memory.BudgetTree;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import io.parley.transport.tls.TlsHandlerFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** The endpoint of a peer. Owns the transports, the services and one association per remote peer. Thread-safe. */
public final class PeerEndpoint implements Endpoint {

    /** The time that the release of all resources may take after the close timeout. */
    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(2);

    private final EndpointContext context;
    private final AssociationRegistry associations;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /**
     * Creates an endpoint without servers. Takes ownership of the transports.
     *
     * @param codecs the message codecs, in order of preference
     */
    public PeerEndpoint(
            PeerId self,
            List<Transport> transports,
            List<MessageCodec> codecs,
            EndpointLimits limits,
            EndpointMetrics metrics,
            Scheduler scheduler) {
        this(self, null, transports, codecs, limits, metrics, scheduler, newExecutor(false), newDecodingThreads());
    }

    /** Creates an endpoint that has secure channels only on connections whose transport authenticates the remote peer. */
    public PeerEndpoint(
            PeerId self,
            List<Transport> transports,
            List<MessageCodec> codecs,
            EndpointLimits limits,
            EndpointMetrics metrics,
            Scheduler scheduler,
            EventExecutor executor,
            Executor decoding) {
        this(self, null, transports, codecs, limits, metrics, scheduler, executor, decoding);
    }

    /**
     * Returns an executor for one endpoint.
     *
     * @param ownThread whether the executor has a thread of its own, instead of one that it shares with other endpoints
     */
    public static EventExecutor newExecutor(boolean ownThread) {
        return ownThread
                ? new DefaultEventExecutor(new DefaultThreadFactory(EndpointExecutor.THREAD_NAME, true))
                : new EndpointExecutor();
    }

    /** Returns an executor for the large messages of one endpoint, on threads that it shares with other endpoints. */
    public static Executor newDecodingThreads() {
        return DecodingExecutor.newThreads();
    }

    /**
     * Creates an endpoint that runs its dialers on {@code executor}, and decodes large messages on {@code decoding}. Takes ownership of
     * the former, and of the TLS.
     *
     * @param tls the TLS of secure channels on connections that are not authenticated; {@code null} if there are none then
     */
    public PeerEndpoint(
            PeerId self,
            @Nullable TlsHandlerFactory tls,
            List<Transport> transports,
            List<MessageCodec> codecs,
            EndpointLimits limits,
            EndpointMetrics metrics,
            Scheduler scheduler,
            EventExecutor executor,
            Executor decoding) {
        this.context = new EndpointContext(
                self,
                scheduler.random().nextLong(),
                limits,
                metrics,
                List.copyOf(codecs),
                new ServiceRegistry(limits.closeTimeout(), metrics),
                new AddressBook(limits.maxKnownPeers(), this::isInUse),
                new DialLimiter(scheduler),
                new DirectDialLimiter(scheduler),
                new TransportRegistry(transports),
                new ConnectionEventDispatcher(metrics, limits.maxConnections()),
                new ConnectionLimiter(limits.maxConnections(), metrics),
                new BudgetTree(limits),
                new AtomicLong(),
                new RateLimitedLogger(LoggerFactory.getLogger(AcceptorHandshake.class), scheduler),
                new RateLimitedLogger(LoggerFactory.getLogger(Link.class), scheduler),
                executor,
                new DecodingExecutor(decoding),
                tls,
                scheduler);
        this.associations = new AssociationRegistry(context);
    }

    /** Returns whether there is an association with a peer. Called by the address book, while others may be created. */
    private boolean isInUse(PeerId peer) {
        return associations.find(peer) != null;
    }

    /** Throws an {@link IllegalArgumentException} if no other peer could connect to an address. */
    public static void requirePublicAddress(EndpointAddress address) {
        boolean withoutPort = address.port() < 1 && !address.scheme().equals("mem"); // the one with names alone
        if (withoutPort || LocalAddressResolver.isWildcard(address)) {
            throw new IllegalArgumentException(
                    "public address: " + address + " (expected: the host and the port to which other peers connect)");
        }
    }

    /** Adds an address to those that other peers learn. Called before the endpoint listens. */
    public void addPublicAddress(EndpointAddress address) {
        context.transports().addPublicAddress(address);
    }

    /**
     * Listens on one more address.
     *
     * @return a future that fails with {@link ErrorCode#NO_TRANSPORT} or {@link ErrorCode#CANNOT_LISTEN}
     */
    public CompletableFuture<Void> listen(EndpointAddress address) {
        return context.transports()
                .listen(address, connection -> new AcceptorHandshake(connection, associations, context).start());
    }

    @Override
    public PeerId peerId() {
        return context.self();
    }

    @Override
    public List<EndpointAddress> addresses() {
        return context.transports().localAddresses();
    }

    @Override
    public PeerAddress peerAddress() {
        return new PeerAddress(peerId(), addresses());
    }

    @Override
    public void addPeerAddress(PeerAddress address) {
        Association association = context.addresses().add(address) ? association(address.peer()) : null;
        if (association != null) {
            association.onAddressAdded();
        }
    }

    @Override
    public AsyncCloseable listenToChannels(ServiceAddress service, ServiceOptions options, ChannelAcceptor acceptor) {
        int windowBytes = options.windowBytes().orElse(context.limits().windowBytes());
        long max = context.limits().peerMemoryBytes();
        if (windowBytes < EndpointLimits.MIN_WINDOW_BYTES || windowBytes > max) {
            throw new IllegalArgumentException("windowBytes: " + windowBytes + " (expected: "
                    + EndpointLimits.MIN_WINDOW_BYTES + " to peerMemoryBytes " + max + ")");
        }
        associations.requireOpen();
        return context.services().bind(service, windowBytes, options, acceptor);
    }

    @Override
    public CompletableFuture<PeerId> connect(EndpointAddress address) {
        if (isClosing()) {
            return CompletableFuture.failedFuture(associations.closedException());
        }
        CompletableFuture<Connection> dialed = context.transports().dial(address, null);
        CompletableFuture<PeerId> result = dialed.exceptionallyCompose(failure ->
                        CompletableFuture.failedFuture(Throwables.toParleyException(failure, ErrorCode.UNREACHABLE)))
                .thenCompose(connection -> connect(address, connection))
                .copy(); // because a stage that the caller has completed would leave the connection without an owner
        result.whenComplete((peer, failure) -> dialed.cancel(false)); // if the caller gives up before the dial is done
        return result;
    }

    /** Continues with a connection to an address whose peer was unknown. Takes ownership of the connection. */
    private CompletableFuture<PeerId> connect(EndpointAddress address, Connection connection) {
        PeerId peer = connection.authenticatedPeer();
        if (peer == null || peer.equals(context.self())) {
            connection.close();
            return CompletableFuture.failedFuture(ErrorCode.IDENTITY_REFUSED.exception(
                    peer == null
                            ? address + ": the transport does not authenticate the remote peer (expected: TLS)"
                            : address + ": the address is an address of this peer itself (expected: a remote peer)"));
        }
        context.addresses().add(PeerAddress.of(peer, address));
        Dialer.AuthenticatedConnection authenticated = new Dialer.AuthenticatedConnection(address, connection);
        CompletableFuture<PeerId> connected = associations.withAssociation(
                peer, association -> association.connectOver(authenticated).thenApply(link -> peer));
        connected.whenComplete((id, failure) -> {
            if (failure != null) {
                connection.abort(null);
            }
        });
        return connected;
    }

    @Override
    public PeerMessenger messenger(PeerId peer, ServiceAddress service) {
        return messenger(peer, service, MessengerOptions.DEFAULTS);
    }

    @Override
    public PeerMessenger messenger(PeerId peer, ServiceAddress service, MessengerOptions options) {
        List<String> unknown = options.codecs().stream()
                .filter(name -> !codecs().contains(name))
                .toList();
        if (!unknown.isEmpty()) {
            throw ErrorCode.NO_COMMON_CODEC.exception("codecs: " + unknown + " (expected: some of " + codecs() + ")");
        }
        if (options.delivery().isBestEffort()) {
            options.encoding().ifPresent(PeerEndpoint::requireNoState);
        } else {
            options.queue().ifPresent(PeerEndpoint::requireNoTimeToLive);
        }
        return associations.newMessenger(peer, service, options);
    }

    private static void requireNoState(EncodingPolicy policy) {
        for (EncodingScheme scheme : policy.schemes()) {
            if (scheme.maxStateBytes() > 0) {
                throw new IllegalArgumentException("encoding scheme " + scheme.name()
                        + ": keeps state (expected: a scheme without state, because best-effort messages may be lost)");
            }
        }
    }

    private static void requireNoTimeToLive(QueueLimits limits) {
        if (!limits.timeToLive().equals(EndpointLimits.MAX_TIMEOUT)) {
            throw new IllegalArgumentException("timeToLive: " + DurationFormatter.format(limits.timeToLive())
                    + " (expected: EndpointLimits.MAX_TIMEOUT, because a reliable messenger drops no messages)");
        }
    }

    @Override
    public CompletableFuture<Void> send(PeerId peer, ServiceAddress service, Message message) {
        return associations.withAssociation(peer, association -> association.send(service, false, message));
    }

    @Override
    public CompletableFuture<Void> sendSecurely(PeerId peer, ServiceAddress service, Message message) {
        return associations.withAssociation(peer, association -> association.send(service, true, message));
    }

    @Override
    public CompletableFuture<Void> connect(PeerId peer) {
        return associations.withAssociation(
                peer, association -> association.connect().thenAccept(link -> {}));
    }

    @Override
    public CompletableFuture<Duration> ping(PeerId peer) {
        return associations.withAssociation(
                peer, association -> association.connect().thenCompose(Link::ping));
    }

    @Override
    public boolean isConnected(PeerId peer) {
        return associations.isConnected(peer);
    }

    @Override
    public Set<PeerId> connectedPeers() {
        return associations.connectedPeers();
    }

    @Override
    public Optional<EndpointAddress> remoteAddress(PeerId peer) {
        Association association = associations.find(peer);
        Link link = association == null ? null : association.activeLink();
        return Optional.ofNullable(link).map(Link::remoteAddress);
    }

    @Override
    public OptionalLong remoteInstance(PeerId peer) {
        Association association = associations.find(peer);
        Link link = association == null ? null : association.activeLink();
        return link == null
                ? OptionalLong.empty()
                : OptionalLong.of(link.remote().instance());
    }

    @Override
    public AsyncCloseable addPeerConnectionListener(PeerConnectionListener listener) {
        associations.requireOpen();
        return context.connectionEvents().add(listener);
    }

    @Override
    public EndpointMetrics metrics() {
        return context.metrics();
    }

    @Override
    public EndpointLimits limits() {
        return context.limits();
    }

    @Override
    public Set<String> schemes() {
        return context.transports().schemes();
    }

    @Override
    public List<String> codecs() {
        return context.codecNames();
    }

    /** Returns the association with a peer, or null if it is not in use. */
    @Nullable
    public Association association(PeerId peer) {
        return associations.find(peer);
    }

    ConnectionEventDispatcher connectionEvents() {
        return context.connectionEvents();
    }

    public int associationCount() {
        return associations.size();
    }

    /** Returns the memory that remote peers have reserved now, in bytes. */
    public long reservedBytes() {
        return context.memory().total().used();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (associations.startClosing()) {
            context.transports().closeServers();
            context.services().close();
            associations.closeInOrder().whenComplete((done, failure) -> releaseAll());
        }
        return closed.copy();
    }

    private void releaseAll() {
        associations.abandonAll();
        context.transports()
                .closeAsync()
                .thenRun(() -> {
                    if (context.tls() != null) {
                        context.tls().close();
                    }
                })
                .whenComplete((done, failure) -> context.executor()
                        .shutdownGracefully(0, 1, TimeUnit.SECONDS)
                        .addListener(terminated -> {
                            context.connectionEvents().close();
                            context.memory().close();
                            closed.complete(null);
                        }));
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return associations.isClosing();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, context.limits().closeTimeout().plus(RELEASE_TIMEOUT));
    }

    @Override
    public String toString() {
        return "endpoint of peer " + context.self().shortText();
    }
}
