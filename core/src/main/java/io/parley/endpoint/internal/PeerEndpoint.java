package io.parley.endpoint.internal;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.parley.codec.MessageCodec;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.EndpointListener;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportServer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The endpoint: owns the transports, the services and one association per other peer. */
public final class PeerEndpoint implements Endpoint {

    private final EndpointContext core;
    private final Map<String, Transport> transports = new HashMap<>();
    private final List<TransportServer> listeners = new CopyOnWriteArrayList<>();
    private final ConcurrentMap<PeerId, Association> associations = new ConcurrentHashMap<>();
    private final LoopbackConnector loopback;
    private final AddressConnector identifying;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /**
     * An endpoint that listens nowhere yet. It owns the transports.
     *
     * @param codecs in order of preference
     */
    public PeerEndpoint(
            PeerId self,
            List<Transport> transports,
            List<MessageCodec> codecs,
            EndpointLimits limits,
            EndpointMetrics metrics) {
        this(
                self,
                transports,
                codecs,
                limits,
                metrics,
                new DefaultEventExecutor(new DefaultThreadFactory("parley-endpoint", true)));
    }

    /** With a timer, which it owns. */
    PeerEndpoint(
            PeerId self,
            List<Transport> transports,
            List<MessageCodec> codecs,
            EndpointLimits limits,
            EndpointMetrics metrics,
            EventExecutor timer) {
        SecureRandom random = new SecureRandom();
        this.core = new EndpointContext(
                self,
                random.nextLong(),
                limits,
                metrics,
                List.copyOf(codecs),
                new ServiceRegistry(),
                new AddressBook(limits.maxKnownPeers()),
                new ConnectionEventDispatcher(metrics, limits.maxConnections()),
                new PeerBudgets(new MemoryBudget(null, limits.totalMemoryBytes()), limits.peerMemoryBytes()),
                timer,
                random);
        for (Transport transport : transports) {
            transport.schemes().forEach(scheme -> this.transports.putIfAbsent(scheme, transport));
        }
        this.loopback = new LoopbackConnector(this, core);
        this.identifying = new AddressConnector(this, core);
    }

    /**
     * Listens on an address as well.
     *
     * @return fails with {@link ErrorCode#NO_TRANSPORT} or {@link ErrorCode#CANNOT_LISTEN}
     */
    public CompletableFuture<Void> listen(EndpointAddress address) {
        Transport transport = transportFor(address.scheme());
        if (transport == null) {
            return CompletableFuture.failedFuture(noTransport(address));
        }
        return transport
                .listen(address, connection -> new AcceptorHandshake(connection, this, core).start())
                .thenAccept(listeners::add);
    }

    @Override
    public PeerId peerId() {
        return core.self();
    }

    @Override
    public List<EndpointAddress> addresses() {
        return listeners.stream()
                .flatMap(listener -> LocalAddressResolver.reachable(listener.address()).stream())
                .distinct()
                .limit(PeerAddress.MAX_ADDRESSES)
                .toList();
    }

    @Override
    public PeerAddress peerAddress() {
        return new PeerAddress(peerId(), addresses());
    }

    @Override
    public void addPeerAddress(PeerAddress address) {
        Association association = core.addresses().learn(address) ? association(address.peer()) : null;
        if (association != null) {
            association.onAddressLearned();
        }
    }

    @Override
    public AsyncCloseable listen(ServiceAddress service, EndpointListener listener) {
        return listen(service, core.limits().windowBytes(), listener);
    }

    @Override
    public AsyncCloseable listen(ServiceAddress service, int windowBytes, EndpointListener listener) {
        return listen(service, windowBytes, listener, false);
    }

    @Override
    public AsyncCloseable listenZeroCopy(ServiceAddress service, EndpointListener listener) {
        return listen(service, core.limits().windowBytes(), listener, true);
    }

    private AsyncCloseable listen(ServiceAddress service, int windowBytes, EndpointListener listener, boolean lending) {
        long most = core.limits().peerMemoryBytes();
        if (windowBytes < EndpointLimits.MIN_WINDOW_BYTES || windowBytes > most) {
            throw new IllegalArgumentException("windowBytes: " + windowBytes + " (expected: "
                    + EndpointLimits.MIN_WINDOW_BYTES + " to peerMemoryBytes " + most + ")");
        }
        if (isClosing()) {
            throw closedException();
        }
        return core.services().bind(service, windowBytes, listener, lending);
    }

    @Override
    public CompletableFuture<PeerId> connect(EndpointAddress address) {
        return isClosing() ? CompletableFuture.failedFuture(closedException()) : identifying.identify(address);
    }

    @Override
    public PeerMessenger messenger(PeerId peer, ServiceAddress service) {
        return messenger(peer, service, List.of());
    }

    @Override
    public PeerMessenger messenger(PeerId peer, ServiceAddress service, List<String> codecs) {
        List<String> unknown =
                codecs.stream().filter(name -> !codecs().contains(name)).toList();
        if (!unknown.isEmpty()) {
            throw ErrorCode.NO_COMMON_CODEC.exception("codecs: " + unknown + " (this peer has " + codecs() + ")");
        }
        if (isClosing()) {
            throw closedException();
        }
        PeerMessenger messenger = acquire(peer).newMessenger(service, List.copyOf(codecs));
        if (isClosing()) { // closing may have begun too late to see the messenger
            messenger.closeAsync();
            throw closedException();
        }
        return messenger;
    }

    @Override
    public CompletableFuture<Void> send(PeerId peer, ServiceAddress service, Message message) {
        return withAssociation(peer, association -> association.send(service, message));
    }

    @Override
    public CompletableFuture<Void> connect(PeerId peer) {
        return withAssociation(peer, association -> association.connect().thenAccept(link -> {}));
    }

    @Override
    public CompletableFuture<Duration> ping(PeerId peer) {
        return withAssociation(peer, association -> association.connect().thenCompose(Link::ping));
    }

    <T> CompletableFuture<T> withAssociation(
            PeerId peer, java.util.function.Function<Association, CompletableFuture<T>> action) {
        if (isClosing()) {
            return CompletableFuture.failedFuture(closedException());
        }
        Association association = acquire(peer);
        CompletableFuture<T> result;
        try {
            result = action.apply(association);
        } catch (ParleyException e) {
            result = CompletableFuture.failedFuture(e);
        } catch (RejectedExecutionException e) {
            result = CompletableFuture.failedFuture(closedException());
        }
        result.whenComplete((value, failure) -> release(association));
        return result;
    }

    @Override
    public Set<PeerId> connectedPeers() {
        Set<PeerId> connected = new HashSet<>();
        associations.forEach((peer, association) -> {
            if (association.activeLink() != null && !peer.equals(core.self())) {
                connected.add(peer);
            }
        });
        return connected;
    }

    @Override
    public AsyncCloseable addPeerConnectionListener(PeerConnectionListener listener) {
        if (isClosing()) {
            throw closedException();
        }
        return core.presence().watch(listener);
    }

    @Override
    public EndpointMetrics metrics() {
        return core.metrics();
    }

    @Override
    public EndpointLimits limits() {
        return core.limits();
    }

    // What follows is for associations and handshakes.

    /** The association with that peer, to be given back with {@link #release}. */
    Association acquire(PeerId peer) {
        return associations.compute(peer, (id, known) -> {
            Association kept = known == null ? new Association(id, this, core) : known;
            kept.addUser();
            return kept;
        });
    }

    /** One more user of an association that has some. */
    void retain(Association association) {
        associations.computeIfPresent(association.peer(), (id, known) -> {
            if (known == association) {
                known.addUser();
            }
            return known;
        });
    }

    void release(Association association) {
        associations.computeIfPresent(
                association.peer(), (id, known) -> known == association && known.removeUser() ? null : known);
    }

    /** What there is to do with that peer, if anything. */
    @Nullable
    Association association(PeerId peer) {
        return associations.get(peer);
    }

    /** Who watches, and what they have still to be told. */
    ConnectionEventDispatcher presence() {
        return core.presence();
    }

    int associationCount() {
        return associations.size();
    }

    /** Memory that other peers claim now. */
    long claimedBytes() {
        return core.memory().total().used();
    }

    boolean isFull() {
        long open =
                core.metrics().get(Counter.CONNECTIONS_OPENED) - core.metrics().get(Counter.CONNECTIONS_CLOSED);
        return open >= core.limits().maxConnections();
    }

    @Nullable
    Transport transportFor(String scheme) {
        return transports.get(scheme);
    }

    LoopbackConnector loopback() {
        return loopback;
    }

    ParleyException noTransport(EndpointAddress address) {
        return ErrorCode.NO_TRANSPORT.exception("address " + address + ": no transport serves " + address.scheme()
                + " (found: " + String.join(", ", transports.keySet())
                + "); add the artifact io.parley:parley-transport-"
                + address.scheme() + " to the class path");
    }

    @Override
    public List<String> codecs() {
        return core.codecs().stream().map(MessageCodec::name).toList();
    }

    @Override
    public Set<String> schemes() {
        return Set.copyOf(transports.keySet());
    }

    /** What this peer says of itself on a connection. */
    Hello hello(long connection, OptionalLong lost, List<String> codecs) {
        long maxMessageBytes = Math.min(core.limits().messages().maxMessageBytes(), EndpointContext.MAX_ARRAY_BYTES);
        return new Hello(core.self(), core.instance(), connection, lost, codecs, maxMessageBytes, addresses());
    }

    private ParleyException closedException() {
        return ErrorCode.CLOSED.exception("endpoint of peer " + core.self() + " is closed");
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            listeners.forEach(TransportServer::closeAsync);
            core.services().close();
            long half = core.limits().closeTimeout().toNanos() / 2;
            every(Association::close, half)
                    .thenCompose(flushed -> every(Association::retire, half))
                    .whenComplete((retired, failure) -> closeTransports());
        }
        return closed.copy();
    }

    /** Completes when the action has on every association, or when the time is up. */
    private CompletableFuture<Void> every(
            java.util.function.Function<Association, CompletableFuture<Void>> action, long nanos) {
        return CompletableFuture.allOf(
                        associations.values().stream().map(action).toArray(CompletableFuture<?>[]::new))
                .completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
    }

    private void closeTransports() {
        ParleyException cause = closedException();
        associations.values().forEach(association -> association.abandon(cause));
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        new HashSet<>(transports.values()).forEach(transport -> ends.add(transport.closeAsync()));
        CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new))
                .whenComplete((ended, failure) -> core.timer()
                        .shutdownGracefully(0, 1, TimeUnit.SECONDS)
                        .addListener(done -> {
                            core.presence().close();
                            closed.complete(null);
                        }));
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
        Closeables.closeAndAwait(this, core.limits().closeTimeout().plusSeconds(2));
    }

    @Override
    public String toString() {
        return "endpoint of peer " + core.self().shortText();
    }
}
