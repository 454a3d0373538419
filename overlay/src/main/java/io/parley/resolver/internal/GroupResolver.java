package io.parley.resolver.internal;

import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.common.internal.Arguments;
import io.parley.common.internal.Registration;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A resolver on an endpoint. Dispatches received messages to the {@link QueryServer} and the {@link QueryClient}. */
public final class GroupResolver implements Resolver {

    private static final Logger log = LoggerFactory.getLogger(GroupResolver.class);

    private static final String SERVICE = "resolver";

    /** Small, because thousands of peers may query at the same time. */
    static final int WINDOW_BYTES = 64 * 1024;

    /** A propagator, and the registration for messages that it receives. */
    private record PropagatorBinding(Propagator propagator, AsyncCloseable registration) {}

    private final Endpoint endpoint;
    private final GroupId group;
    private final ResolverLimits limits;
    private final ResolverMetrics metrics;
    private final QueryServer server;
    private final QueryClient client;
    private final List<PropagatorBinding> propagators = new CopyOnWriteArrayList<>();
    private final AsyncCloseable binding;
    private final AsyncCloseable connectionListener;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private GroupResolver(
            Endpoint endpoint,
            GroupId group,
            Executor executor,
            ResolverLimits limits,
            ResolverMetrics metrics,
            Scheduler scheduler) {
        this.endpoint = endpoint;
        this.group = group;
        this.limits = limits;
        this.metrics = metrics;
        ResolverMessageSender sender = new ResolverMessageSender(endpoint, service(group));
        this.server = new QueryServer(endpoint, sender, executor, limits, metrics, scheduler);
        this.client = new QueryClient(sender, executor, limits, metrics, scheduler);
        this.binding =
                endpoint.listen(service(group), ServiceOptions.DEFAULTS.withWindowBytes(WINDOW_BYTES), this::onMessage);
        this.connectionListener = endpoint.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onDisconnected(PeerId peer) {
                client.onDisconnected(peer);
            }
        });
    }

    static GroupResolver open(
            Endpoint endpoint,
            GroupId group,
            Executor executor,
            ResolverLimits limits,
            ResolverMetrics metrics,
            Scheduler scheduler) {
        GroupResolver resolver = new GroupResolver(endpoint, group, executor, limits, metrics, scheduler);
        resolver.binding.whenClosed().thenRun(resolver::closeAsync); // the endpoint may close first
        return resolver;
    }

    /** Returns the address of a group's resolvers. */
    static ServiceAddress service(GroupId group) {
        return new ServiceAddress(SERVICE, group.text());
    }

    @Override
    public GroupId group() {
        return group;
    }

    @Override
    public AsyncCloseable registerHandler(String name, QueryHandler handler) {
        Query.checkName(name);
        Registration registration = server.registerHandler(name, handler);
        if (isClosing()) {
            registration.close();
            throw closedException();
        }
        return registration;
    }

    @Override
    public CompletableFuture<Message> query(PeerId peer, String name, Message query, Duration timeout) {
        Query.checkName(name);
        Arguments.requireTimeout("timeout", timeout);
        ResolverMessageFormat.checkBody(query);
        try {
            ResolverMessageFormat.checkSize("query", query, limits.maxBodyBytes());
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
        return client.query(peer, name, query, timeout);
    }

    @Override
    public PropagatedQuery propagate(
            String name, Message query, PropagateOptions options, Consumer<QueryResponse> listener) {
        Query.checkName(name);
        Arguments.requireRange("maxResponses", options.maxResponses(), 1, limits.maxResponses());
        ResolverMessageFormat.checkBody(query);
        return client.propagate(name, query, options, listener, message -> sendToPropagators(message, options.scope()));
    }

    private List<CompletableFuture<Void>> sendToPropagators(Message message, PropagationScope scope) {
        return propagators.stream()
                .filter(bound ->
                        scope == PropagationScope.GROUP || bound.propagator().scope() == PropagationScope.LOCAL_NETWORK)
                .map(bound -> bound.propagator().propagate(service(group), message))
                .toList();
    }

    /**
     * Adds a propagator, and receives the queries that it delivers.
     *
     * @return a registration that removes the propagator when it is closed, and leaves the propagator open
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND} if another resolver of this
     *     peer serves the group there, {@link io.parley.error.ErrorCode#CLOSED}
     */
    public AsyncCloseable addPropagator(Propagator propagator) {
        if (isClosing()) {
            throw closedException();
        }
        PropagatorBinding added =
                new PropagatorBinding(propagator, propagator.listen(service(group), this::onPropagated));
        Registration registration = new Registration(() -> {
            propagators.remove(added);
            added.registration().closeAsync();
        });
        propagators.add(added);
        if (isClosing()) { // closed concurrently, before the binding was added
            registration.close();
            throw closedException();
        }
        return registration;
    }

    @Override
    public ResolverMetrics metrics() {
        return metrics;
    }

    /** Called on the connection's executor. Returns the credit at once, because separate limits bound retained messages. */
    private void onMessage(ReceivedMessage received) {
        try {
            accept(received.from(), received.message());
        } finally {
            received.release();
        }
    }

    private void accept(PeerId from, Message message) {
        long size = ResolverMessageFormat.size(message);
        ResolverMessage resolverMessage;
        try {
            resolverMessage = ResolverMessageFormat.read(message);
        } catch (ParleyException e) {
            reject(from, e.getMessage());
            return;
        }
        if (resolverMessage instanceof ResolverMessage.ResponseMessage response) {
            client.onResponse(from, response, size);
        } else if (resolverMessage instanceof ResolverMessage.ErrorMessage failure) {
            client.onError(from, failure);
        } else if (resolverMessage instanceof ResolverMessage.QueryMessage query && !query.propagated()) {
            server.onQuery(from, query, size);
        } else {
            reject(from, "propagated query received directly");
        }
    }

    private void onPropagated(PeerAddress origin, Message message) {
        if (isClosing() || origin.peer().equals(endpoint.peerId())) { // other peers may forward own messages back
            return;
        }
        try {
            if (ResolverMessageFormat.read(message) instanceof ResolverMessage.QueryMessage query
                    && query.propagated()) {
                server.onPropagated(origin, query, ResolverMessageFormat.size(message));
            } else {
                reject(origin.peer(), "propagated message is no propagated query");
            }
        } catch (ParleyException e) {
            reject(origin.peer(), e.getMessage());
        }
    }

    private void reject(PeerId from, @Nullable String why) {
        metrics.increment(Counter.MESSAGES_REJECTED);
        log.debug("Rejected message from peer {}: {}", from, why);
    }

    /** Returns the number of pending own and received queries. */
    int pendingQueries() {
        return client.pendingQueries() + server.pendingQueries();
    }

    /** Returns the number of peers that have not received all the responses of this one. */
    int pendingPeers() {
        return server.pendingPeers();
    }

    private RuntimeException closedException() {
        return ErrorCode.CLOSED.exception(this + ": closed");
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            binding.closeAsync();
            connectionListener.closeAsync();
            propagators.forEach(bound -> bound.registration().closeAsync());
            propagators.clear();
            server.close();
            client.close();
            closed.complete(null);
        }
        return closed.copy();
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
        closeAsync(); // closing does not wait for anything
    }

    @Override
    public String toString() {
        return "resolver of peer " + endpoint.peerId().shortText() + " in group " + group;
    }
}
