package io.parley.pipes.internal.request;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A request that waits for its response. At most one attempt is in progress at a time. Thread-safe. */
public final class PendingRequest {

    /** The maximum number of attempts. Each of them ends with the loss of a holder, or with a holder that is busy. */
    static final int MAX_ATTEMPTS = 16;

    private final long id;
    private final RequestRoute route;
    private final Message message;
    private final Duration timeout;
    private volatile long deadlineNanos;
    private final CompletableFuture<PipeMessage> result = new CompletableFuture<>();
    private final AtomicReference<@Nullable RequestAttempt> attempt = new AtomicReference<>();
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger possibleExecutions = new AtomicInteger();

    /** Whether an earlier attempt was lost, and may have been executed. */
    private volatile boolean wasLost;

    private volatile Set<PeerId> busyPeers = Set.of();

    PendingRequest(long id, RequestRoute route, Message message, Duration timeout, long deadlineNanos) {
        this.id = id;
        this.route = route;
        this.message = message;
        this.timeout = timeout;
        this.deadlineNanos = deadlineNanos;
    }

    long id() {
        return id;
    }

    RequestRoute route() {
        return route;
    }

    Message message() {
        return message;
    }

    Duration timeout() {
        return timeout;
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    /** Sets a later deadline. */
    void setDeadline(long nanos) {
        deadlineNanos = nanos;
    }

    /** Adds to the number of earlier attempts that may have been executed. */
    public void addPossibleExecutions(int more) {
        possibleExecutions.addAndGet(more);
    }

    /** Returns 1 and the number of earlier attempts that may have been executed. */
    int attemptNumber() {
        return possibleExecutions.get() + 1;
    }

    /** Returns the future that the caller has. Its completion for any reason ends the request. */
    public CompletableFuture<PipeMessage> result() {
        return result;
    }

    public boolean isDone() {
        return result.isDone();
    }

    /** Returns the present attempt; {@code null} while the request waits for a holder. */
    @Nullable
    public RequestAttempt attempt() {
        return attempt.get();
    }

    /** Sets the next attempt. There must be none. Returns whether it is the first one. */
    boolean begin(RequestAttempt next) {
        attempt.set(next);
        return attempts.incrementAndGet() == 1;
    }

    /** Ends an attempt that was not executed, and that another one may follow. Returns false if none may. */
    boolean endForRetry(RequestAttempt ended) {
        return endForRetry(ended, false);
    }

    /** Ends an attempt that may have been executed, and that another one may follow. Returns false if none may. */
    boolean endLostForRetry(RequestAttempt lost) {
        return endForRetry(lost, true);
    }

    private boolean endForRetry(RequestAttempt ended, boolean isLost) {
        if (isDone() || attempts.get() >= MAX_ATTEMPTS || !ended.end()) {
            return false;
        }
        if (isLost) {
            addPossibleExecutions(1);
            wasLost = true;
        }
        attempt.set(null); // last, so that a request without an attempt states its losses
        return true;
    }

    /** Excludes a peer that is too busy for this request. */
    synchronized void addBusyPeer(PeerId peer) {
        Set<PeerId> more = ConcurrentHashMap.newKeySet();
        more.addAll(busyPeers);
        more.add(peer);
        busyPeers = more;
    }

    boolean isBusy(PeerId peer) {
        return busyPeers.contains(peer);
    }

    void complete(PipeMessage response) {
        result.complete(response);
    }

    /**
     * Fails because of an attempt, unless that has ended already: another one may be in progress. The attempt stays the present one, so that
     * a failure at the same time states what is known of it. Returns whether the request has failed with this call.
     */
    boolean fail(RequestAttempt failed, ParleyException cause) {
        return failed.end() && failUnexecuted(cause);
    }

    /** Fails because the last attempt, if there is one, was not executed. An earlier one may have been: then the request is lost. */
    boolean failUnexecuted(ParleyException cause) {
        return fail(
                wasLost && cause.code() != ErrorCode.LOST
                        ? ErrorCode.LOST.exception(
                                "request: a holder was lost that may have executed it, and no other has: "
                                        + cause.code(),
                                cause)
                        : cause);
    }

    /** Returns false if the request is done already. */
    public boolean fail(ParleyException cause) {
        return result.completeExceptionally(cause);
    }
}
