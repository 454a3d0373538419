package io.parley.resolver.internal;

import io.parley.common.internal.TextSanitizer;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Collects the responses to one propagated query, and passes them to the listener one at a time. Thread-safe. */
final class ResponseCollector implements PropagatedQuery {

    private static final Logger log = LoggerFactory.getLogger(ResponseCollector.class);

    private final int maxResponses;
    private final Consumer<QueryResponse> listener;
    private final Executor executor;
    private final ResolverMetrics metrics;
    private final Set<PeerId> responders = new HashSet<>();
    private final Queue<QueryResponse> queue = new ArrayDeque<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CompletableFuture<Integer> end = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private boolean full;
    private boolean delivering;
    private int delivered;
    private @Nullable Throwable failure;

    ResponseCollector(int maxResponses, Consumer<QueryResponse> listener, Executor executor, ResolverMetrics metrics) {
        this.maxResponses = maxResponses;
        this.listener = listener;
        this.executor = executor;
        this.metrics = metrics;
    }

    /** Returns a future that completes when no more responses are accepted. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Adds a response. Returns {@code false} if it is rejected because it is late or the second one of its peer. */
    boolean offer(PeerId from, Message body) {
        synchronized (queue) {
            if (full || !responders.add(from)) {
                return false;
            }
            queue.add(new QueryResponse(from, body));
            full = responders.size() >= maxResponses;
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

    /** Accepts no more responses; responses received before are still delivered. */
    void finish() {
        synchronized (queue) {
            full = true;
        }
        ended.complete(null);
        schedule();
    }

    /** Ends the query with a failure; undelivered responses are discarded. */
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
            onRejected(ErrorCode.CLOSED.exception("resolver: its executor is shut down", e));
        } catch (RuntimeException | Error e) { // such as a thread that cannot be created: the query would not end
            onRejected(ErrorCode.BUSY.exception("resolver: its executor rejected the responses", e));
        }
    }

    private void onRejected(Throwable cause) {
        synchronized (queue) {
            queue.clear();
            full = true;
            failure = cause;
        }
        ended.complete(null);
        deliver();
    }

    private void deliver() {
        QueryResponse next;
        while ((next = pollNext()) != null) {
            deliver(next);
        }
        complete();
    }

    private @Nullable QueryResponse pollNext() {
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

    private void deliver(QueryResponse response) {
        try {
            listener.accept(response);
        } catch (RuntimeException | Error e) { // an error too: the query would not end
            metrics.increment(Counter.HANDLER_FAILURES);
            log.warn(
                    "Response listener failed on the response of peer {}", response.from(), TextSanitizer.printable(e));
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
