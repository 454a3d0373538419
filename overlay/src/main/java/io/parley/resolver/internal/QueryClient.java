package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The client side of a resolver: pending queries, and the matching of responses. Thread-safe. */
final class QueryClient {

    private final ResolverMessageSender sender;
    private final Executor executor;
    private final ResolverLimits limits;
    private final ResolverMetrics metrics;
    private final Scheduler scheduler;
    private final ConcurrentMap<Long, PendingQuery> pending = new ConcurrentHashMap<>();
    private final ConcurrentMap<Long, ResponseCollector> propagated = new ConcurrentHashMap<>();
    private final Semaphore pendingPermits;
    private final Semaphore propagatedPermits;
    private volatile boolean closed;

    QueryClient(
            ResolverMessageSender sender,
            Executor executor,
            ResolverLimits limits,
            ResolverMetrics metrics,
            Scheduler scheduler) {
        this.sender = sender;
        this.executor = executor;
        this.limits = limits;
        this.metrics = metrics;
        this.scheduler = scheduler;
        this.pendingPermits = new Semaphore(limits.maxPendingQueries());
        this.propagatedPermits = new Semaphore(limits.maxPropagatedQueries());
    }

    CompletableFuture<Message> query(PeerId peer, String name, Message query, Duration timeout) {
        if (!pendingPermits.tryAcquire()) {
            return CompletableFuture.failedFuture(ErrorCode.BUSY.exception(
                    "pending queries: " + limits.maxPendingQueries() + " (limit maxPendingQueries)"));
        }
        long id = scheduler.random().nextLong();
        CompletableFuture<Message> response = new CompletableFuture<>();
        Scheduler.Timer timer = scheduler.schedule(
                timeout,
                () -> response.completeExceptionally(ErrorCode.TIMEOUT.exception("query " + name + " to peer " + peer
                        + ": no response within " + DurationFormatter.format(timeout))));
        PendingQuery pendingQuery = new PendingQuery(peer, name, response, timer);
        pending.put(id, pendingQuery);
        response.whenComplete((body, failure) -> remove(id)); // also if the caller cancels it
        if (closed) {
            response.completeExceptionally(closedException());
        } else {
            pendingQuery.onSending(
                    sender.send(peer, new ResolverMessage.QueryMessage(false, id, name, 0, timeout, query)));
        }
        return response;
    }

    /** Fails the queries that were sent on the lost connection to a peer. */
    void onDisconnected(PeerId peer) {
        for (PendingQuery pendingQuery : pending.values()) {
            if (pendingQuery.peer().equals(peer)) {
                pendingQuery.onDisconnected();
            }
        }
    }

    private void remove(long id) {
        PendingQuery pendingQuery = pending.remove(id);
        if (pendingQuery != null) {
            pendingQuery.cancelTimer();
            pendingPermits.release();
        }
    }

    ResponseCollector propagate(
            String name,
            Message query,
            PropagateOptions options,
            Consumer<QueryResponse> listener,
            Function<Message, List<CompletableFuture<Void>>> propagators) {
        ResponseCollector collector = new ResponseCollector(options.maxResponses(), listener, executor, metrics);
        if (!propagatedPermits.tryAcquire()) {
            collector.fail(ErrorCode.BUSY.exception(
                    "propagated queries: " + limits.maxPropagatedQueries() + " (limit maxPropagatedQueries)"));
            return collector;
        }
        long id = scheduler.random().nextLong();
        Scheduler.Timer timer = scheduler.schedule(options.timeout(), collector::finish);
        propagated.put(id, collector);
        collector.ended().thenRun(() -> {
            propagated.remove(id);
            timer.cancel();
            propagatedPermits.release();
        });
        if (closed) {
            collector.fail(closedException());
        } else {
            ResolverMessage.QueryMessage queryMessage =
                    new ResolverMessage.QueryMessage(true, id, name, 0, options.timeout(), query);
            failWhenNoneSucceeds(collector, propagators.apply(ResolverMessageFormat.write(queryMessage)));
        }
        return collector;
    }

    private static void failWhenNoneSucceeds(ResponseCollector collector, List<CompletableFuture<Void>> sends) {
        if (sends.isEmpty()) {
            collector.fail(ErrorCode.UNREACHABLE.exception(
                    "resolver: neither a local network nor a rendezvous is available for propagated queries"));
            return;
        }
        CompletableFuture.allOf(sends.toArray(CompletableFuture<?>[]::new)).whenComplete((sent, failure) -> {
            if (failure != null && sends.stream().allMatch(CompletableFuture::isCompletedExceptionally)) {
                collector.fail(Throwables.unwrap(failure));
            }
        });
    }

    void onResponse(PeerId from, ResolverMessage.ResponseMessage response, long size) {
        boolean tooLarge = size > limits.maxBodyBytes() + ResolverMessageFormat.MAX_HEADER_BYTES;
        PendingQuery pendingQuery = pendingQuery(from, response.id());
        boolean accepted;
        if (pendingQuery != null && tooLarge) {
            accepted = pendingQuery
                    .response()
                    .completeExceptionally(ErrorCode.MESSAGE_TOO_LARGE.exception(
                            pendingQuery + ": response exceeds maxBodyBytes " + limits.maxBodyBytes()));
        } else if (pendingQuery != null) {
            accepted = pendingQuery.response().complete(response.body());
        } else {
            ResponseCollector collector = propagated.get(response.id());
            accepted = collector != null && !tooLarge && collector.offer(from, response.body());
        }
        metrics.increment(accepted ? Counter.RESPONSES_RECEIVED : Counter.RESPONSES_UNSOLICITED);
    }

    void onError(PeerId from, ResolverMessage.ErrorMessage failure) {
        PendingQuery pendingQuery = pendingQuery(from, failure.id());
        boolean accepted = pendingQuery != null
                && pendingQuery
                        .response()
                        .completeExceptionally(failure.status().toException(pendingQuery.toString()));
        metrics.increment(accepted ? Counter.RESPONSES_RECEIVED : Counter.RESPONSES_UNSOLICITED);
    }

    /** Returns the pending query with an id, if it was sent to that peer. */
    private @Nullable PendingQuery pendingQuery(PeerId from, long id) {
        PendingQuery pendingQuery = pending.get(id);
        return pendingQuery != null && pendingQuery.peer().equals(from) ? pendingQuery : null;
    }

    /** Returns the number of pending queries. */
    int pendingQueries() {
        return pending.size() + propagated.size();
    }

    void close() {
        closed = true;
        pending.values().forEach(pendingQuery -> pendingQuery.response().completeExceptionally(closedException()));
        propagated.values().forEach(collector -> collector.fail(closedException()));
    }

    private static RuntimeException closedException() {
        return ErrorCode.CLOSED.exception("resolver: closed");
    }
}
