package io.parley.resolver.internal;

import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the answers to one propagated question, and hands them to the listener one at a time. Thread-safe. */
final class ResponseCollector implements PropagatedQuery {

    private static final Logger log = LoggerFactory.getLogger(ResponseCollector.class);

    private final int maxAnswers;
    private final QueryResponseListener listener;
    private final Executor executor;
    private final ResolverMetrics metrics;
    private final Set<PeerId> answered = new HashSet<>();
    private final Queue<QueryResponse> queue = new ArrayDeque<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CompletableFuture<Integer> end = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private boolean full;
    private boolean delivering;
    private int delivered;
    private @Nullable Throwable failure;

    ResponseCollector(int maxAnswers, QueryResponseListener listener, Executor executor, ResolverMetrics metrics) {
        this.maxAnswers = maxAnswers;
        this.listener = listener;
        this.executor = executor;
        this.metrics = metrics;
    }

    /** Completes when no more answers are taken. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** False when the answer is not wanted: a second one of that peer, or too late. */
    boolean offer(PeerId from, Message body) {
        synchronized (queue) {
            if (full || !answered.add(from)) {
                return false;
            }
            queue.add(new QueryResponse(from, body));
            full = answered.size() >= maxAnswers;
        }
        if (isFull()) {
            ended.complete(null);
        }
        schedule();
        return true;
    }

    private boolean isFull() {
        synchronized (queue) {
            return full;
        }
    }

    /** Takes no more answers; what has come is still delivered. */
    void finish() {
        synchronized (queue) {
            full = true;
        }
        ended.complete(null);
        schedule();
    }

    /** Ends with that reason; what has come is not delivered. */
    void fail(Throwable cause) {
        synchronized (queue) {
            if (!full) {
                failure = cause;
            }
            queue.clear();
        }
        finish();
    }

    private void schedule() {
        synchronized (queue) {
            if (delivering) {
                return;
            }
            delivering = true;
        }
        try {
            executor.execute(this::deliver);
        } catch (RejectedExecutionException e) {
            synchronized (queue) {
                queue.clear();
                full = true;
                failure = ErrorCode.CLOSED.exception("the executor of the resolver takes no more work", e);
            }
            ended.complete(null);
            deliver();
        }
    }

    private void deliver() {
        QueryResponse next;
        while ((next = take()) != null) {
            deliver(next);
        }
        complete();
    }

    private @Nullable QueryResponse take() {
        synchronized (queue) {
            QueryResponse next = queue.poll();
            if (next == null) {
                delivering = false;
            } else {
                delivered++;
            }
            return next;
        }
    }

    private void deliver(QueryResponse answer) {
        try {
            listener.onResponse(answer);
        } catch (RuntimeException e) {
            metrics.increment(Counter.HANDLER_FAILURES);
            log.warn("A listener failed on the answer of peer {}", answer.from(), e);
        }
    }

    private void complete() {
        int count;
        Throwable cause;
        synchronized (queue) {
            if (!full || delivering || !queue.isEmpty()) {
                return;
            }
            count = delivered;
            cause = failure;
        }
        if (cause == null) {
            end.complete(count);
        } else {
            end.completeExceptionally(cause);
        }
        closed.complete(null);
    }

    @Override
    public CompletableFuture<Integer> whenDone() {
        return end.copy();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        synchronized (queue) {
            queue.clear();
        }
        finish();
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return isFull();
    }

    @Override
    public void close() {
        closeAsync();
    }
}
