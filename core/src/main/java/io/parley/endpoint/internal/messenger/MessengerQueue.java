package io.parley.endpoint.internal.messenger;

import io.parley.common.internal.DurationFormatter;
import io.parley.encoding.EncodingPolicy;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.Opened;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one messenger, under the lock of the messenger. Callers add messages on any thread, and wait for room if the queue is
 * full. The link to which the messenger is bound polls the messages, and reports which ones the receiver has. Messages that are
 * refused or dropped fail here. Futures complete without the lock, because their callbacks may do anything, including closing the
 * messenger. Thread-safe.
 */
public final class MessengerQueue {

    /** Its text form describes the messenger in failures. */
    private final Object messenger;

    private final OutboundQueue messages;

    /** The lock of the messenger. */
    private final ReentrantLock lock;

    private final RoomWaiters waiters;
    private final EndpointContext context;

    /** Encodes the elements; null if they are sent as they are. */
    private volatile @Nullable OutboundElements elements;

    /** Whether the messenger is closing, so that the queue accepts no more messages. Written with the lock. */
    private volatile boolean closing;

    /** Completes when no message is left; null if no caller waits for that. Written with the lock. */
    private volatile @Nullable CompletableFuture<Void> idle;

    /** Whether messages that are not kept are on their way from the queue to the network, or back. Written with the lock. */
    private volatile boolean handingOver;

    /** Why all messages have failed meanwhile, so that those that return fail too; otherwise null. Guarded by the lock. */
    private @Nullable ParleyException handOverFailure;

    /** Whether a message was queued since the last check for idle messengers. Guarded by the lock. */
    private boolean usedSinceCheck = true;

    /** @param messenger its text form describes the messenger */
    MessengerQueue(Object messenger, OutboundQueue messages, ReentrantLock lock, EndpointContext context) {
        this.messenger = messenger;
        this.messages = messages;
        this.lock = lock;
        this.waiters = new RoomWaiters(messages, lock);
        this.context = context;
    }

    // The following methods are for the application.

    /**
     * Queues a message if there is room, or if a full queue drops another one for it. Otherwise fails the message. The caller must wake
     * the carrier unless the message is done.
     */
    void offer(OutboundMessage outbound) {
        if (outbound.sent().isDone()) { // it cannot be encoded, and must not drop another one
            return;
        }
        List<OutboundMessage> dropped = List.of();
        ParleyException refusal = null;
        lock.lock();
        try {
            if (closing) {
                refusal = closedException();
            } else {
                dropped = messages.makeRoom();
                if (messages.hasRoom()) {
                    enqueue(outbound);
                } else {
                    refusal = ErrorCode.QUEUE_FULL.exception(messenger + ": " + messages.describeFull());
                }
            }
        } finally {
            lock.unlock();
        }
        onDropped(dropped, refusal);
        encodeOrFail(outbound, refusal);
    }

    /**
     * Queues a message whose future is not awaited if there is room, or if a full queue drops another one for it. The caller must wake
     * the carrier if the message is queued.
     *
     * @return whether the message is queued
     * @throws ParleyException {@link ErrorCode#CLOSED} if the messenger is closing
     */
    boolean tryAdd(OutboundMessage outbound) {
        List<OutboundMessage> dropped;
        lock.lock();
        try {
            if (closing) {
                throw closedException();
            }
            dropped = messages.makeRoom();
            if (!messages.hasRoom()) {
                return false;
            }
            enqueue(outbound);
        } finally {
            lock.unlock();
        }
        onDropped(dropped, null);
        return true;
    }

    /**
     * Waits for room and queues the message, or fails it. The caller must wake the carrier unless the message is done.
     *
     * @return the rest of the timeout, in nanoseconds
     */
    long addWhenWritable(OutboundMessage outbound, Duration timeout) throws InterruptedException {
        long remaining = TimeUnit.NANOSECONDS.convert(timeout);
        if (outbound.sent().isDone()) { // it cannot be encoded, and need not wait
            return remaining;
        }
        ParleyException refusal = null;
        try {
            lock.lockInterruptibly();
            try {
                while (!closing && !messages.hasRoom() && remaining > 0) {
                    remaining = waiters.room().awaitNanos(remaining);
                }
                if (closing) {
                    refusal = closedException();
                } else if (!messages.hasRoom()) {
                    refusal = ErrorCode.TIMEOUT.exception(
                            messenger + ": no room in the queue within " + DurationFormatter.format(timeout));
                } else {
                    enqueue(outbound);
                }
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            outbound.fail(ErrorCode.CLOSED.exception(messenger + ": interrupted before the message was queued", e));
            throw e;
        }
        encodeOrFail(outbound, refusal);
        return Math.max(0, remaining);
    }

    /** The caller must hold the lock. */
    private void enqueue(OutboundMessage outbound) {
        if (!outbound.sent().isDone()) {
            OutboundElements encoding = elements;
            if (encoding == null) {
                messages.add(outbound);
            } else {
                encoding.enqueue(outbound);
            }
            usedSinceCheck = true;
        }
    }

    private void encodeOrFail(OutboundMessage outbound, @Nullable ParleyException refusal) {
        if (refusal != null) {
            outbound.fail(refusal);
            return;
        }
        OutboundElements encoding = elements;
        if (encoding != null && !outbound.sent().isDone()) {
            encoding.encode(outbound);
        }
    }

    /** Counts and fails the messages that a full queue has dropped for a new one, or the new one. */
    private void onDropped(List<OutboundMessage> dropped, @Nullable ParleyException refusal) {
        if (!dropped.isEmpty()) {
            failDropped(
                    dropped,
                    () -> ErrorCode.QUEUE_FULL.exception(
                            messenger + ": message dropped for a newer one: " + messages.describeFull()));
        } else if (refusal != null && refusal.code() == ErrorCode.QUEUE_FULL && isBestEffort()) {
            context.metrics().increment(Counter.MESSAGES_DROPPED);
        }
    }

    /** Counts the messages, and fails those whose futures may be awaited. */
    private void failDropped(List<OutboundMessage> dropped, Supplier<ParleyException> cause) {
        context.metrics().add(Counter.MESSAGES_DROPPED, dropped.size());
        List<OutboundMessage> reported =
                dropped.stream().filter(message -> !message.isShared()).toList();
        if (!reported.isEmpty()) {
            ParleyException failure = cause.get();
            reported.forEach(message -> message.fail(failure));
        }
    }

    /** Removes a message from the queue. Returns false if it was sent. */
    boolean remove(OutboundMessage outbound) {
        OutboundElements encoding = elements;
        lock.lock();
        try {
            boolean encoded = outbound.isReady();
            if (!messages.remove(outbound)) {
                return false;
            }
            if (encoding != null && encoded) {
                encoding.restart();
            }
            waiters.wakeThreads();
        } finally {
            lock.unlock();
        }
        if (encoding != null) {
            encoding.schedule();
        }
        notifyWaiters();
        return true;
    }

    boolean isWritable() {
        return !closing && messages.hasRoom();
    }

    CompletableFuture<Void> whenWritable() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        lock.lock();
        try {
            if (!closing && !messages.hasRoom()) {
                waiters.add(result);
                return result;
            }
        } finally {
            lock.unlock();
        }
        if (closing) {
            result.completeExceptionally(closedException());
        } else {
            result.complete(null);
        }
        return result;
    }

    /** Returns a future that completes when no message is queued or unacknowledged. */
    CompletableFuture<Void> whenIdle() {
        lock.lock();
        try {
            if (isIdle()) {
                return CompletableFuture.completedFuture(null);
            }
            CompletableFuture<Void> present = idle;
            if (present == null) {
                present = new CompletableFuture<>();
                idle = present;
            }
            return present.copy();
        } finally {
            lock.unlock();
        }
    }

    /** The caller must hold the lock. */
    private boolean isIdle() {
        return messages.isEmpty() && !handingOver;
    }

    /** Completes the future of {@link #whenIdle} if no message is left. Must be called without the lock. */
    void completeIfIdle() {
        if (idle == null) {
            return;
        }
        CompletableFuture<Void> done = null;
        lock.lock();
        try {
            if (isIdle()) {
                done = idle;
                idle = null;
            }
        } finally {
            lock.unlock();
        }
        if (done != null) {
            done.complete(null);
        }
    }

    /** Limits the rate at which messages leave the queue. Must be called before the first message is queued. */
    void limitRate(MessengerOptions.Rate rate, Runnable wake) {
        messages.limitRate(new SendRateGate(rate, context, lock, wake));
    }

    /** Called when the messenger has closed, so that no message is left. */
    void stopRate() {
        lock.lock();
        try {
            messages.stopRate();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether messages are dropped instead of kept, see {@link MessengerOptions.Delivery}. */
    public boolean isBestEffort() {
        return messages.isBestEffort();
    }

    long dropped() {
        return messages.dropped();
    }

    boolean isClosing() {
        return closing;
    }

    /** Returns the failure of a call after {@link #startClosing}. */
    ParleyException closedException() {
        return ErrorCode.CLOSED.exception(messenger + " is closed");
    }

    /**
     * Accepts no more messages. Wakes the threads that wait for room, and returns the futures, which the caller must fail without the
     * lock. The caller must hold the lock.
     */
    List<CompletableFuture<Void>> startClosing() {
        closing = true;
        List<CompletableFuture<Void>> removed = waiters.removeAll();
        waiters.wakeThreads();
        return removed;
    }

    /** Makes the messenger encode elements. Must be called before the first message is queued. */
    void encodeElements(EncodingPolicy policy, OutboundElements.Owner owner) {
        elements = new OutboundElements(policy, context, owner, messages, lock);
    }

    @Nullable
    OutboundElements elements() {
        return elements;
    }

    // The following methods are for the link and the association.

    /** Returns whether a message can be sent now. */
    boolean isSendable() {
        return messages.isSendable();
    }

    /**
     * Moves the next messages to {@code target}, see {@link OutboundQueue#poll}. The caller must return those that it does not
     * send ({@link #restore}), and call {@link #notifyWritable} after the others are written.
     */
    public void poll(Queue<OutboundMessage> target, long bytes, boolean kept) {
        List<OutboundMessage> expired;
        lock.lock();
        try {
            expired = messages.poll(target, bytes, kept);
            if (!kept) {
                handingOver = true;
            }
            waiters.wakeThreadsIfWritable();
        } finally {
            lock.unlock();
        }
        if (!expired.isEmpty()) {
            failDropped(
                    expired, () -> ErrorCode.TIMEOUT.exception(messenger + ": message dropped: older than timeToLive"));
        }
    }

    /**
     * Returns the last messages that were polled and not sent, which this call removes from {@code unsent}. Fails them instead if the
     * others have failed.
     */
    public void restore(Deque<OutboundMessage> unsent, boolean kept) {
        List<OutboundMessage> failed = List.of();
        ParleyException cause;
        lock.lock();
        try {
            cause = handOverFailure;
            if (cause == null) {
                messages.restore(unsent, kept);
            } else {
                failed = List.copyOf(unsent);
                unsent.clear();
                countDiscarded(failed, cause);
            }
        } finally {
            lock.unlock();
        }
        if (cause != null) {
            failed.forEach(outbound -> outbound.fail(cause));
        }
    }

    /** Forgets a message that was polled, because it cannot be encoded. A shared one counts as dropped; the caller must fail others. */
    void forget(OutboundMessage unsendable) {
        OutboundElements encoding = elements;
        lock.lock();
        try {
            messages.forget(unsendable);
            if (unsendable.isShared()) {
                messages.countDiscarded(1);
                context.metrics().increment(Counter.MESSAGES_DROPPED);
            }
            if (encoding != null) {
                encoding.restart();
            }
        } finally {
            lock.unlock();
        }
        if (encoding != null) {
            encoding.schedule();
        }
    }

    /**
     * Called when the receiver has that many messages of the channel. Has no effect if the messenger was aborted: its messages have failed,
     * but the link may not have ended the channel yet.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION} if it cannot have that many
     */
    public void onAcknowledged(long received) {
        List<OutboundMessage> done;
        lock.lock();
        try {
            if (closing && messages.isEmpty()) {
                return;
            }
            done = messages.acknowledge(received);
        } finally {
            lock.unlock();
        }
        done.forEach(OutboundMessage::acknowledge);
        completeIfIdle();
    }

    /**
     * Completes the futures of {@link #whenWritable} if there is room. Called after the polled messages are written or restored,
     * because the callbacks may do anything, including closing the messenger.
     */
    public void notifyWritable() {
        if (handingOver) {
            lock.lock();
            try {
                handingOver = false;
                handOverFailure = null;
            } finally {
                lock.unlock();
            }
        }
        notifyWaiters();
    }

    private void notifyWaiters() {
        waiters.completeIfWritable();
        completeIfIdle();
    }

    /** Called when a message was removed because its elements cannot be encoded. */
    void onRemoved() {
        lock.lock();
        try {
            waiters.wakeThreads();
        } finally {
            lock.unlock();
        }
        notifyWaiters();
    }

    /**
     * Removes and returns the messages that wait, and wakes the threads that wait for room. The caller must hold the lock.
     *
     * @param cause why they fail. If the receiver has closed the service, it does not want them, and they do not count as dropped
     */
    List<OutboundMessage> removeWaiting(ParleyException cause) {
        List<OutboundMessage> removed = messages.removeWaiting();
        OutboundElements encoding = elements;
        if (encoding != null) {
            encoding.reset(); // the same channel may continue without the removed messages
        }
        if (handingOver) {
            handOverFailure = cause;
        }
        countDiscarded(removed, cause);
        waiters.wakeThreads();
        return removed;
    }

    /** The caller must hold the lock. */
    private void countDiscarded(List<OutboundMessage> removed, ParleyException cause) {
        boolean wanted = cause.code() != ErrorCode.DISCONNECTED && cause.code() != ErrorCode.NO_SUCH_SERVICE;
        int discarded = wanted
                ? (int) removed.stream().filter(OutboundMessage::isShared).count() // others fail and are not counted
                : 0;
        messages.countDiscarded(discarded);
        context.metrics().add(Counter.MESSAGES_DROPPED, discarded);
    }

    /** Removes and returns the futures of {@link #whenWritable} if there is room. The caller must hold the lock. */
    List<CompletableFuture<Void>> removeWritableWaiters() {
        return waiters.removeIfWritable();
    }

    /** Returns whether messages are queued or unacknowledged. */
    public boolean hasPending() {
        lock.lock();
        try {
            return !messages.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    public boolean hasUnacknowledged() {
        lock.lock();
        try {
            return messages.hasUnacknowledged();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the messenger is closing and has no more messages, also none on their way to the network. */
    public boolean isDone() {
        if (!closing) {
            return false;
        }
        lock.lock();
        try {
            return isIdle();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether no message was sent since the last call. */
    boolean checkIdle() {
        lock.lock();
        try {
            boolean idle = !usedSinceCheck && messages.isEmpty();
            usedSinceCheck = false;
            return idle;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the names of the encoding schemes for an OPEN frame. */
    List<String> offeredSchemes(boolean acknowledged) {
        OutboundElements encoding = elements;
        return encoding == null ? List.of() : encoding.offered(acknowledged);
    }

    /**
     * Called when the channel is open, after {@link OutboundSequence#onOpened}. Selects the schemes that the receiver has accepted.
     *
     * @return the reason why messages must not be sent to the receiver, or null
     */
    @Nullable
    public ParleyException selectSchemes(PeerId receiver, Opened opened, boolean acknowledged) {
        OutboundElements encoding = elements;
        return encoding == null ? null : encoding.onOpened(receiver, opened, acknowledged);
    }

    /** Returns whether a message that was encoded may not be taken out without a consequence for those behind it. */
    boolean encodesInOrder() {
        OutboundElements encoding = elements;
        return encoding != null && encoding.isInOrder();
    }
}
