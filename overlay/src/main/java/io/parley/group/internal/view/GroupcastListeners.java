package io.parley.group.internal.view;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Registration;
import io.parley.common.internal.SerialExecutor;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.group.internal.view.MemberViewCounters.Counter;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.rendezvous.internal.SignedGroupMessage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of one group for messages to all members. Each has a bounded queue of its own. Thread-safe. */
final class GroupcastListeners {

    private static final Logger log = LoggerFactory.getLogger(GroupcastListeners.class);

    /** The bytes that wait for one listener. A message counts at least {@link #MIN_CHARGE}. */
    static final int MAX_WAITING_BYTES = 4 << 20;

    /** The approximate memory of a message without payload. */
    static final int MIN_CHARGE = 512;

    private final RateLimitedLogger failureLog;
    private final RateLimitedLogger dropLog;
    private final RateLimitedLogger rejectionLog;
    private final PeerGroup group;
    private final ConcurrentMap<ServiceAddress, Queue> queues = new ConcurrentHashMap<>();
    private volatile boolean closed;

    GroupcastListeners(PeerGroup group) {
        this.group = group;
        this.failureLog = new RateLimitedLogger(log, group.scheduler());
        this.dropLog = new RateLimitedLogger(log, group.scheduler());
        this.rejectionLog = new RateLimitedLogger(log, group.scheduler());
    }

    /** The listener of one service. */
    private final class Queue {

        private final ServiceAddress service;
        private final BiConsumer<PeerId, Message> listener;
        private final AtomicInteger waitingBytes = new AtomicInteger();
        private volatile boolean ended;
        private final SerialExecutor calls =
                SerialExecutor.retrying(group.callbackExecutor(), group.scheduler(), () -> ended || closed);

        Queue(ServiceAddress service, BiConsumer<PeerId, Message> listener) {
            this.service = service;
            this.listener = listener;
        }

        void add(PeerId sender, Message message, int bytes) {
            int charge = Math.max(bytes, MIN_CHARGE);
            if (waitingBytes.addAndGet(charge) > MAX_WAITING_BYTES) {
                waitingBytes.addAndGet(-charge);
                group.count(Counter.GROUPCASTS_DROPPED, 1);
                dropLog.warn(
                        "Dropped a message to all members of group {}: more than {} bytes wait for the listener of service {}",
                        group.name(),
                        MAX_WAITING_BYTES,
                        service);
                return;
            }
            calls.execute(() -> {
                waitingBytes.addAndGet(-charge);
                if (!ended && !closed) {
                    call(sender, message);
                }
            });
        }

        private void call(PeerId sender, Message message) {
            group.count(Counter.GROUPCASTS_DELIVERED, 1);
            try {
                listener.accept(sender, message);
            } catch (RuntimeException | Error e) { // an error too: the message may cause it
                group.count(Counter.GROUPCASTS_LISTENER_FAILURES, 1);
                failureLog.warn(
                        "Listener of service {} failed on message from peer {} to all members of group {}",
                        service,
                        sender,
                        group.name(),
                        e);
            }
        }
    }

    /** Implements {@link io.parley.group.MemberView#listen}, except that it does not check whether the view is open. */
    AsyncCloseable add(ServiceAddress service, BiConsumer<PeerId, Message> listener) {
        Queue queue = new Queue(service, listener);
        if (queues.putIfAbsent(service, queue) != null) {
            throw ErrorCode.ALREADY_BOUND.exception(
                    "service " + service + ": it has a listener for messages to all members of group " + group.name());
        }
        return new Registration(() -> {
            queue.ended = true;
            queues.remove(service, queue);
        });
    }

    /** Returns whether a service has a listener. */
    boolean has(ServiceAddress service) {
        return queues.containsKey(service);
    }

    /** Decodes a message of another member for the listener of its service, if there is one. */
    void deliver(SignedGroupMessage message) {
        PeerId sender = message.sender().peer();
        if (!has(message.service())) {
            return;
        }
        Message body;
        try {
            body = message.message();
        } catch (ParleyException e) { // the fault of the sender, not of the neighbor that has passed it on
            rejectionLog.warn(
                    "Rejected a message of peer {} to all members of group {}: {}",
                    sender,
                    group.name(),
                    e.getMessage());
            group.count(Counter.GROUPCASTS_REJECTED, 1);
            return;
        }
        deliver(sender, message.service(), body, message.bytes().length);
    }

    /** Passes a message to the listener of the service, if there is one. */
    void deliver(PeerId sender, ServiceAddress service, Message message, int bytes) {
        Queue queue = queues.get(service);
        if (queue != null) {
            queue.add(sender, message, bytes);
        }
    }

    void close() {
        closed = true;
        queues.clear();
    }
}
