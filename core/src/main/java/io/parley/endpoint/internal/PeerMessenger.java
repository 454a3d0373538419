package io.parley.endpoint.internal;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.Scheduler;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.Throwables;
import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.SharedMessage;
import io.parley.endpoint.internal.frame.Open;
import io.parley.endpoint.internal.frame.Opened;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
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
import java.util.function.Supplier;
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

    /** The association with the peer of a messenger. */
    interface Owner extends Carrier {

        PeerId peer();

        /**
         * Adds the messenger to the association with a peer, which is this one or another.
         *
         * @throws ParleyException {@link ErrorCode#CLOSED} if the endpoint is closing
         */
        Owner addTo(PeerId next, PeerMessenger messenger);

        /** Wakes the active link for a messenger without messages whose channel must be opened again, if there is one. */
        void resume(PeerMessenger messenger);

        /** Removes the messenger, if it is there. */
        void remove(PeerMessenger messenger);
    }

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Carries a messenger that pauses. */
    private static final Carrier PAUSED = messenger -> {};

    /** The time that a close may take after the close timeout, at which the queued messages fail. */
    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(1);

    private final ServiceAddress service;
    private final List<String> codecs;
    private final EndpointContext context;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AtomicReference<@Nullable Carrier> boundTo = new AtomicReference<>();
    private final AtomicBoolean wakeScheduled = new AtomicBoolean();
    private volatile @Nullable MessageEncoder encoder;

    /** Written with the lock. */
    private volatile Owner association;

    private volatile @Nullable MessengerFailover failover;
    private volatile Consumer<ParleyException> failureListener = cause -> {};

    /** Encodes the elements; null if they are sent as they are. */
    private volatile @Nullable OutboundElements elements;

    private volatile boolean secure;

    /** The protection of the channel; null if it was not opened yet. Guarded by the lock. */
    private @Nullable ChannelProtection protection;

    /** The number of links in a row that were lost before the channel was open in their tunnel. Guarded by the lock. */
    private int failedTunnels;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final OutboundQueue queue;

    /** Written with the lock. */
    private volatile boolean closing;

    private boolean resolved;

    /** Whether the receiver knows the channel and may wait for its messages or its end. Written with the lock. */
    private volatile boolean resumable;

    private boolean usedSinceCheck = true;
    private final List<CompletableFuture<Void>> resolveWaiters = new ArrayList<>();
    private final List<CompletableFuture<Void>> writableWaiters = new ArrayList<>();
    private volatile boolean hasWritableWaiters;

    /**
     * Creates a messenger.
     *
     * @param codecs      the names of the codecs in order of preference; empty for the codec of the connection
     * @param association the carrier of an unbound messenger
     */
    PeerMessenger(
            ServiceAddress service,
            List<String> codecs,
            Delivery delivery,
            EndpointContext context,
            Owner association) {
        this.service = service;
        this.codecs = codecs;
        this.context = context;
        this.association = association;
        this.queue = new OutboundQueue(context, delivery);
    }

    @Override
    public PeerId peer() {
        return association.peer();
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
        return offer(prepare(message));
    }

    /** Queues a message if there is room, or if a full queue drops another one for it. */
    private CompletableFuture<Void> offer(OutboundMessage outbound) {
        List<OutboundMessage> dropped = List.of();
        ParleyException refusal = null;
        lock.lock();
        try {
            if (closing) {
                refusal = closedException();
            } else {
                dropped = queue.makeRoom();
                if (queue.hasRoom()) {
                    enqueue(outbound);
                } else {
                    refusal = ErrorCode.QUEUE_FULL.exception(this + ": " + queue.describeFull());
                }
            }
        } finally {
            lock.unlock();
        }
        onDropped(dropped, refusal);
        return sendOrFail(outbound, refusal);
    }

    @Override
    public boolean offer(SharedMessage message) {
        if (elements != null) {
            throw new IllegalStateException(
                    this + ": encodes elements (expected: a messenger that does not, because a shared message"
                            + " is the same for all receivers)");
        }
        OutboundMessage outbound = new OutboundMessage((OnceEncodedMessage) message);
        MessageEncoder current = encoder;
        if (current != null) {
            outbound.encodeEarly(current);
        }
        List<OutboundMessage> dropped;
        lock.lock();
        try {
            if (closing) {
                throw closedException();
            }
            dropped = queue.makeRoom();
            if (!queue.hasRoom()) {
                return false;
            }
            enqueue(outbound);
        } finally {
            lock.unlock();
        }
        onDropped(dropped, null);
        wakeCarrier();
        return true;
    }

    /** Counts and fails the messages that a full queue has dropped for a new one, or the new one. */
    private void onDropped(List<OutboundMessage> dropped, @Nullable ParleyException refusal) {
        if (!dropped.isEmpty()) {
            failDropped(
                    dropped,
                    () -> ErrorCode.QUEUE_FULL.exception(
                            this + ": message dropped for a newer one: " + queue.describeFull()));
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

    @Override
    public long droppedMessages() {
        return queue.dropped();
    }

    /** Returns whether messages are dropped instead of kept, see {@link Delivery}. */
    boolean isBestEffort() {
        return queue.isBestEffort();
    }

    @Override
    public void send(Message message, Duration timeout) throws InterruptedException {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            throw new IllegalStateException(
                    this + ": must not block on an event loop; use send(message) and whenWritable()");
        }
        OutboundMessage outbound = prepare(message);
        long remaining = TimeUnit.NANOSECONDS.convert(timeout);
        if (isBestEffort()) {
            offer(outbound); // drops a message instead of waiting for room
        } else {
            remaining = enqueueWhenWritable(outbound, timeout);
        }
        try {
            outbound.sent().get(remaining, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw Throwables.toParleyException(e, ErrorCode.LOST);
        } catch (TimeoutException e) {
            throw outbound.sent().cancel(false)
                    ? ErrorCode.TIMEOUT.exception(this + ": message not sent within " + timeout)
                    : ErrorCode.LOST.exception(
                            this + ": message not acknowledged within " + timeout + "; it may still arrive");
        } catch (InterruptedException e) {
            outbound.sent().cancel(false);
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
                while (!closing && !queue.hasRoom() && remaining > 0) {
                    remaining = room.awaitNanos(remaining);
                }
                if (closing) {
                    refusal = closedException();
                } else if (!queue.hasRoom()) {
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
        OutboundElements encoding = elements;
        lock.lock();
        try {
            boolean encoded = outbound.isReady();
            if (!queue.remove(outbound)) {
                return false;
            }
            if (encoding != null && encoded) {
                encoding.restart();
            }
            room.signalAll();
        } finally {
            lock.unlock();
        }
        if (encoding != null) {
            encoding.schedule();
        }
        notifyWritable();
        endOrFinish();
        return true;
    }

    /** Continues the close of a closing messenger after a message was removed. */
    private void endOrFinish() {
        Carrier carrier = boundTo.get();
        if (carrier != null) {
            carrier.wake(this); // to end the channel
        } else {
            finishIfDone();
        }
    }

    /**
     * Encodes on the thread of the caller if possible, which leaves less work for the event loop. A caller on an event loop
     * leaves it to the link, which may encode into the buffer of the connection.
     */
    private OutboundMessage prepare(Message message) {
        OutboundMessage outbound = new OutboundMessage(message, this::dequeue);
        MessageEncoder current = encoder;
        OutboundElements encoding = elements;
        if (encoding != null) {
            encoding.select(outbound);
        } else if (current != null
                && current.isStateless()
                && !(Thread.currentThread() instanceof FastThreadLocalThread)
                && !outbound.sent().isDone()) {
            try {
                outbound.encodeEarly(current);
            } catch (ParleyException e) {
                outbound.fail(e);
            }
        }
        return outbound;
    }

    private void enqueue(OutboundMessage outbound) {
        if (!outbound.sent().isDone()) {
            OutboundElements encoding = elements;
            if (encoding == null) {
                queue.add(outbound);
            } else {
                encoding.enqueue(outbound);
            }
            usedSinceCheck = true;
        }
    }

    private CompletableFuture<Void> sendOrFail(OutboundMessage outbound, @Nullable ParleyException refusal) {
        if (refusal != null) {
            outbound.fail(refusal);
        } else if (!outbound.sent().isDone()) {
            OutboundElements encoding = elements;
            if (encoding != null) {
                encoding.encode(outbound);
            }
            if (!outbound.sent().isDone()) {
                wakeCarrier();
            }
        }
        return outbound.sent();
    }

    @Override
    public boolean isWritable() {
        return !closing && queue.hasRoom();
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        lock.lock();
        try {
            if (!closing && !queue.hasRoom()) {
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

    /** Returns the encoder of the open channel if it may be used on any thread; otherwise null. */
    @Nullable
    MessageEncoder statelessEncoder() {
        MessageEncoder current = encoder;
        return current == null || !current.isStateless() ? null : current;
    }

    boolean isBoundTo(Carrier carrier) {
        return boundTo.get() == carrier;
    }

    /** Binds the messenger to a link with that peer. Returns false if it is bound already, or has another peer by now. */
    boolean bind(Carrier link, PeerId to) {
        lock.lock();
        try {
            return to.equals(peer()) && boundTo.compareAndSet(null, link);
        } finally {
            lock.unlock();
        }
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

    /** Returns whether a message can be sent now. */
    boolean isSendable() {
        return queue.isSendable();
    }

    /** Returns whether messages are queued or unacknowledged. */
    boolean hasPending() {
        lock.lock();
        try {
            return !queue.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    boolean hasUnacknowledged() {
        lock.lock();
        try {
            return queue.hasUnacknowledged();
        } finally {
            lock.unlock();
        }
    }

    boolean needsChannel() {
        lock.lock();
        try {
            return !queue.isEmpty() || !resolveWaiters.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether the receiver knows the channel. Such a messenger opens its channel on the next link also if it has no messages,
     * because the receiver would otherwise regard the channel as lost.
     */
    boolean isResumable() {
        return resumable;
    }

    /** Returns whether the messenger is closing and has no more messages. */
    boolean isDone() {
        if (!closing) {
            return false;
        }
        lock.lock();
        try {
            return queue.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves the next messages to {@code target}, see {@link OutboundQueue#poll}. The caller must return those that it does not
     * send ({@link #restore}), and call {@link #notifyWritable} after the others are written.
     */
    void poll(Queue<OutboundMessage> target, long bytes, boolean kept) {
        List<OutboundMessage> expired;
        lock.lock();
        try {
            expired = queue.poll(target, bytes, kept);
            if (queue.isHalfEmpty()) {
                room.signalAll();
            }
        } finally {
            lock.unlock();
        }
        if (!expired.isEmpty()) {
            failDropped(expired, () -> ErrorCode.TIMEOUT.exception(this + ": message dropped: older than timeToLive"));
        }
    }

    /** Returns the last messages that were polled and not sent, which this call removes from {@code unsent}. */
    void restore(Deque<OutboundMessage> unsent, boolean kept) {
        lock.lock();
        try {
            queue.restore(unsent, kept);
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a message that was polled, because it cannot be encoded. */
    void forget(OutboundMessage unsendable) {
        OutboundElements encoding = elements;
        lock.lock();
        try {
            queue.forget(unsendable);
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

    /** Returns the OPEN frame for a link to a peer that acknowledges messages. */
    Open newOpen(String codec, ChannelProtection linkProtection) {
        setProtection(linkProtection);
        lock.lock();
        try {
            return new Open(
                    service,
                    codec,
                    OptionalLong.of(queue.channel()),
                    queue.acknowledged(),
                    offeredSchemes(true),
                    secure);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the OPEN frame for a link to a peer that does not acknowledge messages. Fails unacknowledged messages. */
    Open newOpenWithoutAcknowledgement(String codec, ChannelProtection linkProtection) {
        giveUpUnacknowledged("the peer has returned with a version that does not resume channels", null);
        setProtection(linkProtection);
        return Open.unacknowledged(service, codec)
                .withSchemes(offeredSchemes(false))
                .withSecure(secure);
    }

    /** Ends the channel if it was opened with another protection, because it must not resume. Another one follows. */
    private void setProtection(ChannelProtection value) {
        List<OutboundMessage> lost = List.of();
        lock.lock();
        try {
            if (protection != null && protection != value) {
                if (isResending()) {
                    queue.requeueUnacknowledged();
                }
                lost = queue.skipUnacknowledged();
                queue.startNewChannel();
            }
            protection = value;
        } finally {
            lock.unlock();
        }
        failLost(lost, "the channel does not resume on a connection that protects it in another way", null);
    }

    private List<String> offeredSchemes(boolean acknowledged) {
        OutboundElements encoding = elements;
        return encoding == null ? List.of() : encoding.offered(acknowledged);
    }

    /**
     * Called when the channel is open, after {@link #onOpened}. Selects the schemes that the receiver has accepted.
     *
     * @return the reason why messages must not be sent to the receiver, or null
     */
    @Nullable
    ParleyException selectSchemes(PeerId receiver, Opened opened, boolean acknowledged) {
        OutboundElements encoding = elements;
        return encoding == null ? null : encoding.onOpened(receiver, opened, acknowledged);
    }

    /** Returns whether a message that was encoded may not be taken out without a consequence for those behind it. */
    boolean encodesInOrder() {
        OutboundElements encoding = elements;
        return encoding != null && encoding.isInOrder();
    }

    /** Called when a message was removed because its elements cannot be encoded. */
    void onRemoved() {
        lock.lock();
        try {
            room.signalAll();
        } finally {
            lock.unlock();
        }
        notifyWritable();
        endOrFinish();
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
            if (received.isEmpty() && !isResending()) { // it continues with the number and the count of the OPEN frame
                lost = queue.skipUnacknowledged();
            }
            again = queue.requeueUnacknowledged();
            resumable = true;
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
        List<OutboundMessage> done;
        lock.lock();
        try {
            done = queue.acknowledge(received);
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
            lost = queue.removeUnacknowledged();
        } finally {
            lock.unlock();
        }
        failLost(lost, reason, cause);
    }

    private void failLost(List<OutboundMessage> lost, String reason, @Nullable Throwable cause) {
        if (!lost.isEmpty()) {
            String detail = cause == null ? reason : reason + ": " + cause.getMessage();
            ParleyException failure = ErrorCode.LOST.exception(
                    this + ": message not acknowledged; it may have arrived: " + detail, cause);
            lost.forEach(outbound -> outbound.fail(failure));
            if (!closing) {
                failureListener.accept(failure);
            }
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
        if (!queue.isHalfEmpty() || writableWaiters.isEmpty()) {
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
            failedTunnels = 0;
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
     * @param cause why the link was closed; {@code null} if that was in order
     */
    void onLinkLost(@Nullable ParleyException refusal, @Nullable Throwable cause) {
        int without;
        boolean overdue;
        lock.lock();
        try {
            resolved = false;
            without = queue.countLostLink();
            overdue = queue.isProgressOverdue();
        } finally {
            lock.unlock();
        }
        boolean stalled = without >= OutboundQueue.MANY_LINKS_WITHOUT_PROGRESS;
        if (stalled && !overdue && refusal == null) {
            pause();
            return;
        }
        unbind();
        if (refusal != null) {
            giveUpUnacknowledged("the peer has dropped the connection", refusal);
        } else if (stalled) {
            giveUpUnacknowledged(without + " connections in a row were lost without an acknowledgement", cause);
        }
        if (needsChannel()) {
            association.wake(this);
        } else if (closing) {
            finishIfDone();
        } else if (resumable) {
            association.resume(this); // the next link may be active already
        }
    }

    /**
     * Called when the link is closed before the channel was open in its tunnel, so that no message was sent. Tries the next link, unless
     * another attempt would fail in the same way or this was the last one.
     *
     * @param reason why another attempt would fail; {@code null} if it may succeed
     * @param cause  why the link was closed; {@code null} if that was in order
     */
    void onTunnelFailed(@Nullable ParleyException reason, @Nullable Throwable cause) {
        boolean lastAttempt;
        lock.lock();
        try {
            failedTunnels++;
            lastAttempt = reason != null || failedTunnels >= OutboundQueue.MANY_LINKS_WITHOUT_PROGRESS;
            if (lastAttempt) {
                failedTunnels = 0;
            }
        } finally {
            lock.unlock();
        }
        if (!lastAttempt) {
            onLinkLost(null, cause);
        } else if (reason != null) {
            fail(reason);
        } else {
            fail(ErrorCode.UNREACHABLE.exception(
                    this + ": " + OutboundQueue.MANY_LINKS_WITHOUT_PROGRESS
                            + " connections in a row were lost before the secure channel was open"
                            + (cause == null ? "" : ": " + cause.getMessage()),
                    cause));
        }
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

    /**
     * Fails all queued and unacknowledged messages and the waiters of {@link #resolve}. With a failover, keeps the messages that
     * another peer may get.
     */
    void fail(ParleyException cause) {
        onPeerFailed(association, cause);
    }

    /** Fails the messages as {@link #fail} does, unless the messenger has another peer by now. */
    void onPeerFailed(Owner failed, ParleyException cause) {
        MessengerFailover present = failover;
        if (present != null && !closing && present.handles(cause)) {
            strand(present, failed, cause);
        } else {
            failAll(cause);
        }
    }

    /** Keeps the messages until there is another peer. */
    private void strand(MessengerFailover present, Owner failed, ParleyException cause) {
        List<OutboundMessage> lost;
        List<CompletableFuture<Void>> unresolved;
        lock.lock();
        try {
            if (association != failed) {
                return;
            }
            lost = leavePeer(present);
            unresolved = List.copyOf(resolveWaiters);
            resolveWaiters.clear();
            encoder = null;
            boundTo.set(present);
        } finally {
            lock.unlock();
        }
        failLost(lost, "the messenger gave up", cause);
        unresolved.forEach(waiter -> waiter.completeExceptionally(cause));
        present.wake(this);
    }

    /** Returns the messages that another peer must not get. The caller must hold the lock. */
    private List<OutboundMessage> leavePeer(MessengerFailover present) {
        resolved = false;
        resumable = false;
        protection = null;
        if (present.isResending()) {
            queue.requeueUnacknowledged();
        }
        List<OutboundMessage> lost = queue.removeUnacknowledged();
        queue.startNewChannel();
        return lost;
    }

    /** Returns whether the messenger has messages and no link. */
    boolean isStranded() {
        Carrier carrier = boundTo.get();
        return (carrier == null || carrier == failover) && needsChannel();
    }

    /** Called when the association has no link for this messenger. */
    void onUnlinked() {
        MessengerFailover present = failover;
        if (present != null) {
            present.onUnlinked();
        }
    }

    /** Fails the messages, because no other peer was found, unless the association with the present peer may still connect. */
    void onNoSuccessor(ParleyException cause) {
        if (boundTo.get() == failover) {
            failAll(cause);
        }
    }

    /**
     * Continues at a peer, which may be the present one. Does nothing if there is a link to the present peer.
     *
     * @return whether the peer is another one
     * @throws ParleyException {@link ErrorCode#CLOSED} if the endpoint is closing
     */
    boolean redirect(PeerId next, MessengerFailover present) {
        Owner from = association;
        Owner to = from.addTo(next, this);
        List<OutboundMessage> lost = List.of();
        boolean moved = false;
        lock.lock();
        try {
            Carrier carrier = boundTo.get();
            if (carrier == null || carrier == present) {
                moved = to != from;
                lost = moved ? leavePeer(present) : lost;
                association = to;
                boundTo.set(null);
            }
        } finally {
            lock.unlock();
        }
        if (to != from) {
            (moved ? from : to).remove(this);
        }
        if (closed.isDone()) { // meanwhile
            to.remove(this);
        }
        failLost(lost, "peer " + next.shortText() + " has taken over", null);
        return moved;
    }

    private void failAll(ParleyException cause) {
        List<OutboundMessage> lost;
        List<OutboundMessage> failed;
        List<CompletableFuture<Void>> unresolved;
        List<CompletableFuture<Void>> writable;
        lock.lock();
        try {
            resolved = false;
            resumable = false;
            lost = queue.removeUnacknowledged();
            failed = queue.removeWaiting();
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
        if (!closing) {
            failureListener.accept(cause);
        }
        finishIfDone();
    }

    @Override
    public void onFailed(Consumer<ParleyException> listener) {
        failureListener = listener;
    }

    /** Returns whether no message was sent since the last call. */
    boolean checkIdle() {
        lock.lock();
        try {
            boolean idle = !usedSinceCheck && queue.isEmpty();
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
        closed.complete(null);
        association.remove(this);
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
    public void onPeerLost(
            Supplier<CompletableFuture<PeerId>> successor, boolean resending, Consumer<PeerId> onRedirected) {
        failover = new MessengerFailover(this, context, successor, resending, onRedirected);
    }

    @Override
    public void requireSecureChannel() {
        secure = true;
    }

    @Override
    public boolean isSecure() {
        return secure;
    }

    @Override
    public void encodeElements(EncodingPolicy policy) {
        for (EncodingScheme scheme : policy.schemes()) {
            if (isBestEffort() && scheme.maxStateBytes() > 0) {
                throw new IllegalArgumentException("encoding scheme " + scheme.name()
                        + ": keeps state (expected: a scheme without state, because best-effort messages may be lost)");
            }
        }
        elements = new OutboundElements(policy, context, this, queue, lock);
    }

    private boolean isResending() {
        MessengerFailover present = failover;
        return present != null && present.isResending();
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
        return "messenger to " + service + " of peer " + peer().shortText();
    }
}
