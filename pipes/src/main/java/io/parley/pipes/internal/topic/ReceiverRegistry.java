package io.parley.pipes.internal.topic;

import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.HostShares;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.SerialExecutor;
import io.parley.common.internal.Timers;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.QueueLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.internal.PeerHosts;
import io.parley.pipes.internal.PipeFlow;
import io.parley.pipes.internal.PipeOptions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receivers of one publisher: admits peers that subscribe, within limits, and removes those that unsubscribe or are lost. All
 * changes run one at a time on the work executor. Thread-safe.
 */
final class ReceiverRegistry {

    private static final Logger log = LoggerFactory.getLogger(ReceiverRegistry.class);

    /** Is notified of changes, one at a time. Must not block. */
    interface Listener {

        void onOpened(TopicReceiver receiver);

        void onClosed(TopicReceiver receiver);
    }

    /** The time that a receiver whose queue drops messages has to return after its connection is lost. */
    static final Duration RETURN_TIMEOUT = Duration.ofMillis(200);

    /**
     * The time after which a receiver learns that messages were dropped for newer ones: it has the newest one then, and knows how many it
     * has missed before that. Together with the interval within the rate that a subscriber accepts, see {@link TopicMessageInbox}.
     */
    static final Duration REPORT_DELAY = Duration.ofMillis(200);

    /** The interval at which receivers learn how many messages were dropped for them for other reasons, such as their age. */
    static final Duration REPORT_INTERVAL = Duration.ofSeconds(1);

    /** The time in which a subscriber must confirm what it missed and the end when the publisher closes. */
    static final Duration LAST_REPORT_TIMEOUT = Duration.ofSeconds(1);

    /** The time in which the service of a new subscriber must respond. */
    static final Duration OPEN_TIMEOUT = Duration.ofSeconds(10);

    private final PeerGroup group;
    private final Endpoint endpoint;
    private final TopicNames topic;
    private final PipeOptions options;
    private final int maxReceivers;
    private final Listener listener;
    private final SerialExecutor tasks;
    private final RateLimitedLogger mismatchLog;
    private final RateLimitedLogger refusalLog;
    private final TopicMessageInbox inbox;
    private final HostShares hosts;
    private final Map<PeerId, TopicReceiver> receivers = new ConcurrentHashMap<>();
    private final FormerReceivers former;
    private final Set<PeerId> offers = new HashSet<>();
    private Scheduler.Timer reportTimer = () -> {};
    private boolean reportScheduled;
    private boolean closing;

    /** The lock of both sums, so that a receiver is counted once while it is removed. */
    private final Object sums = new Object();

    private long removedDrops;
    private long removedReplacements;

    ReceiverRegistry(PeerGroup group, TopicNames topic, PipeOptions options, int maxReceivers, Listener listener) {
        this.group = group;
        this.endpoint = group.endpoint();
        this.topic = topic;
        this.options = options;
        this.maxReceivers = maxReceivers;
        this.listener = listener;
        this.tasks = new SerialExecutor(group.workExecutor());
        this.mismatchLog = new RateLimitedLogger(log, group.scheduler());
        this.refusalLog = new RateLimitedLogger(log, group.scheduler());
        this.inbox = new TopicMessageInbox("publisher of " + topic, group, tasks, this::handle);
        this.hosts = new HostShares(maxReceivers);
        this.former = new FormerReceivers(maxReceivers);
    }

    /** Returns the number of messages that were dropped for present and former receivers. */
    long droppedMessages() {
        synchronized (sums) {
            return removedDrops + sum(TopicReceiver::droppedMessages);
        }
    }

    /** Returns how many of them were replaced by newer ones, or were too old. */
    long replacedMessages() {
        synchronized (sums) {
            return removedReplacements + sum(TopicReceiver::replacedMessages);
        }
    }

    private long sum(ToLongFunction<TopicReceiver> count) {
        return receivers.values().stream().mapToLong(count).sum();
    }

    /** Called on an event loop when a peer has sent a message to the publisher. */
    void onMessage(ReceivedMessage received) {
        inbox.onMessage(received);
    }

    private void handle(PeerId from, TopicMessage message) {
        TopicReceiver known = receivers.get(from);
        if (message instanceof TopicMessage.Subscribe subscribe) {
            subscribe(from, known, subscribe);
        } else if (message instanceof TopicMessage.Unsubscribe unsubscribe) {
            if (known != null && known.subscription() == unsubscribe.subscription()) {
                remove(known); // before its queue is discarded, which it does not want
                known.messenger().abort();
            }
        } else {
            log.debug("Rejected message of peer {} to the publisher of {}: for a subscriber", from, topic);
        }
    }

    private void subscribe(PeerId from, @Nullable TopicReceiver known, TopicMessage.Subscribe subscribe) {
        long subscription = subscribe.subscription();
        if (known != null && known.subscription() == subscription) { // a renewal
            if (known.isOpen()) {
                notify(from, new TopicMessage.Accepted(subscription));
            }
            return;
        }
        if (known != null) { // the subscriber has restarted
            remove(known);
            known.messenger().abort();
        }
        String host = PeerHosts.of(endpoint, from);
        if (closing) {
            notify(from, new TopicMessage.Ended(subscription, ErrorCode.CLOSED));
        } else if (!hosts.tryAcquire(host, 1)) {
            refusalLog.warn(
                    "Refused subscription of peer {} to {}: {} receivers (expected: <= {}, shared by the hosts)",
                    from,
                    topic,
                    receivers.size(),
                    maxReceivers);
            notify(from, new TopicMessage.Ended(subscription, ErrorCode.BUSY));
        } else {
            add(from, host, subscribe);
        }
    }

    private void add(PeerId from, String host, TopicMessage.Subscribe subscribe) {
        Messenger messenger;
        try {
            messenger = newMessenger(from, subscribe.options());
        } catch (ParleyException e) { // because the endpoint is closing
            hosts.release(host, 1);
            return;
        }
        long subscription = subscribe.subscription();
        TopicReceiver receiver = new TopicReceiver(
                from,
                subscription,
                subscribe.options().overflow(),
                host,
                messenger,
                former.remove(from, subscription),
                this::onDropped);
        receivers.put(from, receiver);
        messenger.onFailed(cause -> tasks.execute(() -> abandon(receiver, cause.getMessage())));
        messenger.resolve().thenRun(() -> tasks.execute(() -> open(receiver)));
        Timers.schedule(group.scheduler(), OPEN_TIMEOUT, tasks, () -> {
            if (!receiver.isOpen()) {
                abandon(receiver, "no response within " + OPEN_TIMEOUT);
            }
        });
    }

    private void abandon(TopicReceiver receiver, @Nullable String reason) {
        if (isPresent(receiver)) {
            log.debug("Lost {} of {}: {}", receiver, topic, reason);
            receiver.messenger().abort();
            remove(receiver);
        }
    }

    private Messenger newMessenger(PeerId peer, SubscriptionOptions selected) {
        MessengerOptions plain = MessengerOptions.DEFAULTS.withCodecs(options.codecs());
        return endpoint.messenger(peer, topic.data(), topic.security().applyTo(limitQueue(plain, selected)));
    }

    private MessengerOptions limitQueue(MessengerOptions plain, SubscriptionOptions selected) {
        PipeFlow flow = options.flow();
        if (selected.overflow() == SubscriptionOptions.Overflow.BLOCK) {
            return flow.limitQueue(plain, endpoint);
        }
        QueueLimits limits = new QueueLimits(
                Math.min(selected.maxMessages(), flow.queueMessages()),
                Math.min(selected.maxBytes(), flow.queueBytes(endpoint)),
                selected.timeToLive());
        return plain.withDelivery(MessengerOptions.Delivery.DROP_OLDEST).withQueueLimits(limits);
    }

    /** Lets a receiver get messages, because its service has responded. */
    private void open(TopicReceiver receiver) {
        if (isPresent(receiver) && !receiver.isOpen()) {
            receiver.setOpen();
            listener.onOpened(receiver);
            notify(receiver.peer(), new TopicMessage.Accepted(receiver.subscription()));
            scheduleReport();
        }
    }

    private boolean isPresent(TopicReceiver receiver) {
        return receivers.get(receiver.peer()) == receiver;
    }

    private void remove(TopicReceiver receiver) {
        if (isPresent(receiver)) {
            synchronized (sums) {
                receivers.remove(receiver.peer());
                removedDrops += receiver.droppedMessages();
                removedReplacements += receiver.replacedMessages();
            }
            hosts.release(receiver.host(), 1);
            former.add(receiver);
            if (receiver.isOpen()) {
                listener.onClosed(receiver);
            }
        }
    }

    /** Removes a receiver that has stopped the publisher for too long. Runs the action if it was present. */
    void evict(TopicReceiver receiver, Runnable onEvicted) {
        tasks.execute(() -> {
            if (isPresent(receiver)) {
                receiver.messenger().abort();
                end(receiver, ErrorCode.QUEUE_FULL);
                onEvicted.run();
            }
        });
    }

    /** Ends a subscription after the subscriber has learned what was discarded. The future completes when it knows both. */
    private CompletableFuture<Void> end(TopicReceiver receiver, ErrorCode code) {
        remove(receiver);
        if (receiver.hasUnreportedDrops()) {
            notify(receiver.peer(), new TopicMessage.Missed(receiver.subscription(), receiver.totalDrops()));
        }
        return notify(receiver.peer(), new TopicMessage.Ended(receiver.subscription(), code));
    }

    /** Called on an event loop when a peer has disconnected. */
    void onDisconnected(PeerId peer) {
        TopicReceiver receiver = receivers.get(peer);
        if (receiver != null) {
            EndpointLimits limits = endpoint.limits();
            Duration timeout = receiver.isBlocking() ? limits.reconnectTimeout() : RETURN_TIMEOUT;
            int disconnect = receiver.onDisconnected();
            Timers.schedule(group.scheduler(), timeout, tasks, () -> {
                if (receiver.isLastDisconnect(disconnect)
                        && endpoint.remoteAddress(peer).isEmpty()) {
                    abandon(receiver, "disconnected");
                }
            });
        }
    }

    /** Called when a search has found a subscriber, which may not know this publisher. */
    void onFound(PeerId subscriber) {
        tasks.execute(() -> {
            if (!closing
                    && !receivers.containsKey(subscriber)
                    && receivers.size() + offers.size() < maxReceivers
                    && offers.add(subscriber)) {
                group.locate(subscriber)
                        .thenCompose(located -> notify(subscriber, new TopicMessage.Offer()))
                        .whenComplete((sent, failure) -> tasks.execute(() -> onOffered(subscriber, failure)));
            }
        });
    }

    private void onOffered(PeerId subscriber, @Nullable Throwable failure) {
        offers.remove(subscriber);
        if (failure != null
                && ParleyException.unwrap(failure) instanceof ParleyException known
                && known.code() == ErrorCode.SECURITY_MISMATCH) {
            mismatchLog.warn("Cannot offer {} to peer {}: {}", topic, subscriber, known.getMessage());
        }
    }

    private CompletableFuture<Void> notify(PeerId subscriber, TopicMessage message) {
        return topic.security().send(endpoint, subscriber, topic.subscriber(), TopicMessageFormat.write(message));
    }

    private void scheduleReport() {
        if (!reportScheduled && !closing && !receivers.isEmpty()) {
            reportScheduled = true;
            reportTimer = Timers.schedule(group.scheduler(), REPORT_INTERVAL, tasks, this::reportDrops);
        }
    }

    private void reportDrops() {
        reportScheduled = false;
        receivers.values().forEach(this::reportDrops);
        scheduleReport();
    }

    /** Called by a sender. */
    private void onDropped(TopicReceiver receiver) {
        Timers.schedule(group.scheduler(), REPORT_DELAY, tasks, () -> {
            if (isPresent(receiver)) {
                reportDrops(receiver);
            }
        });
    }

    private void reportDrops(TopicReceiver receiver) {
        if (receiver.startReport()) {
            long drops = receiver.totalDrops();
            notify(receiver.peer(), new TopicMessage.Missed(receiver.subscription(), drops))
                    .whenComplete((sent, failure) -> tasks.execute(() -> {
                        if (failure == null) {
                            receiver.onReported(drops);
                        } else {
                            receiver.onReportFailed();
                        }
                    }));
        }
    }

    /** Sends the queued messages, then ends all subscriptions. */
    CompletableFuture<Void> close() {
        CompletableFuture<Void> closed = endpoint.whenClosed(); // after which the tasks do not run any more
        tasks.execute(() -> {
            closing = true;
            reportTimer.cancel();
            List<CompletableFuture<Void>> ends =
                    receivers.values().stream().map(this::close).toList();
            CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new))
                    .whenComplete((done, failure) -> closed.complete(null));
        });
        return closed;
    }

    /** Sends the queued messages to a receiver and ends its subscription. The future completes when it knows that, or after a while. */
    private CompletableFuture<Void> close(TopicReceiver receiver) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        long drops = receiver.droppedMessages();
        receiver.messenger()
                .closeAsync()
                .thenRun(() -> tasks.execute(() -> {
                    long discarded = receiver.droppedMessages() - drops;
                    if (discarded > 0) {
                        log.warn(
                                "Discarded {} messages for {} of {}, which did not receive them within {}; wait for whenIdle()"
                                        + " before the close",
                                discarded,
                                receiver,
                                topic,
                                DurationFormatter.format(endpoint.limits().closeTimeout()));
                    }
                    Scheduler.Timer timer =
                            Timers.schedule(group.scheduler(), LAST_REPORT_TIMEOUT, tasks, () -> told.complete(null));
                    end(receiver, ErrorCode.CLOSED).whenComplete((sent, failure) -> {
                        timer.cancel();
                        told.complete(null);
                    });
                }));
        return told;
    }

    /** Returns a future that completes when all present receivers have what was sent so far, or are gone. */
    CompletableFuture<Void> whenIdle() {
        return CompletableFuture.allOf(receivers.values().stream()
                .map(receiver -> receiver.messenger().whenIdle())
                .toArray(CompletableFuture<?>[]::new));
    }
}
