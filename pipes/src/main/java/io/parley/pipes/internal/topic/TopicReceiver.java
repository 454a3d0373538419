package io.parley.pipes.internal.topic;

import io.parley.common.Scheduler;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.SharedMessage;
import io.parley.id.PeerId;
import io.parley.pipes.SubscriptionOptions.Overflow;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One receiver of a publisher: a messenger with the queue that the subscriber has selected. Thread-safe. */
final class TopicReceiver {

    private final PeerId peer;
    private final long subscription;
    private final Overflow overflow;
    private final String host;
    private final Messenger messenger;
    private final Consumer<TopicReceiver> onDropped;
    private final AtomicBoolean reportRequested = new AtomicBoolean();

    /** The number of dropped messages that were noticed when another one was queued. Changed by one sender at a time. */
    private volatile long noticedDrops;

    /** Whether the subscriber gets messages. Used by the tasks of the registry. */
    private boolean open;

    /** The number that was dropped for the same subscription before the peer was lost and has returned. */
    private final long earlierDrops;

    /** The number of dropped messages that the subscriber knows. Used by the tasks of the registry. */
    private long reportedDrops;

    private boolean reporting;

    private final AtomicInteger disconnects = new AtomicInteger();

    /** The wait for room while this receiver stops the publisher. Changed with the monitor of this object. */
    private volatile @Nullable RoomWait roomWait;

    /** Whether the queue has taken a message since the timer of the wait was started. */
    private volatile boolean taken;

    /**
     * Creates a receiver, which is not open.
     *
     * @param host         the host whose share of the receivers this one uses
     * @param earlierDrops the {@link #totalDrops} of an earlier receiver of the same subscription, or 0
     * @param onDropped    called by senders after messages were dropped for a newer one, unless a report {@linkplain #startReport of
     *     earlier ones} has not begun. Must not block
     */
    TopicReceiver(
            PeerId peer,
            long subscription,
            Overflow overflow,
            String host,
            Messenger messenger,
            long earlierDrops,
            Consumer<TopicReceiver> onDropped) {
        this.peer = peer;
        this.subscription = subscription;
        this.overflow = overflow;
        this.host = host;
        this.messenger = messenger;
        this.earlierDrops = earlierDrops;
        this.onDropped = onDropped;
    }

    PeerId peer() {
        return peer;
    }

    long subscription() {
        return subscription;
    }

    String host() {
        return host;
    }

    Messenger messenger() {
        return messenger;
    }

    /** Returns whether the publisher waits for this receiver if its queue is full. */
    boolean isBlocking() {
        return overflow == Overflow.BLOCK;
    }

    boolean isOpen() {
        return open;
    }

    void setOpen() {
        open = true;
    }

    /** Returns whether the queue takes a message. A queue that drops messages always does. */
    boolean isWritable() {
        return !isBlocking() || messenger.isWritable() || messenger.isClosing();
    }

    /** Returns a future that completes, never exceptionally, when the queue has room or the receiver has been removed. */
    CompletableFuture<Void> whenWritable() {
        return messenger.whenWritable().exceptionally(closed -> null);
    }

    /**
     * Queues a message for which there is room. One call at a time.
     *
     * @throws io.parley.error.ParleyException as {@link Messenger#offer}
     * @throws IllegalStateException if there is no room, so that this receiver would miss the message in silence
     */
    void offer(SharedMessage message) {
        if (!messenger.offer(message)) {
            throw new IllegalStateException(
                    this + ": no room (expected: a call after isWritable(), by the only sender)");
        }
        if (roomWait != null) {
            taken = true;
        }
        long drops = messenger.droppedMessages();
        if (drops != noticedDrops) {
            noticedDrops = drops;
            requestReport();
        }
    }

    private void requestReport() {
        if (!reportRequested.get() && reportRequested.compareAndSet(false, true)) {
            onDropped.accept(this);
        }
    }

    /** Called when this receiver stops the publisher. Runs the action when the queue has had no room for that time. */
    void onBlocking(Scheduler scheduler, Duration timeout, Runnable onTimeout) {
        RoomWait wait;
        synchronized (this) {
            if (roomWait != null) {
                return;
            }
            wait = new RoomWait(scheduler, timeout, onTimeout);
            roomWait = wait;
            wait.start();
        }
        whenWritable().thenRun(wait::end);
    }

    /** Waits for room, which is there when the queue takes a message, or could. */
    private final class RoomWait {

        private final Scheduler scheduler;
        private final Duration timeout;
        private final Runnable onTimeout;
        private Scheduler.Timer timer = () -> {};

        RoomWait(Scheduler scheduler, Duration timeout, Runnable onTimeout) {
            this.scheduler = scheduler;
            this.timeout = timeout;
            this.onTimeout = onTimeout;
        }

        /** The caller must hold the monitor of the receiver. */
        void start() {
            taken = false;
            timer = scheduler.schedule(timeout, this::onTimeout);
        }

        private void onTimeout() {
            synchronized (TopicReceiver.this) {
                if (roomWait != this) {
                    return;
                }
                if (taken || isWritable()) {
                    start();
                    return;
                }
            }
            onTimeout.run();
        }

        void end() {
            synchronized (TopicReceiver.this) {
                roomWait = null;
                timer.cancel();
            }
            if (!isWritable()) { // messages have filled the queue meanwhile
                onBlocking(scheduler, timeout, onTimeout);
            }
        }
    }

    /** Counts a lost connection. Returns its number. */
    int onDisconnected() {
        return disconnects.incrementAndGet();
    }

    boolean isLastDisconnect(int number) {
        return disconnects.get() == number;
    }

    long droppedMessages() {
        return messenger.droppedMessages();
    }

    /** Returns how many of the dropped messages were replaced by newer ones or too old, as the subscriber has selected. */
    long replacedMessages() {
        return isBlocking() ? 0 : noticedDrops;
    }

    /** Returns the number of messages that were dropped for the subscription, which is what the subscriber learns. */
    long totalDrops() {
        return earlierDrops + messenger.droppedMessages();
    }

    /** Returns whether the subscriber should learn the number of dropped messages. The caller must call {@link #onReported} then. */
    boolean startReport() {
        reportRequested.set(false); // first: what is dropped from now on needs a report of its own
        boolean starts = open && !reporting && hasUnreportedDrops();
        reporting |= starts;
        return starts;
    }

    boolean hasUnreportedDrops() {
        return totalDrops() != reportedDrops;
    }

    /** Called when the report did not reach the subscriber. The next one includes its number. */
    void onReportFailed() {
        reporting = false;
    }

    void onReported(long drops) {
        reporting = false;
        reportedDrops = drops;
        if (hasUnreportedDrops()) {
            requestReport();
        }
    }

    @Override
    public String toString() {
        return "receiver " + peer.shortText();
    }
}
