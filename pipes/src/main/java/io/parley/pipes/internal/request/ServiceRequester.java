package io.parley.pipes.internal.request;

import io.parley.common.internal.DurationFormatter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.internal.PipeResolver;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests to one service. Each goes to the connected holder with the fewest pending requests. Requests for which there is no
 * holder wait until one is found, or until their timeout. Thread-safe.
 */
final class ServiceRequester implements RequestRoute {

    /** The maximum number of holders that share the requests of this peer to one service. */
    static final int MAX_HOLDERS = 8;

    /** The failures of a transmission after which another holder is used. The request was not delivered. */
    private static final Set<ErrorCode> HOLDER_LOST = EnumSet.of(
            ErrorCode.UNREACHABLE,
            ErrorCode.NO_SUCH_SERVICE,
            ErrorCode.CLOSED,
            ErrorCode.DISCONNECTED,
            ErrorCode.TIMEOUT,
            ErrorCode.IDENTITY_REFUSED,
            ErrorCode.SECURITY_MISMATCH);

    /** The failures after which another holder may execute the request now. */
    private static final Set<ErrorCode> HOLDER_BUSY = EnumSet.of(ErrorCode.BUSY, ErrorCode.QUEUE_FULL);

    private final PeerGroup group;
    private final RequestClient client;
    private final PipeResolver.Target target;
    private final boolean resending;
    private final HolderTable holders;
    private final HolderFinder finder;
    private final HolderWatch watch;
    private final AtomicInteger pending = new AtomicInteger();
    private volatile long usedNanos;

    /** The requests without a holder, which the pending requests of the client bound. */
    private final Set<PendingRequest> waiting = new LinkedHashSet<>();

    /** Written with the lock. */
    private volatile boolean hasWaiting;

    private volatile boolean closing;

    /** @param resending whether requests that a lost holder may have executed are sent to another one */
    ServiceRequester(PeerGroup group, RequestClient client, PipeResolver.Target target, boolean resending) {
        this.group = group;
        this.client = client;
        this.target = target;
        this.resending = resending;
        this.holders = new HolderTable(group.endpoint(), MAX_HOLDERS);
        this.finder = new HolderFinder(group, target, holders, this::onHolder, this::longestWait);
        this.watch = new HolderWatch(group, holders, this::remove);
        this.usedNanos = group.scheduler().nanoTime();
    }

    /** Returns {@code null} if this requester is closed. */
    @Nullable
    CompletableFuture<PipeMessage> request(Message message, Duration timeout) {
        pending.incrementAndGet(); // before the check, so that an idle requester is not closed meanwhile
        if (closing) {
            pending.decrementAndGet();
            return null;
        }
        PendingRequest request;
        try {
            request = client.start(this, message, timeout); // onFinished is called for it
        } catch (RuntimeException e) {
            pending.decrementAndGet();
            throw e;
        }
        usedNanos = request.deadlineNanos() - timeout.toNanos();
        if (!request.isDone()) {
            dispatch(request);
        }
        return request.result();
    }

    /** Sends a request without an attempt to a holder, or makes it wait. */
    private void dispatch(PendingRequest request) {
        HolderChannel holder = select(request);
        if (holder == null) {
            synchronized (waiting) {
                hasWaiting = true;
                holder = select(request); // one may have been added
                if (holder == null) {
                    waiting.add(request);
                }
            }
        }
        if (holder != null) {
            send(request, holder);
            return;
        }
        if (request.isDone()) { // meanwhile
            onFinishedWaiting(request);
        }
        if (closing) {
            request.failUnexecuted(ErrorCode.CLOSED.exception(target + ": closed; the request was not executed"));
        }
        finder.findFirst();
    }

    private @Nullable HolderChannel select(PendingRequest request) {
        HolderChannel holder = holders.select(request);
        return holder == null ? holders.selectAny() : holder;
    }

    private void send(PendingRequest request, HolderChannel holder) {
        client.send(request, holder.messenger(), holder);
        if (!holder.isConnected()) {
            watch.checkLater(holder);
        }
    }

    /** Called with each new holder. */
    private void onHolder() {
        List<PendingRequest> ready;
        synchronized (waiting) {
            ready = List.copyOf(waiting);
            waiting.clear();
            hasWaiting = false;
        }
        ready.stream().filter(request -> !request.isDone()).forEach(this::dispatch);
    }

    /** Returns the time until the last request that waits has timed out; zero if none waits. */
    private Duration longestWait() {
        long now = group.scheduler().nanoTime();
        synchronized (waiting) {
            return Duration.ofNanos(waiting.stream()
                    .mapToLong(request -> request.deadlineNanos() - now)
                    .max()
                    .orElse(0));
        }
    }

    private void onFinishedWaiting(PendingRequest request) {
        if (hasWaiting) {
            synchronized (waiting) {
                waiting.remove(request);
                hasWaiting = !waiting.isEmpty();
            }
        }
    }

    @Override
    public void onNotExecuted(PendingRequest request, RequestAttempt attempt, ParleyException cause) {
        HolderChannel holder = attempt.holder();
        if (holder == null) {
            throw new IllegalStateException("attempt without a holder");
        }
        if (HOLDER_BUSY.contains(cause.code())) {
            request.addBusyPeer(attempt.peer());
            if (holders.select(request) != null && request.endForRetry(attempt)) {
                dispatch(request);
            } else {
                request.fail(attempt, cause);
                finder.findFurther();
            }
        } else if (HOLDER_LOST.contains(cause.code())) {
            remove(holder);
            redirect(request, attempt, cause);
        } else {
            request.fail(attempt, cause);
        }
    }

    @Override
    public boolean onLost(PendingRequest request, RequestAttempt attempt, ParleyException cause) {
        HolderChannel holder = attempt.holder();
        if (holder != null) {
            remove(holder);
        }
        if (resending && request.endLostForRetry(attempt)) {
            dispatch(request);
            return false;
        }
        return request.fail(attempt, cause);
    }

    @Override
    public void onFinished(PendingRequest request) {
        pending.decrementAndGet();
        onFinishedWaiting(request);
    }

    @Override
    public ParleyException noHolder(Duration timeout) {
        return finder.failureCode()
                .exception(target + " in group " + group.name() + ": no holder found within "
                        + DurationFormatter.format(timeout) + "; the request was not executed: " + finder.reason());
    }

    /** Stops using a holder. Its requests that were not sent go to others; its unacknowledged ones are lost. */
    private void remove(HolderChannel holder) {
        if (holders.remove(holder)) {
            redirectUnsent(holder);
            holder.messenger().abort();
            finder.findFurther();
        }
    }

    private void redirectUnsent(HolderChannel holder) {
        for (PendingRequest request : client.pending()) {
            RequestAttempt attempt = request.attempt();
            if (attempt != null && attempt.holder() == holder && attempt.withdraw()) {
                redirect(
                        request,
                        attempt,
                        ErrorCode.UNREACHABLE.exception("request to peer "
                                + holder.peer().shortText()
                                + ": the peer is not connected any more; the request was not executed"));
            }
        }
    }

    /** Sends a request to another holder, or fails it if it has used up its attempts. */
    private void redirect(PendingRequest request, RequestAttempt attempt, ParleyException cause) {
        if (request.endForRetry(attempt)) {
            dispatch(request);
        } else {
            request.fail(attempt, cause);
        }
    }

    void onConnected(PeerId peer) {
        watch.onConnected(peer);
    }

    void onDisconnected(PeerId peer) {
        HolderChannel holder = watch.onDisconnected(peer);
        if (holder != null) {
            run(() -> {
                if (holders.hasConnected()) {
                    redirectUnsent(holder);
                }
            });
        }
    }

    private void run(Runnable task) {
        try {
            group.workExecutor().execute(task);
        } catch (RejectedExecutionException e) {
            // The peer is closed, and the requests fail with it.
        }
    }

    /** Searches for more holders than those that are known. */
    void searchFurther() {
        finder.findFurther();
    }

    /** Returns the time since the last request began; zero while a request is pending. */
    long idleNanos(long now) {
        return pending.get() > 0 ? 0 : now - usedNanos;
    }

    /** Closes this requester if it has no request. */
    boolean tryCloseIdle() {
        synchronized (waiting) {
            if (pending.get() > 0) {
                return false;
            }
            closing = true;
            if (pending.get() > 0) { // a request has begun before it could see that
                closing = false;
                return false;
            }
        }
        closeAsync();
        return true;
    }

    /** Returns a future that completes when the messengers are closed. */
    CompletableFuture<Void> closeAsync() {
        closing = true;
        finder.close();
        return holders.closeAsync();
    }
}
