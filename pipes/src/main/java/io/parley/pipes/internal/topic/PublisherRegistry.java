package io.parley.pipes.internal.topic;

import io.parley.common.internal.Backoff;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.SerialExecutor;
import io.parley.common.internal.Throwables;
import io.parley.common.internal.Timers;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.pipes.SubscriptionOptions;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The publishers of one subscription: subscribes at those that are found or offer it, and again at those that are lost. All changes run
 * one at a time on the work executor. Thread-safe.
 */
final class PublisherRegistry {

    private static final Logger log = LoggerFactory.getLogger(PublisherRegistry.class);

    /** The maximum number of publishers, because each may send a window of data. */
    static final int MAX_PUBLISHERS = 256;

    /** The time in which a publisher must respond. */
    static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(10);

    /** A publisher. Its fields are used by the tasks, except for the volatile ones. */
    private static final class Source {

        private final PeerId peer;
        private final Backoff backoff;

        /** The time until which this peer tries to subscribe. */
        private long deadlineNanos;

        /** The number of the attempt to subscribe. Events of earlier attempts are ignored. */
        private int attempt;

        /** Whether the publisher has accepted the subscription at least once. */
        private boolean everAccepted;

        private volatile boolean accepted;
        private volatile long missed;

        Source(PeerId peer, Backoff backoff) {
            this.peer = peer;
            this.backoff = backoff;
        }
    }

    private final PeerGroup group;
    private final Endpoint endpoint;
    private final TopicNames topic;
    private final SubscriptionOptions options;
    private final RateLimitedLogger mismatchLog;
    private final long subscription;
    private final SerialExecutor tasks;
    private final TopicMessageInbox inbox;
    private final Map<PeerId, Source> sources = new ConcurrentHashMap<>();

    /** The publishers that were removed last. */
    private final FormerPublishers former = new FormerPublishers(MAX_PUBLISHERS);

    private volatile boolean closing;
    private volatile long missedOfFormer;

    /** The number of publishers that have accepted the subscription and are not removed. Used by the tasks. */
    private int remaining;

    /** Complete while no publisher remains. Replaced by the tasks. */
    private volatile CompletableFuture<Void> left = CompletableFuture.completedFuture(null);

    PublisherRegistry(PeerGroup group, TopicNames topic, SubscriptionOptions options) {
        this.group = group;
        this.endpoint = group.endpoint();
        this.topic = topic;
        this.options = options;
        this.mismatchLog = new RateLimitedLogger(log, group.scheduler());
        this.subscription = group.scheduler().random().nextLong();
        this.tasks = new SerialExecutor(group.workExecutor());
        this.inbox = new TopicMessageInbox("subscriber of " + topic, group, tasks, this::handle);
    }

    /**
     * Returns whether this peer has subscribed at a peer, or a publisher of that peer has closed, whose last messages may arrive after
     * its end. Messages of others are not accepted.
     */
    boolean isSource(PeerId peer) {
        return sources.containsKey(peer) || former.hasClosed(peer);
    }

    /** Called on an event loop with the sender of a published message that is not accepted. Counts it if that is a former publisher. */
    void onRefused(PeerId peer) {
        former.onMessage(peer);
    }

    /** Returns the peers that have accepted the subscription. */
    Set<PeerId> publishers() {
        return sources.values().stream()
                .filter(source -> source.accepted)
                .map(source -> source.peer)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Returns a future that completes when all publishers are removed that have accepted the subscription; not by {@link #close}. */
    CompletableFuture<Void> whenLeft() {
        return left.copy();
    }

    /** Returns the number of messages that present and former publishers have dropped for this subscription, or have sent too late. */
    long missed() {
        return missedOfFormer
                + former.messages()
                + sources.values().stream().mapToLong(source -> source.missed).sum();
    }

    /** Called on an event loop when a peer has sent a message to the subscriber. */
    void onMessage(ReceivedMessage received) {
        inbox.onMessage(received);
    }

    private void handle(PeerId from, TopicMessage message) {
        Source source = sources.get(from);
        if (message instanceof TopicMessage.Offer) {
            if (source == null) {
                add(from);
            } else if (source.accepted) { // the publisher has lost this subscription, or it would not offer
                start(source);
            }
        } else if (message instanceof TopicMessage.Accepted accepted) {
            if (source != null && accepted.subscription() == subscription) {
                onAccepted(source);
            }
        } else if (message instanceof TopicMessage.Missed missed) {
            if (source != null && missed.subscription() == subscription) {
                onMissed(source, missed.count());
            }
        } else if (message instanceof TopicMessage.Ended ended) {
            if (source != null && ended.subscription() == subscription) {
                onEnded(source, ended.code());
            }
        } else {
            log.debug("Rejected message of peer {} to the subscriber of {}: for a publisher", from, topic);
        }
    }

    private void onAccepted(Source source) {
        if (!source.everAccepted) {
            source.everAccepted = true;
            if (remaining++ == 0) {
                left = new CompletableFuture<>();
            }
        }
        source.accepted = true;
        source.backoff.reset();
        source.attempt++; // ends the attempt and its timer
    }

    private void onMissed(Source source, long count) {
        if (count < source.missed) { // the publisher has restarted, and counts again
            addToFormer(source.missed);
        }
        source.missed = count;
    }

    private void addToFormer(long missed) {
        long sum = missedOfFormer + missed;
        missedOfFormer = sum;
    }

    private void onEnded(Source source, ErrorCode code) {
        if (code == ErrorCode.QUEUE_FULL) {
            log.warn("Peer {} has ended the subscription to {}: this peer was too slow", source.peer, topic);
        }
        remove(source, code == ErrorCode.CLOSED);
    }

    /** Called when a search has found a publisher. */
    void onFound(PeerId publisher) {
        if (!sources.containsKey(publisher)) {
            tasks.execute(() -> add(publisher));
        }
    }

    /** Runs an action after the tasks of all calls so far. */
    void afterTasks(Runnable action) {
        tasks.execute(action);
    }

    private void add(PeerId publisher) {
        if (closing || sources.containsKey(publisher) || sources.size() >= MAX_PUBLISHERS) {
            return;
        }
        Source source = new Source(publisher, new Backoff(group.scheduler().random()));
        source.missed = former.remove(publisher);
        addToFormer(-source.missed);
        sources.put(publisher, source);
        start(source);
    }

    /** Tries to subscribe until the reconnect timeout has expired. */
    private void start(Source source) {
        source.accepted = false;
        source.deadlineNanos = group.scheduler().nanoTime()
                + endpoint.limits().reconnectTimeout().toNanos();
        subscribe(source);
    }

    private void subscribe(Source source) {
        if (!isPresent(source)) {
            return;
        }
        int attempt = ++source.attempt;
        group.locate(source.peer)
                .thenCompose(located -> notify(source.peer, new TopicMessage.Subscribe(subscription, options)))
                .whenComplete((sent, failure) -> {
                    if (failure != null) {
                        tasks.execute(() -> onFailed(source, attempt, Throwables.unwrap(failure)));
                    }
                });
        Timers.schedule(
                group.scheduler(),
                RESPONSE_TIMEOUT,
                tasks,
                () -> onFailed(source, attempt, ErrorCode.TIMEOUT.exception("no response within " + RESPONSE_TIMEOUT)));
    }

    private boolean isPresent(Source source) {
        return !closing && sources.get(source.peer) == source;
    }

    private CompletableFuture<Void> notify(PeerId publisher, TopicMessage message) {
        return topic.security().send(endpoint, publisher, topic.publisher(), TopicMessageFormat.write(message));
    }

    private void onFailed(Source source, int attempt, Throwable failure) {
        if (!isPresent(source) || source.attempt != attempt) {
            return;
        }
        source.attempt++;
        ErrorCode code = failure instanceof ParleyException known ? known.code() : ErrorCode.UNREACHABLE;
        if (code == ErrorCode.SECURITY_MISMATCH) {
            mismatchLog.warn("Cannot subscribe to {} at peer {}: {}", topic, source.peer, failure.getMessage());
        }
        if (code == ErrorCode.NO_SUCH_SERVICE
                || code == ErrorCode.SECURITY_MISMATCH
                || group.scheduler().nanoTime() - source.deadlineNanos >= 0) {
            log.debug("Lost publisher {} of {}: {}", source.peer, topic, failure.getMessage());
            remove(source, false);
        } else {
            subscribeLater(source);
        }
    }

    private void subscribeLater(Source source) {
        Timers.schedule(group.scheduler(), source.backoff.next(), tasks, () -> subscribe(source));
    }

    private void remove(Source source, boolean hasClosed) {
        if (sources.remove(source.peer, source)) {
            former.add(source.peer, source.missed, hasClosed);
            addToFormer(source.missed);
            if (source.everAccepted && --remaining == 0) {
                left.complete(null); // after its number of dropped messages is added
            }
        }
    }

    /** Called on an event loop when a peer has disconnected. */
    void onDisconnected(PeerId peer) {
        Source source = sources.get(peer);
        if (source != null) {
            tasks.execute(() -> {
                if (isPresent(source) && source.accepted) { // otherwise an attempt is in progress
                    start(source);
                }
            });
        }
    }

    /** Ends the subscription at all publishers. */
    void close() {
        closing = true;
        tasks.execute(() -> {
            for (Source source : sources.values()) {
                notify(source.peer, new TopicMessage.Unsubscribe(subscription));
            }
            sources.clear();
        });
    }
}
