package io.parley.resolver.internal;

import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.common.internal.Arguments;
import io.parley.common.internal.Registration;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A resolver on an endpoint. It brings questions and answers to the half that they are for. */
public final class GroupResolver implements Resolver {

    private static final Logger log = LoggerFactory.getLogger(GroupResolver.class);

    private static final String SERVICE = "resolver";

    /** Small, as each of thousands of peers that ask now and then has one, charged in full while it is connected. */
    private static final int WINDOW_BYTES = EndpointLimits.MIN_WINDOW_BYTES;

    /** A way to propagate, and what ends the hearing of it. */
    private record PropagatorBinding(Propagator propagator, AsyncCloseable hearing) {}

    private final Endpoint endpoint;
    private final GroupId group;
    private final ResolverLimits limits;
    private final ResolverMetrics metrics;
    private final QueryServer answering;
    private final QueryClient asking;
    private final List<PropagatorBinding> ways = new CopyOnWriteArrayList<>();
    private final AsyncCloseable binding;
    private final AsyncCloseable watching;
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
        ResolverMessageSender outbox = new ResolverMessageSender(endpoint, service(group));
        this.answering = new QueryServer(endpoint, outbox, executor, limits, metrics, scheduler);
        this.asking = new QueryClient(outbox, executor, limits, metrics, scheduler);
        this.binding = endpoint.listen(service(group), WINDOW_BYTES, this::onMessage);
        this.watching = endpoint.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onDisconnected(PeerId peer) {
                asking.onDisconnected(peer);
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

    /** Where the resolvers of a group listen. */
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
        Registration registration = answering.handle(name, handler);
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
            MessageSizeEstimator.check("question", query, limits.maxBodyBytes());
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
        return asking.ask(peer, name, query, timeout);
    }

    @Override
    public PropagatedQuery propagate(
            String name, Message query, PropagateOptions options, QueryResponseListener listener) {
        Query.checkName(name);
        Arguments.requireRange("maxAnswers", options.maxResponses(), 1, limits.maxResponses());
        ResolverMessageFormat.checkBody(query);
        return asking.propagate(name, query, options, listener, message -> say(message, options.scope()));
    }

    private List<CompletableFuture<Void>> say(Message message, PropagationScope reach) {
        return ways.stream()
                .filter(way ->
                        reach == PropagationScope.GROUP || way.propagator().scope() == PropagationScope.LOCAL_NETWORK)
                .map(way -> way.propagator().propagate(service(group), message))
                .toList();
    }

    /**
     * Adds a way to propagate, and receives what others propagate that way.
     *
     * @return closing it removes the propagator, which stays open
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND} if another resolver of this
     *     peer serves the group there, {@link io.parley.error.ErrorCode#CLOSED}
     */
    public AsyncCloseable addPropagator(Propagator propagator) {
        if (isClosing()) {
            throw closedException();
        }
        PropagatorBinding way =
                new PropagatorBinding(propagator, propagator.listen(service(group), this::onPropagated));
        Registration registration = new Registration(() -> {
            ways.remove(way);
            way.hearing().closeAsync();
        });
        ways.add(way);
        if (isClosing()) { // perhaps too late to be seen
            registration.close();
            throw closedException();
        }
        return registration;
    }

    @Override
    public ResolverMetrics metrics() {
        return metrics;
    }

    /** On the connection's executor. What is kept beyond this call has bounds of its own, so the sender may go on. */
    private void onMessage(ReceivedMessage received) {
        try {
            accept(received.from(), received.message());
        } finally {
            received.release();
        }
    }

    private void accept(PeerId from, Message message) {
        long size = MessageSizeEstimator.of(message);
        ResolverMessage packet;
        try {
            packet = ResolverMessageFormat.read(message);
        } catch (ParleyException e) {
            refuse(from, e.getMessage());
            return;
        }
        if (packet instanceof ResolverMessage.ResponseMessage reply) {
            asking.onReply(from, reply, size);
        } else if (packet instanceof ResolverMessage.ErrorMessage failure) {
            asking.onFailure(from, failure);
        } else if (packet instanceof ResolverMessage.QueryMessage question && !question.propagated()) {
            answering.onAsk(from, question, size);
        } else {
            refuse(from, "a question to many that was sent to one");
        }
    }

    private void onPropagated(PeerAddress sender, Message message) {
        if (isClosing() || sender.peer().equals(endpoint.peerId())) { // own words may come back by others
            return;
        }
        try {
            if (ResolverMessageFormat.read(message) instanceof ResolverMessage.QueryMessage question
                    && question.propagated()) {
                answering.onPropagated(sender, question, MessageSizeEstimator.of(message));
            } else {
                refuse(sender.peer(), "something propagated that is no question to many");
            }
        } catch (ParleyException e) {
            refuse(sender.peer(), e.getMessage());
        }
    }

    private void refuse(PeerId from, @Nullable String why) {
        metrics.increment(Counter.MESSAGES_REJECTED);
        log.debug("Ignored what peer {} said: {}", from, why);
    }

    /** How many questions of its own and of others it is busy with. */
    int busyWith() {
        return asking.open() + answering.inUse();
    }

    private RuntimeException closedException() {
        return ErrorCode.CLOSED.exception(this + " is closed");
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            binding.closeAsync();
            watching.closeAsync();
            ways.forEach(way -> way.hearing().closeAsync());
            ways.clear();
            answering.close();
            asking.close();
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
        closeAsync(); // which has nothing to wait for
    }

    @Override
    public String toString() {
        return "resolver of peer " + endpoint.peerId().shortText() + " in group " + group;
    }
}
