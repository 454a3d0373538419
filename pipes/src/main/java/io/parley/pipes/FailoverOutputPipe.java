package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.PendingMessages.PendingMessage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An output pipe that is bound to whoever holds the input end. When the holder is lost, moves, or closes the pipe, it looks
 * for one again; meanwhile messages wait in a queue. What a holder's messenger gives back unsent goes to the next holder
 * first, so messages stay in order. Thread-safe.
 */
final class FailoverOutputPipe implements OutputPipe, PeerConnectionListener {

    /** One holder, as long as it is the one. */
    private static final class HolderBinding {
        private final Messenger messenger;
        /** Messages that it has not settled. */
        private int unsettled;

        HolderBinding(Messenger messenger) {
            this.messenger = messenger;
        }
    }

    private final PeerGroup group;
    private final PipeId id;
    private final List<String> codecs;
    private final Duration patience;
    private final AsyncCloseable watching;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final PendingMessages waiting;
    private volatile PeerId holder;
    private volatile boolean holderLost;
    /** Takes messages; null while there is nobody to send to. */
    private @Nullable HolderBinding bound;
    /** Takes none any more, but has not settled all; the next holder waits for it. */
    private @Nullable HolderBinding leaving;

    private @Nullable Messenger next;
    private @Nullable CompletableFuture<Messenger> search;
    private long lastOrder;

    /** A thread gives the holder messages, which it does without the lock, as a messenger may call others. */
    private boolean giving;

    private boolean closing;

    private FailoverOutputPipe(PeerGroup group, PipeId id, List<String> codecs, Messenger first) {
        this.group = group;
        this.id = id;
        this.codecs = codecs;
        this.waiting = new PendingMessages(group.endpoint().limits().queueBytes());
        this.patience = group.endpoint().limits().reconnectTimeout();
        this.holder = first.peer();
        this.bound = new HolderBinding(first);
        this.watching = group.endpoint().addPeerConnectionListener(this);
    }

    /** Looks for a holder; fails with {@link ErrorCode#UNREACHABLE} when there is none in time. */
    static CompletableFuture<OutputPipe> open(PeerGroup group, PipeId id, List<String> codecs, Duration timeout) {
        CompletableFuture<Messenger> search = new PipeResolver(group, id, codecs, timeout).start();
        CompletableFuture<OutputPipe> opened =
                search.thenApply(messenger -> new FailoverOutputPipe(group, id, codecs, messenger));
        opened.whenComplete((pipe, failure) -> {
            if (failure != null && !search.cancel(false)) {
                search.thenAccept(Messenger::abort);
            }
        });
        return opened;
    }

    @Override
    public PipeId id() {
        return id;
    }

    @Override
    public PeerId holder() {
        return holder;
    }

    @Override
    public Optional<String> codec() {
        Messenger messenger = messenger();
        return messenger == null ? Optional.empty() : messenger.codec();
    }

    private @Nullable Messenger messenger() {
        lock.lock();
        try {
            return bound == null ? null : bound.messenger;
        } finally {
            lock.unlock();
        }
    }

    // -- sending

    @Override
    public CompletableFuture<Void> send(Message message) {
        HolderBinding to;
        long order;
        lock.lock();
        try {
            if (closing) {
                return CompletableFuture.failedFuture(closedException());
            }
            to = bound;
            if (to == null || giving || !waiting.isEmpty()) {
                return enqueue(message);
            }
            giving = true;
            order = ++lastOrder;
            to.unsettled++;
        } finally {
            lock.unlock();
        }
        CompletableFuture<Void> result = settled(to, order, message, to.messenger.send(message));
        give();
        return result;
    }

    @Override
    public void send(Message message, Duration timeout) throws InterruptedException {
        BlockingSender.send(this, message, timeout);
    }

    /** There is nobody to send to at the moment, or others come first. Under the lock. */
    private CompletableFuture<Void> enqueue(Message message) {
        if (!waiting.hasRoom()) {
            return CompletableFuture.failedFuture(ErrorCode.QUEUE_FULL.exception(this + ": " + waiting));
        }
        PendingMessage added = new PendingMessage(++lastOrder, message, new CompletableFuture<>());
        waiting.add(added);
        if (bound == null) {
            seek();
        }
        return added.sent();
    }

    /** What becomes of a message that a holder's messenger has taken: it is sent, given back, or failed for good. */
    private CompletableFuture<Void> settled(
            HolderBinding to, long order, Message message, CompletableFuture<Void> sending) {
        if (sending.isDone() && !sending.isCompletedExceptionally()) {
            release(to);
            return sending;
        }
        if (holderLost) {
            seekUnlessDone();
        }
        CompletableFuture<Void> result = new CompletableFuture<>();
        sending.whenComplete((done, failure) -> onSettled(to, new PendingMessage(order, message, result), failure));
        return result;
    }

    private void onSettled(HolderBinding to, PendingMessage message, @Nullable Throwable failure) {
        boolean back = false;
        boolean leaves = false;
        lock.lock();
        try {
            if (failure != null && !closing && isHolderGone(failure)) {
                back = true;
                waiting.giveBack(message);
                if (bound == to) {
                    leaves = true;
                    bound = null;
                    leaving = to;
                }
                seek();
            }
        } finally {
            lock.unlock();
        }
        if (leaves) {
            to.messenger.abort(); // what it still has must not overtake this one when its connection comes back
        }
        release(to);
        if (failure == null) {
            message.sent().complete(null);
        } else if (!back) {
            message.sent().completeExceptionally(failure);
        }
    }

    /** Another holder may take what this one has not. */
    private static boolean isHolderGone(Throwable failure) {
        ErrorCode code = failure instanceof ParleyException known ? known.code() : null;
        return code == ErrorCode.UNREACHABLE
                || code == ErrorCode.NO_SUCH_SERVICE
                || code == ErrorCode.CLOSED
                || code == ErrorCode.DISCONNECTED
                || code == ErrorCode.TIMEOUT
                || code == ErrorCode.IDENTITY_REFUSED;
    }

    private void release(HolderBinding to) {
        Runnable after = () -> {};
        lock.lock();
        try {
            if (--to.unsettled == 0 && leaving == to) {
                leaving = null;
                after = adopt();
            }
        } finally {
            lock.unlock();
        }
        after.run();
    }

    // -- looking for a holder

    @Override
    public void onDisconnected(PeerId peer) {
        if (!peer.equals(holder)) {
            return;
        }
        holderLost = true;
        lock.lock();
        try {
            if (bound != null && bound.unsettled > 0) {
                seek();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onConnected(PeerId peer) {
        if (peer.equals(holder)) {
            holderLost = false;
        }
    }

    private void seekUnlessDone() {
        lock.lock();
        try {
            seek();
        } finally {
            lock.unlock();
        }
    }

    /** Under the lock. */
    private void seek() {
        if (search == null && next == null && !closed.isDone()) {
            CompletableFuture<Messenger> started = new PipeResolver(group, id, codecs, patience).start();
            search = started;
            started.whenCompleteAsync(this::onSearched, task -> run(task, started));
        }
    }

    private void run(Runnable task, CompletableFuture<Messenger> started) {
        try {
            group.callbackExecutor().execute(task);
        } catch (java.util.concurrent.RejectedExecutionException e) {
            // Not here, where the lock may be held.
            CompletableFuture.runAsync(() -> onSearched(null, ErrorCode.CLOSED.exception("the peer is closed", e)));
            started.thenAccept(Messenger::abort);
        }
    }

    private void onSearched(@Nullable Messenger found, @Nullable Throwable failure) {
        Runnable after = () -> {};
        Messenger unneeded = null;
        Messenger replaced = null;
        lock.lock();
        try {
            search = null;
            HolderBinding current = bound;
            if (found == null) {
                after = current == null ? failWaiting(failure) : after;
            } else if (closed.isDone() || (closing && current != null)) {
                unneeded = found;
            } else if (current != null && current.messenger.peer().equals(found.peer())) {
                unneeded = found; // it is back, and so the messenger goes on
            } else {
                next = found;
                if (current != null) {
                    bound = null;
                    leaving = current.unsettled > 0 ? current : null;
                    replaced = current.messenger;
                }
                if (leaving == null) {
                    after = adopt();
                }
            }
        } finally {
            lock.unlock();
        }
        if (unneeded != null) {
            unneeded.closeAsync();
        }
        if (replaced != null) {
            replaced.abort(); // what it has not sent comes back
        }
        after.run();
    }

    /**
     * Binds to the holder that was found, if there is one, once the one before has settled everything. Under the lock.
     *
     * @return what is to be done without it
     */
    private Runnable adopt() {
        Messenger found = next;
        if (found == null) {
            return () -> {};
        }
        next = null;
        HolderBinding to = new HolderBinding(found);
        bound = to;
        holder = found.peer();
        holderLost = false;
        return this::giveIfFree;
    }

    private void giveIfFree() {
        lock.lock();
        try {
            if (giving) {
                return; // and whoever does goes on with this
            }
            giving = true;
        } finally {
            lock.unlock();
        }
        give();
    }

    /** Gives the holder what waits, as far as its messenger has room. By the one thread that has set {@link #giving}. */
    private void give() {
        boolean more = true;
        while (more) {
            more = giveNext();
        }
    }

    private boolean giveNext() {
        PendingMessage next = null;
        List<CompletableFuture<Void>> writable = List.of();
        boolean full = false;
        boolean ends = false;
        HolderBinding to;
        lock.lock();
        try {
            to = bound;
            boolean hasWaiting = !waiting.isEmpty();
            if (to != null && hasWaiting && to.messenger.isWritable()) {
                next = waiting.remove();
                to.unsettled++;
                writable = waiting.hasRoom() ? waiting.takeWaitingForRoom() : writable;
            } else {
                giving = false;
                if (to != null && hasWaiting && to.messenger.isClosing()) { // with its endpoint
                    bound = null;
                    leaving = to.unsettled > 0 ? to : null;
                    seek();
                } else {
                    full = to != null && hasWaiting;
                    ends = to != null && !full && closing;
                }
            }
        } finally {
            lock.unlock();
        }
        if (to != null && next != null) {
            HolderBinding taker = to;
            PendingMessage message = next;
            to.messenger.send(message.message()).whenComplete((done, failure) -> onSettled(taker, message, failure));
            writable.forEach(waiter -> waiter.complete(null));
            return true;
        }
        if (to != null && full) {
            to.messenger.whenWritable().whenComplete((room, failure) -> giveIfFree());
        } else if (to != null && ends) {
            endWith(to.messenger);
        }
        return false;
    }

    private Runnable failWaiting(@Nullable Throwable failure) {
        List<PendingMessage> failed = waiting.removeAll();
        List<CompletableFuture<Void>> writable = waiting.takeWaitingForRoom();
        Throwable cause = failure == null ? closedException() : Throwables.unwrap(failure);
        boolean ends = closing;
        HolderBinding current = bound;
        return () -> {
            failed.forEach(message -> message.sent().completeExceptionally(cause));
            writable.forEach(waiter -> waiter.complete(null));
            if (ends && current != null) {
                endWith(current.messenger);
            } else if (ends) {
                finish();
            }
        };
    }

    // -- room

    @Override
    public boolean isWritable() {
        lock.lock();
        try {
            if (closing) {
                return false;
            }
            return (bound == null || !waiting.isEmpty()) ? waiting.hasRoom() : bound.messenger.isWritable();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        Messenger messenger;
        lock.lock();
        try {
            if (closing) {
                return CompletableFuture.failedFuture(closedException());
            }
            if (bound == null || !waiting.isEmpty()) {
                return waiting.whenRoom();
            }
            messenger = bound.messenger;
        } finally {
            lock.unlock();
        }
        // When it closes, because another holder takes over, there is room again.
        return messenger.whenWritable().handle((writable, failure) -> {
            if (failure != null && isClosing()) {
                throw new CompletionException(closedException());
            }
            return null;
        });
    }

    // -- closing

    @Override
    public CompletableFuture<Void> closeAsync() {
        Messenger current;
        List<CompletableFuture<Void>> writable;
        boolean idle;
        lock.lock();
        try {
            if (closing) {
                return closed.copy();
            }
            closing = true;
            current = bound == null ? null : bound.messenger;
            writable = waiting.takeWaitingForRoom();
            idle = waiting.isEmpty() && !giving; // who gives ends it as well
        } finally {
            lock.unlock();
        }
        watching.closeAsync();
        writable.forEach(waiter -> waiter.completeExceptionally(closedException()));
        if (idle && current != null) {
            endWith(current);
        } else if (idle) {
            finish();
        } else {
            CompletableFuture.delayedExecutor(
                            group.endpoint().limits().closeTimeout().toNanos(), TimeUnit.NANOSECONDS)
                    .execute(this::giveUp);
        }
        return closed.copy();
    }

    /** Nobody was found to take what waits. */
    private void giveUp() {
        Runnable after;
        lock.lock();
        try {
            if (closed.isDone() || waiting.isEmpty()) {
                return; // what is bound ends by itself
            }
            after = failWaiting(ErrorCode.CLOSED.exception(this + " was closed, and nobody took its messages in time"));
        } finally {
            lock.unlock();
        }
        after.run();
    }

    private void endWith(Messenger messenger) {
        messenger.closeAsync().whenComplete((done, failure) -> finish());
    }

    private void finish() {
        CompletableFuture<Messenger> unneeded;
        Messenger late;
        closed.complete(null);
        lock.lock();
        try {
            unneeded = search;
            late = next;
            next = null;
        } finally {
            lock.unlock();
        }
        if (unneeded != null) {
            unneeded.cancel(false);
        }
        if (late != null) {
            late.abort();
        }
    }

    private ParleyException closedException() {
        return ErrorCode.CLOSED.exception(this + " is closed");
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
        Closeables.closeAndAwait(this, group.endpoint().limits().closeTimeout());
    }

    @Override
    public String toString() {
        return "OutputPipe " + id + " to " + holder.shortText();
    }
}
