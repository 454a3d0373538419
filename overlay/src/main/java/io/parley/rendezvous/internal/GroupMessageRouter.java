package io.parley.rendezvous.internal;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.DuplicateFilter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Registration;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.internal.PropagatedMessageListener;
import io.parley.resolver.internal.PropagationScope;
import io.parley.resolver.internal.Propagator;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the group messages of this peer, and checks, forwards and delivers those of other peers. Thread-safe. */
final class GroupMessageRouter {

    private static final Logger log = LoggerFactory.getLogger(GroupMessageRouter.class);

    private static final String SAID = "Said";
    private static final String TTL = "Ttl";

    /** The sender's rendezvous and all others: each rendezvous knows all others. */
    static final int MAX_TTL = 2;

    private record ListenerKey(GroupId group, ServiceAddress service) {}

    /** The propagator of one group. */
    private record GroupPropagator(GroupMessageRouter router, GroupId group) implements Propagator {

        @Override
        public PropagationScope scope() {
            return PropagationScope.GROUP;
        }

        @Override
        public CompletableFuture<Void> propagate(ServiceAddress service, Message message) {
            return router.propagate(group, service, message);
        }

        @Override
        public AsyncCloseable listen(ServiceAddress service, PropagatedMessageListener listener) {
            return router.listen(group, service, listener);
        }
    }

    private final RateLimitedLogger rejectionLog = new RateLimitedLogger(log);
    private final RateLimitedLogger throttleLog = new RateLimitedLogger(log);
    private final RateLimitedLogger failureLog = new RateLimitedLogger(log);
    private final RendezvousContext context;
    private final GroupMessageForwarder forwarder;
    private final RendezvousLimits.PropagationLimits limits;
    private final DuplicateFilter<SignedGroupMessage.Key> received;
    private final ConcurrentMap<ListenerKey, PropagatedMessageListener> listeners = new ConcurrentHashMap<>();
    private volatile boolean closed;

    GroupMessageRouter(RendezvousContext context, GroupMessageForwarder forwarder) {
        this.context = context;
        this.forwarder = forwarder;
        this.limits = context.limits().propagation();
        this.received = new DuplicateFilter<>(
                limits.duplicateFilterSize(), limits.maxAge().multipliedBy(2), context.scheduler());
    }

    /** Returns the message of the endpoint that carries a group message. */
    static Message encode(SignedGroupMessage message, int ttl) {
        return Message.of(RendezvousElements.bytes(SAID, message.bytes()), RendezvousElements.number(TTL, ttl));
    }

    /** Returns a propagator for the messages of a group. */
    Propagator propagator(GroupId group) {
        return new GroupPropagator(this, group);
    }

    private CompletableFuture<Void> propagate(GroupId group, ServiceAddress service, Message body) {
        try {
            if (closed) {
                throw RendezvousContext.closedException();
            }
            if (!forwarder.isMember(group)) {
                throw ErrorCode.UNREACHABLE.exception("group " + group + ": this peer has not joined it");
            }
            SignedGroupMessage message = SignedGroupMessage.sign(
                    context.identity(),
                    context.endpoint().addresses(),
                    context.scheduler().random().nextLong(),
                    context.scheduler().clock().millis(),
                    group,
                    service,
                    body,
                    limits.maxBodyBytes());
            received.add(message.key());
            return forwarder
                    .forward(message, null, MAX_TTL)
                    .thenRun(() -> context.metrics().increment(Counter.GROUP_MESSAGES_SENT));
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private AsyncCloseable listen(GroupId group, ServiceAddress service, PropagatedMessageListener listener) {
        if (closed) {
            throw RendezvousContext.closedException();
        }
        ListenerKey key = new ListenerKey(group, service);
        if (listeners.putIfAbsent(key, listener) != null) {
            throw ErrorCode.ALREADY_BOUND.exception(
                    "service " + service + ": it has a listener for messages of group " + group);
        }
        return new Registration(() -> listeners.remove(key, listener));
    }

    /**
     * Receives a message on the event loop of its connection. Messages above the rate are dropped here; the others cost the
     * verification of a signature, on the executor.
     */
    void onMessage(ReceivedMessage receivedMessage) {
        boolean transferred = false;
        try {
            SignedGroupMessage message = read(receivedMessage);
            int ttl = (int) RendezvousElements.number(receivedMessage.message(), TTL, 0, 255);
            if (!closed && isAcceptable(receivedMessage.from(), message)) {
                context.executor().execute(() -> verify(receivedMessage, message, Math.min(ttl, MAX_TTL)));
                transferred = true;
            }
        } catch (ParleyException e) {
            reject(receivedMessage.from(), e.getMessage());
        } catch (RejectedExecutionException e) {
            context.metrics().increment(Counter.GROUP_MESSAGES_THROTTLED);
        } finally {
            if (!transferred) {
                receivedMessage.release();
            }
        }
    }

    private SignedGroupMessage read(ReceivedMessage receivedMessage) {
        long bytes = receivedMessage
                .message()
                .element(RendezvousElements.NAMESPACE, SAID)
                .map(MessageElement::size)
                .orElse(0L);
        long maxBytes = (long) limits.maxBodyBytes() + SignedGroupMessage.MAX_OVERHEAD_BYTES;
        if (bytes == 0 || bytes > maxBytes) {
            throw RendezvousElements.malformed(
                    SAID + ": " + bytes + " bytes (expected: > 0, <= maxBodyBytes with overhead " + maxBytes + ")");
        }
        return SignedGroupMessage.read(
                RendezvousElements.all(receivedMessage.message(), SAID, 1).get(0));
    }

    private boolean isAcceptable(PeerId from, SignedGroupMessage message) {
        Duration age = Duration.ofMillis(context.scheduler().clock().millis() - message.timeMillis())
                .abs();
        if (age.compareTo(limits.maxAge()) > 0) {
            reject(from, "difference to this peer's time: " + age + " (expected: <= " + limits.maxAge() + ")");
            return false;
        }
        switch (forwarder.check(from, message)) {
            case UNAUTHORIZED -> {
                reject(from, "sender is not authorized for group messages of group " + message.group());
                return false;
            }
            case THROTTLE -> {
                context.metrics().increment(Counter.GROUP_MESSAGES_THROTTLED);
                throttleLog.warn("Dropped group message from peer {}: rate exceeded", from);
                return false;
            }
            default -> {
                return !isDuplicate(message);
            }
        }
    }

    private boolean isDuplicate(SignedGroupMessage message) {
        boolean duplicate = message.sender().peer().equals(context.self()) || received.contains(message.key());
        if (duplicate) {
            context.metrics().increment(Counter.GROUP_MESSAGES_DUPLICATE);
        }
        return duplicate;
    }

    private void verify(ReceivedMessage receivedMessage, SignedGroupMessage message, int ttl) {
        try {
            if (!message.isSigned()) {
                reject(
                        receivedMessage.from(),
                        "signature is not that of peer " + message.sender().peer());
            } else if (!received.add(message.key())) {
                context.metrics().increment(Counter.GROUP_MESSAGES_DUPLICATE);
            } else {
                forwarder.forward(message, receivedMessage.from(), ttl);
                deliver(message);
            }
        } catch (ParleyException e) {
            reject(receivedMessage.from(), e.getMessage());
        } finally {
            receivedMessage.release();
        }
    }

    private void deliver(SignedGroupMessage message) {
        PropagatedMessageListener listener = forwarder.isMember(message.group())
                ? listeners.get(new ListenerKey(message.group(), message.service()))
                : null;
        if (listener == null) {
            return;
        }
        Message body = message.message();
        context.metrics().increment(Counter.GROUP_MESSAGES_RECEIVED);
        try {
            listener.onMessage(message.sender(), body);
        } catch (RuntimeException | Error e) { // an error too: the message may cause it
            failureLog.warn(
                    "Listener of service {} failed on message from peer {} to group {}",
                    message.service(),
                    message.sender().peer(),
                    message.group(),
                    e);
            context.metrics().increment(Counter.GROUP_LISTENER_FAILURES);
        }
    }

    private void reject(PeerId from, @Nullable String reason) {
        context.metrics().increment(Counter.GROUP_MESSAGES_REJECTED);
        rejectionLog.warn("Rejected group message from peer {}: {}", from, reason);
    }

    void close() {
        closed = true;
        listeners.clear();
    }
}
