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
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.resolver.internal.PropagatedMessageListener;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What is said to groups, by this peer and by others. Thread-safe. */
final class GroupMessageRouter {

    private static final Logger log = LoggerFactory.getLogger(GroupMessageRouter.class);

    private static final String SAID = "Said";
    private static final String TTL = "Ttl";

    /** The sender's rendezvous, and all others, as each knows all. */
    static final int TTL_RENDEZVOUS = 2;

    private record ListenerKey(GroupId group, ServiceAddress service) {}

    private final RateLimitedLogger complaints = new RateLimitedLogger(log);
    private final RateLimitedLogger floods = new RateLimitedLogger(log);
    private final RendezvousContext overlay;
    private final GroupMessageForwarder passing;
    private final RendezvousLimits.PropagationLimits limits;
    private final DuplicateFilter<SignedGroupMessage.Key> seen;
    private final ConcurrentMap<ListenerKey, PropagatedMessageListener> listeners = new ConcurrentHashMap<>();
    private volatile boolean closed;

    GroupMessageRouter(RendezvousContext overlay, GroupMessageForwarder passing) {
        this.overlay = overlay;
        this.passing = passing;
        this.limits = overlay.limits().propagation();
        this.seen = new DuplicateFilter<>(
                limits.duplicateFilterSize(), limits.maxAge().multipliedBy(2), overlay.scheduler());
    }

    static Message wire(SignedGroupMessage said, int ttl) {
        return Message.of(RendezvousElements.bytes(SAID, said.bytes()), RendezvousElements.number(TTL, ttl));
    }

    CompletableFuture<Void> say(GroupId group, ServiceAddress service, Message message) {
        try {
            if (closed) {
                throw closedException();
            }
            if (!passing.isIn(group)) {
                throw ErrorCode.UNREACHABLE.exception("group " + group + " has not been joined");
            }
            SignedGroupMessage said = SignedGroupMessage.sign(
                    overlay.identity(),
                    overlay.endpoint().addresses(),
                    overlay.scheduler().random().nextLong(),
                    overlay.scheduler().clock().millis(),
                    group,
                    service,
                    message,
                    limits.maxBodyBytes());
            seen.add(said.key());
            return passing.pass(said, null, TTL_RENDEZVOUS)
                    .thenRun(() -> overlay.metrics().increment(Counter.GROUP_MESSAGES_SENT));
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    AsyncCloseable listen(GroupId group, ServiceAddress service, PropagatedMessageListener listener) {
        if (closed) {
            throw closedException();
        }
        ListenerKey hearing = new ListenerKey(group, service);
        if (listeners.putIfAbsent(hearing, listener) != null) {
            throw ErrorCode.ALREADY_BOUND.exception(
                    "service " + service + " has a listener for what is said to group " + group);
        }
        return new Registration(() -> listeners.remove(hearing, listener));
    }

    /** On the connection's thread, where what is too much is thrown away; the rest costs a signature. */
    void onMessage(ReceivedMessage received) {
        boolean handedOver = false;
        try {
            SignedGroupMessage said = read(received);
            int ttl = (int) RendezvousElements.number(received.message(), TTL, 0, 255);
            if (!closed && isWanted(received.from(), said)) {
                overlay.executor().execute(() -> verify(received, said, Math.min(ttl, TTL_RENDEZVOUS)));
                handedOver = true;
            }
        } catch (ParleyException e) {
            refuse(received.from(), e.getMessage());
        } catch (RejectedExecutionException e) {
            overlay.metrics().increment(Counter.GROUP_MESSAGES_THROTTLED);
        } finally {
            if (!handedOver) {
                received.release();
            }
        }
    }

    private SignedGroupMessage read(ReceivedMessage received) {
        long bytes = received.message()
                .element(RendezvousElements.NAMESPACE, SAID)
                .map(said -> said.size())
                .orElse(0L);
        if (bytes == 0 || bytes > limits.maxBodyBytes() + SignedGroupMessage.MAX_OVERHEAD_BYTES) {
            throw RendezvousElements.malformed(SAID + ": " + bytes + " bytes (expected: > 0, <= maxBodyBytes "
                    + limits.maxBodyBytes() + " and what stands around them)");
        }
        return SignedGroupMessage.read(
                RendezvousElements.all(received.message(), SAID, 1).get(0));
    }

    private boolean isWanted(PeerId from, SignedGroupMessage said) {
        Duration age = Duration.ofMillis(overlay.scheduler().clock().millis() - said.timeMillis())
                .abs();
        if (age.compareTo(limits.maxAge()) > 0) {
            refuse(from, "said " + age + " before or after now (expected: <= " + limits.maxAge() + ")");
            return false;
        }
        switch (passing.judge(from, said)) {
            case UNAUTHORIZED -> {
                refuse(from, "not one to hear that from");
                return false;
            }
            case THROTTLE -> {
                overlay.metrics().increment(Counter.GROUP_MESSAGES_THROTTLED);
                floods.warn("Threw away what peer {} brought for a group: too much at a time", from);
                return false;
            }
            default -> {
                return !isRepeated(said);
            }
        }
    }

    private boolean isRepeated(SignedGroupMessage said) {
        boolean repeated = said.sender().peer().equals(overlay.self()) || seen.contains(said.key());
        if (repeated) {
            overlay.metrics().increment(Counter.GROUP_MESSAGES_DUPLICATE);
        }
        return repeated;
    }

    private void verify(ReceivedMessage received, SignedGroupMessage said, int ttl) {
        try {
            if (!said.isSigned()) {
                refuse(received.from(), "not signed by " + said.sender().peer());
            } else if (!seen.add(said.key())) {
                overlay.metrics().increment(Counter.GROUP_MESSAGES_DUPLICATE);
            } else {
                passing.pass(said, received.from(), ttl);
                deliver(said);
            }
        } catch (ParleyException e) {
            refuse(received.from(), e.getMessage());
        } finally {
            received.release();
        }
    }

    private void deliver(SignedGroupMessage said) {
        PropagatedMessageListener listener =
                passing.isIn(said.group()) ? listeners.get(new ListenerKey(said.group(), said.service())) : null;
        if (listener == null) {
            return;
        }
        Message message = said.message();
        overlay.metrics().increment(Counter.GROUP_MESSAGES_RECEIVED);
        try {
            listener.onMessage(said.sender(), message);
        } catch (RuntimeException e) {
            log.warn(
                    "A listener failed on what {} said to group {}",
                    said.sender().peer(),
                    said.group(),
                    e);
        }
    }

    private void refuse(PeerId from, @Nullable String why) {
        overlay.metrics().increment(Counter.GROUP_MESSAGES_REJECTED);
        complaints.warn("Ignored what peer {} brought for a group: {}", from, why);
    }

    private static ParleyException closedException() {
        return ErrorCode.CLOSED.exception("the rendezvous service is closed");
    }

    void close() {
        closed = true;
        listeners.clear();
    }
}
