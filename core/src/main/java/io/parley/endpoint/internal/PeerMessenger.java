package io.parley.endpoint.internal;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.Scheduler;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.frame.Open;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of messages to one service of one peer. Callers add messages on any thread; the link to which the
 * messenger is bound sends them. A messenger is bound to one link at a time, so messages do not overtake each other when
 * links change.
 *
 * <p>A message that was sent is kept until the remote endpoint acknowledges it. On the next link the receiver states how many
 * messages of the channel it has, and the others are sent again: each message arrives once and in order. If the receiver no
 * longer knows the channel, it is unknown whether they have arrived, and they fail. Thread-safe.
 */
final class PeerMessenger implements Messenger {

    /** Sends the messages of messengers: a link, or the association, which passes them to the next link. */
    interface Carrier {

        /** Handles a messenger that has queued a message, needs an open channel, or is closing. Thread-safe. */
        void wake(PeerMessenger messenger);
    }

    /**
     * The number of links in a row that were lost without any acknowledgement while messages were unacknowledged, from which on a
     * messenger pauses, and gives the messages up after the reconnect timeout. A message that makes the remote peer close each
     * connection is not sent forever, nor at full speed.
     */
    private static final int MANY_LINKS_WITHOUT_PROGRESS = 8;

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Carries a messenger that pauses. */
    private static final Carrier PAUSED = messenger -> {};

    /** The time that a close may take after the close timeout, at which the queued messages fail. */
    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(1);

    private final PeerId peer;
    private final ServiceAddress service;
    private final List<String> codecs;
    private final EndpointContext context;
    private final Carrier association;
    private final Consumer<PeerMessenger> onFinished;
    private final long capacity;
    private final long maxUnacknowledgedBytes;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AtomicReference<@Nullable Carrier> boundTo = new AtomicReference<>();
    private final AtomicBoolean wakeScheduled = new AtomicBoolean();
    private volatile @Nullable MessageEncoder encoder;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Deque<OutboundMessage> queue = new ArrayDeque<>();

    /** Written with the lock. */
    private volatile long queuedBytes;

    /** The messages that were sent and not acknowledged, in order. */
    private final Deque<OutboundMessage> unacknowledged = new ArrayDeque<>();

    private long unacknowledgedBytes;

    /** The number of the channel at the receiver. A channel whose messages were given up is continued under a new number. */
    private long channel;

    /** The number of acknowledged messages of the channel. */
    private long acknowledged;

    private boolean sentOnThisLink;
    private int linksWithoutProgress;

    /** The time at which the first of the links without progress was lost. */
    private long withoutProgressSince;

    /** Written with the lock. */
    private volatile boolean closing;

    private boolean resolved;
    private boolean usedSinceCheck = true;
    private final List<CompletableFuture<Void>> resolveWaiters = new ArrayList<>();
    private final List<CompletableFuture<Void>> writableWaiters = new ArrayList<>();
    private volatile boolean hasWritableWaiters;

    /**
     * Creates a messenger.
     *
     * @param codecs      the names of the codecs in order of preference; empty for the codec of the connection
     * @param association the carrier of an unbound messenger
     * @param onFinished  called once when the messenger is closed
     */
    PeerMessenger(
            PeerId peer,
            ServiceAddress service,
            List<String> codecs,
            EndpointContext context,
            Carrier association,
            Consumer<PeerMessenger> onFinished) {
        this.peer = peer;
        this.service = service;
        this.codecs = codecs;
        this.context = context;
        this.association = association;
        this.onFinished = onFinished;
        this.capacity = context.limits().queueBytes();
        this.maxUnacknowledgedBytes = context.limits().windowBytes();
        this.channel = context.newChannelNumber();
    }

    @Override
    public PeerId peer() {
        return peer;
    }

    @Override
    public ServiceAddress service() {
        return service;
    }

    @Override
    public Optional<String> codec() {
        MessageEncoder current = encoder;
        return current == null ? Optional.empty() : Optional.of(current.codecName());
    }

    @Override
    public CompletableFuture<Void> resolve() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        lock.lock();
        try {
            if (closing) {
                result.completeExceptionally(closedException());
                return result;
            }
            if (resolved) {
                result.complete(null);
                return result;
            }
            resolveWaiters.add(result);
        } finally {
            lock.unlock();
        }
        wakeCarrier();
        return result;
    }

    @Override
    public CompletableFuture<Void> send(Message message) {
        OutboundMessage outbound = prepare(message);
        ParleyException refusal = null;
        lock.lock();
        try {
            if (closing) {
                refusal = closedException();
            } else if (!hasRoom()) {
                refusal = ErrorCode.QUEUE_FULL.exception(
                        this + ": " + queuedBytes + " bytes are queued (queueBytes: " + capacity + ")");
            } else {
                enqueue(outbound);
            }
        } finally {
            lock.unlock();
        }
        return sendOrFail(outbound, refusal);
    }

    @Override
    public void send(Message message, Duration timeout) throws InterruptedException {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            throw new IllegalStateException(
                    this + ": must not block on an event loop; use send(message) and whenWritable()");
        }
        OutboundMessage outbound = prepare(message);
        long remaining = enqueueWhenWritable(outbound, timeout);
        try {
            outbound.sent().get(remaining, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw Throwables.toParleyException(e, ErrorCode.LOST);
        } catch (TimeoutException e) {
            throw dequeue(outbound)
                    ? ErrorCode.TIMEOUT.exception(this + ": message not sent within " + timeout)
                    : ErrorCode.LOST.exception(
                            this + ": message not acknowledged within " + timeout + "; it may still arrive");
        } catch (InterruptedException e) {
            dequeue(outbound);
            throw e;
        }
    }

    /** Waits for room and queues the message. Returns the rest of the timeout, in nanoseconds. */
    private long enqueueWhenWritable(OutboundMessage outbound, Duration timeout) throws InterruptedException {
        long remaining = TimeUnit.NANOSECONDS.convert(timeout);
        ParleyException refusal = null;
        try {
            lock.lockInterruptibly();
            try {
                while (!closing && !hasRoom() && remaining > 0) {
                    remaining = room.awaitNanos(remaining);
                }
                if (closing) {
                    refusal = closedException();
                } else if (!hasRoom()) {
                    refusal = ErrorCode.TIMEOUT.exception(this + ": no room in the queue within " + timeout);
                } else {
                    enqueue(outbound);
                }
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            outbound.fail(ErrorCode.CLOSED.exception(this + ": interrupted before the message was queued", e));
            throw e;
        }
        sendOrFail(outbound, refusal);
        return Math.max(0, remaining);
    }

    /** Removes a message from the queue. Returns false if it was sent. */
    private boolean dequeue(OutboundMessage outbound) {
        lock.lock();
        try {
            if (!queue.remove(outbound)) {
                return false;
            }
            addQueuedBytes(-outbound.size());
            room.signalAll();
        } finally {
            lock.unlock();
        }
        outbound.fail(ErrorCode.CLOSED.exception(this + ": message removed from the queue"));
        notifyWritable();
        Carrier carrier = boundTo.get();
        if (carrier != null) {
            carrier.wake(this); // to end the channel of a closing messenger
        } else {
            finishIfDone();
        }
        return true;
    }

    /** Encodes on the thread of the caller if possible, which leaves less work for the event loop. */
    private OutboundMessage prepare(Message message) {
        OutboundMessage outbound = new OutboundMessage(message);
        MessageEncoder current = encoder;
        if (current != null && current.isStateless() && !outbound.sent().isDone()) {
            try {
                outbound.encodeEarly(current);
            } catch (ParleyException e) {
                outbound.fail(e);
            }
        }
        return outbound;
    }

    /**
     * Returns whether the queue is not full. Such a queue accepts a message of any size, as {@link #isWritable} promises.
     */
    private boolean hasRoom() {
        return queuedBytes < capacity;
    }

    /** The caller must hold the lock. */
    private void addQueuedBytes(long bytes) {
        long sum = queuedBytes + bytes;
        queuedBytes = sum;
    }

    private void enqueue(OutboundMessage outbound) {
        if (!outbound.sent().isDone()) {
            queue.add(outbound);
            addQueuedBytes(outbound.size());
            usedSinceCheck = true;
        }
    }

    private CompletableFuture<Void> sendOrFail(OutboundMessage outbound, @Nullable ParleyException refusal) {
        if (refusal != null) {
            outbound.fail(refusal);
        } else if (!outbound.sent().isDone()) {
            wakeCarrier();
        }
        return outbound.sent();
    }

    @Override
    public boolean isWritable() {
        return !closing && hasRoom();
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        lock.lock();
        try {
            if (!closing && !hasRoom()) {
                writableWaiters.add(result);
                hasWritableWaiters = true;
                return result;
            }
        } finally {
            lock.unlock();
        }
        if (isClosing()) {
            result.completeExceptionally(closedException());
        } else {
            result.complete(null);
        }
        return result;
    }

    private ParleyException closedException() {
        return ErrorCode.CLOSED.exception(this + " is closed");
    }

    // The following methods are for the link and the association.

    /** Wakes the link to which the messenger is bound, or else the association. */
    void wakeCarrier() {
        Carrier carrier = boundTo.get();
        (carrier != null ? carrier : association).wake(this);
    }

    List<String> codecs() {
        return codecs;
    }

    /** Sets the encoder of the open channel. It is reset when the messenger is unbound. */
    void setEncoder(MessageEncoder value) {
        encoder = value;
    }

    boolean isBoundTo(Carrier carrier) {
        return boundTo.get() == carrier;
    }

    /** Binds the messenger to a link. Returns false if it is bound already. */
    boolean bind(Carrier carrier) {
        return boundTo.compareAndSet(null, carrier);
    }

    private void unbind() {
        encoder = null;
        boundTo.set(null);
    }

    /** Returns whether the caller must schedule a wake-up. Returns false if one is scheduled already. */
    boolean tryScheduleWake() {
        return wakeScheduled.compareAndSet(false, true);
    }

    /** Called when the scheduled wake-up runs. Messages that are queued from now on need another one. */
    void onWake() {
        wakeScheduled.set(false);
    }

    /** Returns whether a message can be sent now. A receiver that acknowledges nothing must not make this peer keep everything. */
    boolean isSendable() {
        lock.lock();
        try {
            return !queue.isEmpty() && unacknowledgedBytes < maxUnacknowledgedBytes;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether messages are queued or unacknowledged. */
    boolean hasPending() {
        lock.lock();
        try {
            return isPending();
        } finally {
            lock.unlock();
        }
    }

    private boolean isPending() {
        return !queue.isEmpty() || !unacknowledged.isEmpty();
    }

    boolean hasUnacknowledged() {
        lock.lock();
        try {
            return !unacknowledged.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    boolean needsChannel() {
        lock.lock();
        try {
            return isPending() || !resolveWaiters.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the messenger is closing and has no more messages. */
    boolean isDone() {
        if (!closing) {
            return false;
        }
        lock.lock();
        try {
            return !isPending();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves the next messages to {@code target}: at least one if there is one, and no more after about {@code bytes} bytes. The
     * caller must return those that it does not send ({@link #restore}), and call {@link #notifyWritable} after the others are
     * written.
     *
     * @param kept whether to keep the messages until they are acknowledged
     */
    void poll(Queue<OutboundMessage> target, long bytes, boolean kept) {
        lock.lock();
        try {
            long polled = 0;
            while (polled < bytes && unacknowledgedBytes < maxUnacknowledgedBytes) {
                OutboundMessage next = queue.poll();
                if (next == null) {
                    break;
                }
                polled += next.size();
                target.add(next);
                if (kept) {
                    sentOnThisLink = true;
                    unacknowledged.add(next);
                    unacknowledgedBytes += next.size();
                }
            }
            addQueuedBytes(-polled);
            if (queuedBytes <= capacity / 2) {
                room.signalAll(); // not for each message, which would wake a waiting thread once per message
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the last messages that were polled and not sent, which this call removes from {@code unsent}. */
    void restore(Deque<OutboundMessage> unsent, boolean kept) {
        lock.lock();
        try {
            for (OutboundMessage last = unsent.pollLast(); last != null; last = unsent.pollLast()) {
                if (kept && !unacknowledged.removeLastOccurrence(last)) {
                    continue; // failed meanwhile
                }
                if (kept) {
                    unacknowledgedBytes -= last.size();
                }
                queue.addFirst(last);
                addQueuedBytes(last.size());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a message that was polled, because it cannot be encoded. */
    void forget(OutboundMessage unsendable) {
        lock.lock();
        try {
            if (unacknowledged.removeLastOccurrence(unsendable)) {
                unacknowledgedBytes -= unsendable.size();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the OPEN frame for a link to a peer that acknowledges messages. */
    Open newOpen(String codec) {
        lock.lock();
        try {
            return new Open(service, codec, OptionalLong.of(channel), acknowledged);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the OPEN frame for a link to a peer that does not acknowledge messages. Fails unacknowledged messages. */
    Open newOpenWithoutAcknowledgement(String codec) {
        giveUpUnacknowledged("the peer has returned with a version that does not resume channels", null);
        return Open.unacknowledged(service, codec);
    }

    /**
     * Called when the channel is open at the receiver. Messages that the receiver does not have are queued again; the caller
     * must send them.
     *
     * @param received the number of messages that the receiver has; empty if it does not know the channel
     * @return the number of messages that will be sent again
     */
    int onOpened(OptionalLong received) {
        received.ifPresent(this::onAcknowledged);
        List<OutboundMessage> lost = List.of();
        int again;
        lock.lock();
        try {
            if (received.isEmpty()) { // the receiver continues with the number and the count of the OPEN frame
                lost = List.copyOf(unacknowledged);
                unacknowledged.clear();
            }
            again = unacknowledged.size();
            for (OutboundMessage next = unacknowledged.pollLast(); next != null; next = unacknowledged.pollLast()) {
                queue.addFirst(next);
                addQueuedBytes(next.size());
            }
            unacknowledgedBytes = 0;
        } finally {
            lock.unlock();
        }
        failLost(lost, "the peer does not know the channel any more", null);
        return again;
    }

    /**
     * Called when the receiver has that many messages of the channel.
     *
     * @throws io.parley.error.PeerFaultException {@link ErrorCode#PROTOCOL_VIOLATION} if it cannot have that many
     */
    void onAcknowledged(long received) {
        List<OutboundMessage> done = new ArrayList<>();
        lock.lock();
        try {
            long count = received - acknowledged;
            if (count < 0 || count > unacknowledged.size()) {
                throw ErrorCode.PROTOCOL_VIOLATION.exception("acknowledged messages of " + this + ": " + received
                        + " (expected: " + acknowledged + " to " + (acknowledged + unacknowledged.size()) + ")");
            }
            for (long i = 0; i < count; i++) {
                OutboundMessage next = unacknowledged.remove();
                unacknowledgedBytes -= next.size();
                done.add(next);
            }
            acknowledged = received;
            if (count > 0) {
                linksWithoutProgress = 0;
            }
        } finally {
            lock.unlock();
        }
        done.forEach(OutboundMessage::acknowledge);
    }

    /** Fails the messages of which this peer cannot learn whether they have arrived. */
    private void giveUpUnacknowledged(String reason, @Nullable Throwable cause) {
        List<OutboundMessage> lost;
        lock.lock();
        try {
            lost = removeUnacknowledged();
        } finally {
            lock.unlock();
        }
        failLost(lost, reason, cause);
    }

    /** The caller must hold the lock. The receiver may have any of these messages, so the channel gets a new number. */
    private List<OutboundMessage> removeUnacknowledged() {
        if (unacknowledged.isEmpty()) {
            return List.of();
        }
        List<OutboundMessage> removed = List.copyOf(unacknowledged);
        unacknowledged.clear();
        unacknowledgedBytes = 0;
        linksWithoutProgress = 0;
        acknowledged = 0;
        channel = context.newChannelNumber();
        return removed;
    }

    private void failLost(List<OutboundMessage> lost, String reason, @Nullable Throwable cause) {
        if (!lost.isEmpty()) {
            String detail = cause == null ? reason : reason + ": " + cause.getMessage();
            ParleyException failure = ErrorCode.LOST.exception(
                    this + ": message not acknowledged; it may have arrived: " + detail, cause);
            lost.forEach(outbound -> outbound.fail(failure));
        }
    }

    /**
     * Completes the futures of {@link #whenWritable} if there is room. Called after the message is written, because the
     * callbacks may do anything, including closing the messenger.
     */
    void notifyWritable() {
        if (!hasWritableWaiters) {
            return;
        }
        List<CompletableFuture<Void>> writable;
        lock.lock();
        try {
            writable = removeWritableWaiters();
        } finally {
            lock.unlock();
        }
        writable.forEach(waiter -> waiter.complete(null));
    }

    /** The caller must hold the lock. */
    private List<CompletableFuture<Void>> removeWritableWaiters() {
        if (queuedBytes > capacity / 2 || writableWaiters.isEmpty()) {
            return List.of();
        }
        List<CompletableFuture<Void>> removed = List.copyOf(writableWaiters);
        writableWaiters.clear();
        hasWritableWaiters = false;
        return removed;
    }

    /** Called when the remote peer has confirmed the service. */
    void onResolved() {
        List<CompletableFuture<Void>> waiters;
        lock.lock();
        try {
            resolved = true;
            waiters = List.copyOf(resolveWaiters);
            resolveWaiters.clear();
        } finally {
            lock.unlock();
        }
        waiters.forEach(waiter -> waiter.complete(null));
    }

    /**
     * Called when the link is closed. Queued and unacknowledged messages wait for the next link.
     *
     * @param refusal the reason why the remote peer has dropped the link, because it may refuse the unacknowledged messages
     *     again; {@code null} if it has not
     */
    void onLinkLost(@Nullable ParleyException refusal) {
        int without;
        boolean expired;
        lock.lock();
        try {
            resolved = false;
            without = sentOnThisLink && !unacknowledged.isEmpty() ? countLinkWithoutProgress() : 0;
            expired = context.scheduler().nanoTime() - withoutProgressSince
                    >= context.limits().reconnectTimeout().toNanos();
            sentOnThisLink = false;
        } finally {
            lock.unlock();
        }
        boolean stalled = without >= MANY_LINKS_WITHOUT_PROGRESS;
        if (stalled && !expired && refusal == null) {
            pause();
            return;
        }
        unbind();
        if (refusal != null) {
            giveUpUnacknowledged("the peer has dropped the connection", refusal);
        } else if (stalled) {
            giveUpUnacknowledged(without + " connections in a row were lost without an acknowledgement", null);
        }
        if (needsChannel()) {
            association.wake(this);
        } else {
            finishIfDone();
        }
    }

    /** The caller must hold the lock. */
    private int countLinkWithoutProgress() {
        if (linksWithoutProgress == 0) {
            withoutProgressSince = context.scheduler().nanoTime();
        }
        return ++linksWithoutProgress;
    }

    /** Uses no link for a while. */
    private void pause() {
        encoder = null;
        boundTo.set(PAUSED);
        context.schedule(PAUSE, context.executor(), () -> {
            if (boundTo.compareAndSet(PAUSED, null)) {
                wakeCarrier();
            }
        });
    }

    /** Called when the receiver refuses the channel. */
    void onRefused(OptionalLong received, ParleyException cause) {
        if (received.isPresent()) {
            onAcknowledged(received.getAsLong());
            onOpened(received); // it has no others, so they fail with this cause
        }
        fail(cause);
    }

    /** Fails all queued and unacknowledged messages and the waiters of {@link #resolve}. */
    void fail(ParleyException cause) {
        List<OutboundMessage> lost;
        List<OutboundMessage> failed;
        List<CompletableFuture<Void>> unresolved;
        List<CompletableFuture<Void>> writable;
        lock.lock();
        try {
            resolved = false;
            lost = removeUnacknowledged();
            failed = List.copyOf(queue);
            queue.clear();
            queuedBytes = 0;
            unresolved = List.copyOf(resolveWaiters);
            resolveWaiters.clear();
            room.signalAll();
            writable = removeWritableWaiters();
        } finally {
            lock.unlock();
        }
        unbind();
        failLost(lost, "the messenger gave up", cause);
        failed.forEach(outbound -> outbound.fail(cause));
        unresolved.forEach(waiter -> waiter.completeExceptionally(cause));
        writable.forEach(waiter -> waiter.complete(null));
        finishIfDone();
    }

    /** Returns whether no message was sent since the last call. */
    boolean checkIdle() {
        lock.lock();
        try {
            boolean idle = !usedSinceCheck && !isPending();
            usedSinceCheck = false;
            return idle;
        } finally {
            lock.unlock();
        }
    }

    void finishIfDone() {
        if (isDone()) {
            finish();
        }
    }

    /** Completes the close, after all messages are sent and the channel has ended. */
    void finish() {
        unbind();
        if (closed.complete(null)) {
            onFinished.accept(this);
        }
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        lock.lock();
        try {
            if (closing) {
                return closed.copy();
            }
            closing = true;
            waiters.addAll(resolveWaiters);
            resolveWaiters.clear();
            waiters.addAll(writableWaiters);
            writableWaiters.clear();
            room.signalAll();
        } finally {
            lock.unlock();
        }
        waiters.forEach(waiter -> waiter.completeExceptionally(closedException()));
        if (boundTo.get() == null) {
            finishIfDone();
        }
        if (!closed.isDone()) {
            Scheduler.Timer timer =
                    context.schedule(context.limits().closeTimeout(), context.executor(), this::onCloseTimeout);
            closed.whenComplete((done, failure) -> timer.cancel());
            wakeCarrier();
        }
        return closed.copy();
    }

    @Override
    public void abort() {
        closeAsync();
        drop(closedException());
    }

    private void onCloseTimeout() {
        drop(ErrorCode.CLOSED.exception(this + ": closed, and the peer did not accept the queued messages within "
                + context.limits().closeTimeout()));
    }

    private void drop(ParleyException cause) {
        Carrier carrier = boundTo.get();
        fail(cause);
        if (carrier != null) {
            carrier.wake(this); // to end the channel
        }
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing;
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, context.limits().closeTimeout().plus(RELEASE_TIMEOUT));
    }

    @Override
    public String toString() {
        return "messenger to " + service + " of peer " + peer.shortText();
    }
}
