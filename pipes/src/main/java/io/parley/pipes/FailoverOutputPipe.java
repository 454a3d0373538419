package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
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
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An output pipe that is bound to any holder of the input pipe. If the holder is lost, moves, or closes the pipe, this pipe
 * searches for a holder again; meanwhile messages wait in a queue. Messages that the messenger of a holder returns unsent go to
 * the next holder first, so messages stay in order. Thread-safe.
 */
final class FailoverOutputPipe implements OutputPipe, PeerConnectionListener {

    private static final Logger log = LoggerFactory.getLogger(FailoverOutputPipe.class);

    /** The binding to one holder. */
    private static final class HolderBinding {
        private final Messenger messenger;
        /** The number of messages whose futures the messenger has not completed. */
        private int unsettled;

        HolderBinding(Messenger messenger) {
            this.messenger = messenger;
        }
    }

    private final PeerGroup group;
    private final PipeResolver.Target pipe;
    private final boolean resending;
    private final Duration searchTimeout;
    private final AsyncCloseable connectionListener;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final PendingMessages queue;
    private volatile PeerId holder;
    private volatile boolean holderLost;
    /** Accepts messages; null while there is no holder. */
    private @Nullable HolderBinding bound;
    /** Accepts no more messages, but has not settled all; the next holder is bound after that. */
    private @Nullable HolderBinding leaving;

    private @Nullable Messenger next;
    private @Nullable CompletableFuture<Messenger> search;
    private long lastOrder;

    /** Whether a thread passes messages to the holder. It does so without the lock, because a messenger may run callbacks. */
    private boolean transferring;

    private boolean closing;

    private FailoverOutputPipe(PeerGroup group, PipeResolver.Target pipe, boolean resending, Messenger first) {
        this.group = group;
        this.pipe = pipe;
        this.resending = resending;
        this.queue = new PendingMessages(group.endpoint().limits().queueBytes());
        this.searchTimeout = group.endpoint().limits().reconnectTimeout();
        this.holder = first.peer();
        this.bound = new HolderBinding(first);
        this.connectionListener = group.endpoint().addPeerConnectionListener(this);
    }

    /**
     * Searches for a holder. The future fails with {@link ErrorCode#UNREACHABLE} if there is none within the timeout.
     *
     * @param resending see {@link Pipes#withResending}
     */
    static CompletableFuture<OutputPipe> open(
            PeerGroup group, PipeResolver.Target pipe, boolean resending, Duration timeout) {
        CompletableFuture<Messenger> search = new PipeResolver(group, pipe, timeout).start();
        CompletableFuture<OutputPipe> opened = new CompletableFuture<>();
        search.whenComplete((found, failure) -> {
            if (found == null) {
                opened.completeExceptionally(failure);
            } else {
                complete(opened, group, pipe, resending, found);
            }
        });
        opened.whenComplete((output, failure) -> {
            if (failure != null) {
                search.cancel(false);
            }
        });
        return opened;
    }

    /** Binds to the holder that was found. Closes the pipe if the caller has cancelled the call meanwhile. */
    private static void complete(
            CompletableFuture<OutputPipe> opened,
            PeerGroup group,
            PipeResolver.Target pipe,
            boolean resending,
            Messenger found) {
        FailoverOutputPipe output;
        try {
            output = new FailoverOutputPipe(group, pipe, resending, found);
        } catch (RuntimeException e) { // because the peer is closed
            found.abort();
            opened.completeExceptionally(e);
            return;
        }
        if (!opened.complete(output)) {
            output.closeAsync();
        }
    }

    @Override
    public PipeId id() {
        return pipe.id();
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
            if (to == null || transferring || !queue.isEmpty()) {
                return enqueue(message);
            }
            transferring = true;
            order = ++lastOrder;
            to.unsettled++;
        } finally {
            lock.unlock();
        }
        CompletableFuture<Void> result = settled(to, order, message, to.messenger.send(message));
        transfer();
        return result;
    }

    @Override
    public void send(Message message, Duration timeout) throws InterruptedException {
        BlockingCalls.send(this, message, timeout, group.scheduler(), this::removeQueued);
    }

    private boolean removeQueued(CompletableFuture<Void> sent) {
        boolean removed;
        List<CompletableFuture<Void>> writable;
        lock.lock();
        try {
            removed = queue.remove(sent);
            writable = queue.hasRoom() ? queue.removeRoomWaiters() : List.of();
        } finally {
            lock.unlock();
        }
        writable.forEach(waiter -> waiter.complete(null));
        return removed;
    }

    /** Queues a message, because there is no holder or other messages come first. The caller must hold the lock. */
    private CompletableFuture<Void> enqueue(Message message) {
        if (!queue.hasRoom()) {
            return CompletableFuture.failedFuture(ErrorCode.QUEUE_FULL.exception(this + ": " + queue));
        }
        PendingMessage added = new PendingMessage(++lastOrder, message, new CompletableFuture<>());
        queue.add(added);
        if (bound == null) {
            startSearch();
        }
        return added.sent();
    }

    /** Handles the result of a message that was passed to a holder's messenger: sent, returned, or failed. */
    private CompletableFuture<Void> settled(
            HolderBinding to, long order, Message message, CompletableFuture<Void> sending) {
        if (sending.isDone() && !sending.isCompletedExceptionally()) {
            release(to);
            return sending;
        }
        if (holderLost) {
            searchWithLock();
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
            if (failure != null && !closing && isForTheNextHolder(failure)) {
                back = true;
                queue.restore(message);
                if (bound == to) {
                    leaves = true;
                    bound = null;
                    leaving = to;
                }
                startSearch();
            }
        } finally {
            lock.unlock();
        }
        if (leaves) {
            to.messenger.abort(); // its queued messages must not overtake this one if its connection is restored
        }
        release(to);
        if (failure == null) {
            message.sent().complete(null);
        } else if (!back) {
            message.sent().completeExceptionally(failure);
        }
    }

    /** Returns whether another holder may get a message that failed so. */
    private boolean isForTheNextHolder(Throwable failure) {
        ErrorCode code = failure instanceof ParleyException known ? known.code() : null;
        return (code == ErrorCode.LOST && resending)
                || code == ErrorCode.UNREACHABLE
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

    // -- search for a holder

    @Override
    public void onDisconnected(PeerId peer) {
        if (!peer.equals(holder)) {
            return;
        }
        holderLost = true;
        lock.lock();
        try {
            if (bound != null && bound.unsettled > 0) {
                startSearch();
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

    private void searchWithLock() {
        lock.lock();
        try {
            startSearch();
        } finally {
            lock.unlock();
        }
    }

    /** Starts a search unless one is running. The caller must hold the lock. */
    private void startSearch() {
        if (search == null && next == null && !closed.isDone()) {
            CompletableFuture<Messenger> started = new PipeResolver(group, pipe, searchTimeout).start();
            search = started;
            started.whenCompleteAsync(this::onSearched, task -> run(task, started));
        }
    }

    private void run(Runnable task, CompletableFuture<Messenger> started) {
        try {
            group.workExecutor().execute(task);
        } catch (RejectedExecutionException e) {
            // On another thread, because the caller may hold the lock.
            group.scheduler()
                    .schedule(
                            Duration.ZERO,
                            () -> onSearched(null, ErrorCode.CLOSED.exception(this + ": the peer is closed", e)));
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
                after = current == null ? failQueued(failure) : after;
            } else if (closed.isDone() || (closing && current != null)) {
                unneeded = found;
            } else if (current != null && current.messenger.peer().equals(found.peer())) {
                unneeded = found; // the holder is connected again, and the present messenger continues
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
            replaced.abort(); // which returns its unsent messages
        }
        after.run();
    }

    /**
     * Binds to the holder that was found, if there is one. The previous holder must have settled all its messages. The caller
     * must hold the lock.
     *
     * @return a task that the caller must run without the lock
     */
    private Runnable adopt() {
        Messenger found = next;
        if (found == null) {
            return () -> {};
        }
        next = null;
        HolderBinding to = new HolderBinding(found);
        bound = to;
        if (!found.peer().equals(holder)) {
            log.info("{} is held by peer {} from now on", pipe, found.peer());
        }
        holder = found.peer();
        holderLost = false;
        return this::startTransfer;
    }

    private void startTransfer() {
        lock.lock();
        try {
            if (transferring) {
                return; // the thread that transfers sees the new state
            }
            transferring = true;
        } finally {
            lock.unlock();
        }
        transfer();
    }

    /** Passes queued messages to the holder while its messenger has room. Called by the thread that set {@link #transferring}. */
    private void transfer() {
        boolean more = true;
        while (more) {
            more = transferNext();
        }
    }

    private boolean transferNext() {
        PendingMessage next = null;
        List<CompletableFuture<Void>> writable = List.of();
        boolean full = false;
        boolean ends = false;
        HolderBinding to;
        lock.lock();
        try {
            to = bound;
            boolean hasQueued = !queue.isEmpty();
            if (to != null && hasQueued && to.messenger.isWritable()) {
                next = queue.remove();
                to.unsettled++;
                writable = queue.hasRoom() ? queue.removeRoomWaiters() : writable;
            } else {
                transferring = false;
                if (to != null && hasQueued && to.messenger.isClosing()) { // because its endpoint closes
                    bound = null;
                    leaving = to.unsettled > 0 ? to : null;
                    startSearch();
                } else {
                    full = to != null && hasQueued;
                    ends = to != null && !full && closing;
                }
            }
        } finally {
            lock.unlock();
        }
        if (to != null && next != null) {
            HolderBinding target = to;
            PendingMessage message = next;
            to.messenger.send(message.message()).whenComplete((done, failure) -> onSettled(target, message, failure));
            writable.forEach(waiter -> waiter.complete(null));
            return true;
        }
        if (to != null && full) {
            to.messenger.whenWritable().whenComplete((room, failure) -> startTransfer());
        } else if (to != null && ends) {
            endWith(to.messenger);
        }
        return false;
    }

    private Runnable failQueued(@Nullable Throwable failure) {
        List<PendingMessage> failed = queue.removeAll();
        List<CompletableFuture<Void>> writable = queue.removeRoomWaiters();
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
            return (bound == null || !queue.isEmpty()) ? queue.hasRoom() : bound.messenger.isWritable();
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
            if (bound == null || !queue.isEmpty()) {
                return queue.whenRoom();
            }
            messenger = bound.messenger;
        } finally {
            lock.unlock();
        }
        // If it closes because another holder is bound, there is room again.
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
            writable = queue.removeRoomWaiters();
            idle = queue.isEmpty() && !transferring; // the thread that transfers ends it as well
        } finally {
            lock.unlock();
        }
        connectionListener.closeAsync();
        writable.forEach(waiter -> waiter.completeExceptionally(closedException()));
        if (idle && current != null) {
            endWith(current);
        } else if (idle) {
            finish();
        } else {
            Scheduler.Timer timer = group.scheduler()
                    .schedule(group.endpoint().limits().closeTimeout(), () -> execute(this::onCloseTimeout));
            closed.thenRun(timer::cancel);
        }
        return closed.copy();
    }

    /** Runs the task on the work executor, because it completes futures of callers. */
    private void execute(Runnable task) {
        try {
            group.workExecutor().execute(task);
        } catch (RejectedExecutionException e) { // because the peer is closed
            task.run();
        }
    }

    /** Fails the queued messages, because no holder was found. */
    private void onCloseTimeout() {
        Runnable after;
        lock.lock();
        try {
            if (closed.isDone() || queue.isEmpty()) {
                return; // the bound messenger ends by itself
            }
            after = failQueued(ErrorCode.CLOSED.exception(
                    this + ": closed before a holder was found; the queued messages were not sent"));
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
        return ErrorCode.CLOSED.exception(this + ": closed");
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
        return "OutputPipe " + pipe.id() + " to " + holder.shortText();
    }
}
