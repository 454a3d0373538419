package io.parley.endpoint.internal;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.internal.Closeables;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue of messages for one service of one peer. Callers put messages in from any thread; the link to which it
 * is bound takes them out. It is bound to one link at a time, so that messages do not overtake each other when links
 * change.
 */
final class PeerMessenger implements Messenger {

    private final Association association;
    private final ServiceAddress service;
    private final List<String> codecs;
    private final long capacity;
    private final Runnable onFinished;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AtomicReference<@Nullable Link> bound = new AtomicReference<>();
    private final AtomicBoolean wakePending = new AtomicBoolean();
    private volatile @Nullable MessageEncoder encoder;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Queue<OutboundMessage> queue = new ArrayDeque<>();
    private long queuedBytes;
    private boolean closing;

    private boolean resolved;
    private boolean usedSinceCheck = true;
    private final List<CompletableFuture<Void>> resolving = new ArrayList<>();
    private final List<CompletableFuture<Void>> waitingForRoom = new ArrayList<>();
    private volatile boolean roomWanted;

    /** A messenger for a service, which writes in the first of these codecs that the peer has; none: as agreed. */
    PeerMessenger(
            Association association, ServiceAddress service, List<String> codecs, long capacity, Runnable onFinished) {
        this.association = association;
        this.service = service;
        this.codecs = codecs;
        this.capacity = capacity;
        this.onFinished = onFinished;
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
            resolving.add(result);
        } finally {
            lock.unlock();
        }
        wakeLink();
        return result;
    }

    @Override
    public CompletableFuture<Void> send(Message message) {
        OutboundMessage outgoing = prepared(message);
        ParleyException refusal = null;
        lock.lock();
        try {
            if (closing) {
                refusal = closedException();
            } else if (!hasRoom()) {
                refusal = ErrorCode.QUEUE_FULL.exception(
                        this + ": " + queuedBytes + " bytes are queued (queueBytes: " + capacity + ")");
            } else {
                enqueue(outgoing);
            }
        } finally {
            lock.unlock();
        }
        return sendOrRefuse(outgoing, refusal);
    }

    @Override
    public CompletableFuture<Void> send(Message message, Duration timeout) {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            throw new IllegalStateException(this + ": a thread that serves connections must not wait for room; use"
                    + " send(message) and whenWritable()");
        }
        long remaining = TimeUnit.NANOSECONDS.convert(timeout);
        OutboundMessage outgoing = prepared(message);
        ParleyException refusal = null;
        lock.lock();
        try {
            while (refusal == null && !closing && !hasRoom()) {
                remaining = room.awaitNanos(remaining);
                if (remaining <= 0 && !hasRoom()) {
                    refusal = ErrorCode.TIMEOUT.exception(this + ": no room in its queue within " + timeout);
                }
            }
            if (closing) {
                refusal = closedException();
            } else if (refusal == null) {
                enqueue(outgoing);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            refusal = ErrorCode.TIMEOUT.exception(this + ": interrupted while waiting for room", e);
        } finally {
            lock.unlock();
        }
        return sendOrRefuse(outgoing, refusal);
    }

    /** Encodes in the caller's thread where that can be done, so that the link's thread has less to do. */
    private OutboundMessage prepared(Message message) {
        OutboundMessage outgoing = new OutboundMessage(message);
        MessageEncoder current = encoder;
        if (current != null && current.isStateless()) {
            try {
                outgoing.prepare(current);
            } catch (ParleyException e) {
                outgoing.fail(e);
            }
        }
        return outgoing;
    }

    /** As long as the queue is not full the next message is taken, whatever its size: what {@link #isWritable} says holds. */
    private boolean hasRoom() {
        return queuedBytes < capacity;
    }

    private void enqueue(OutboundMessage outgoing) {
        if (!outgoing.sent().isDone()) {
            queue.add(outgoing);
            queuedBytes += outgoing.size();
            usedSinceCheck = true;
        }
    }

    private CompletableFuture<Void> sendOrRefuse(OutboundMessage outgoing, @Nullable ParleyException refusal) {
        if (refusal != null) {
            outgoing.fail(refusal);
        } else if (!outgoing.sent().isDone()) {
            wakeLink();
        }
        return outgoing.sent();
    }

    @Override
    public boolean isWritable() {
        lock.lock();
        try {
            return !closing && hasRoom();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        lock.lock();
        try {
            if (!closing && !hasRoom()) {
                waitingForRoom.add(result);
                roomWanted = true;
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

    // What follows is for the link and the association.

    /** Tells the link that it is bound to, or else the association, that there is something to do. */
    void wakeLink() {
        Link link = bound.get();
        if (link != null) {
            link.wake(this);
        } else {
            association.wake(this);
        }
    }

    List<String> codecs() {
        return codecs;
    }

    /** From now on until the link is lost. */
    void encodeWith(MessageEncoder value) {
        encoder = value;
    }

    boolean isBoundTo(Link link) {
        return bound.get() == link;
    }

    /** Makes that link the one to take messages out; false when another one is. */
    boolean bind(Link link) {
        return bound.compareAndSet(null, link);
    }

    private void unbind() {
        encoder = null;
        bound.set(null);
    }

    /** Whether a wake-up has to be scheduled: false when one is on its way already. */
    boolean claimWake() {
        return wakePending.compareAndSet(false, true);
    }

    /** The wake-up has come; what is queued from now on needs another. */
    void wakeUp() {
        wakePending.set(false);
    }

    boolean hasQueued() {
        lock.lock();
        try {
            return !queue.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    boolean needsChannel() {
        lock.lock();
        try {
            return !queue.isEmpty() || !resolving.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Closed, and nothing left to send. */
    boolean isDone() {
        lock.lock();
        try {
            return closing && queue.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** The next message; {@link #tellRoom} is to be called when it is on its way. */
    @Nullable
    OutboundMessage poll() {
        lock.lock();
        try {
            OutboundMessage next = queue.poll();
            if (next != null) {
                queuedBytes -= next.size();
                if (queuedBytes <= capacity / 2) {
                    room.signalAll(); // not for each message, or a waiting thread is woken for one at a time
                }
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Tells those who wait for room, who may do anything then, closing included: so not before the message is written. */
    void tellRoom() {
        if (!roomWanted) {
            return;
        }
        List<CompletableFuture<Void>> writable;
        lock.lock();
        try {
            writable = takeWritable();
        } finally {
            lock.unlock();
        }
        writable.forEach(waiter -> waiter.complete(null));
    }

    private List<CompletableFuture<Void>> takeWritable() {
        if (queuedBytes > capacity / 2) {
            return List.of();
        }
        if (waitingForRoom.isEmpty()) {
            return List.of();
        }
        List<CompletableFuture<Void>> taken = List.copyOf(waitingForRoom);
        waitingForRoom.clear();
        roomWanted = false;
        return taken;
    }

    /** The other peer offers the service. */
    void onResolved() {
        List<CompletableFuture<Void>> waiters;
        lock.lock();
        try {
            resolved = true;
            waiters = List.copyOf(resolving);
            resolving.clear();
        } finally {
            lock.unlock();
        }
        waiters.forEach(waiter -> waiter.complete(null));
    }

    /** The link is gone; what is queued looks for the next one. */
    void onLinkLost() {
        lock.lock();
        try {
            resolved = false;
        } finally {
            lock.unlock();
        }
        unbind();
        if (needsChannel()) {
            association.wake(this);
        } else {
            finishIfDone();
        }
    }

    /** Nothing that is queued can be sent, and nothing that waits will come. */
    void fail(ParleyException cause) {
        List<OutboundMessage> failed;
        List<CompletableFuture<Void>> unresolved;
        List<CompletableFuture<Void>> writable;
        lock.lock();
        try {
            resolved = false;
            failed = List.copyOf(queue);
            queue.clear();
            queuedBytes = 0;
            unresolved = List.copyOf(resolving);
            resolving.clear();
            room.signalAll();
            writable = takeWritable();
        } finally {
            lock.unlock();
        }
        unbind();
        failed.forEach(outgoing -> outgoing.fail(cause));
        unresolved.forEach(waiter -> waiter.completeExceptionally(cause));
        writable.forEach(waiter -> waiter.complete(null));
        finishIfDone();
    }

    /** Whether nothing was sent since the last call. */
    boolean isIdle() {
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

    /** All is sent and the channel has ended. */
    void finish() {
        unbind();
        if (closed.complete(null)) {
            onFinished.run();
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
            waiters.addAll(resolving);
            resolving.clear();
            waiters.addAll(waitingForRoom);
            waitingForRoom.clear();
            room.signalAll();
        } finally {
            lock.unlock();
        }
        waiters.forEach(waiter -> waiter.completeExceptionally(closedException()));
        if (bound.get() == null) {
            finishIfDone();
        }
        if (!closed.isDone()) {
            association.afterCloseTimeout(closed, this::giveUp);
            wakeLink();
        }
        return closed.copy();
    }

    @Override
    public void abort() {
        closeAsync();
        drop(closedException());
    }

    /** What is still queued when closing has taken long enough is not sent. */
    private void giveUp() {
        drop(ErrorCode.CLOSED.exception(this + " was closed, and the peer did not take its messages in time"));
    }

    private void drop(ParleyException cause) {
        Link link = bound.get();
        fail(cause);
        if (link != null) {
            link.wake(this); // to end the channel
        }
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        lock.lock();
        try {
            return closing;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, association.closeTimeout());
    }

    @Override
    public String toString() {
        return "messenger to " + service + " of peer " + peer().shortText();
    }
}
