package io.parley.resolver.internal;

import io.parley.common.Scheduler;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The asking half of a resolver: what has been asked, and who may answer it. Thread-safe. */
final class QueryClient {

    private final ResolverMessageSender outbox;
    private final Executor executor;
    private final ResolverLimits limits;
    private final ResolverMetrics metrics;
    private final Scheduler scheduler;
    private final ConcurrentMap<Long, PendingQuery> asks = new ConcurrentHashMap<>();
    private final ConcurrentMap<Long, ResponseCollector> propagated = new ConcurrentHashMap<>();
    private final Semaphore askRoom;
    private final Semaphore propagatedRoom;
    private volatile boolean closed;

    QueryClient(
            ResolverMessageSender outbox,
            Executor executor,
            ResolverLimits limits,
            ResolverMetrics metrics,
            Scheduler scheduler) {
        this.outbox = outbox;
        this.executor = executor;
        this.limits = limits;
        this.metrics = metrics;
        this.scheduler = scheduler;
        this.askRoom = new Semaphore(limits.maxPendingQueries());
        this.propagatedRoom = new Semaphore(limits.maxPropagatedQueries());
    }

    CompletableFuture<Message> ask(PeerId peer, String name, Message query, Duration timeout) {
        if (!askRoom.tryAcquire()) {
            return CompletableFuture.failedFuture(
                    ErrorCode.BUSY.exception("open questions: " + limits.maxPendingQueries() + " (limit maxOpenAsks)"));
        }
        long id = scheduler.random().nextLong();
        CompletableFuture<Message> answer = new CompletableFuture<>();
        Scheduler.Timer timer = scheduler.schedule(
                timeout,
                () -> answer.completeExceptionally(ErrorCode.TIMEOUT.exception(
                        "peer " + peer + " has not answered about " + name + " within " + timeout)));
        PendingQuery ask = new PendingQuery(peer, name, answer, timer);
        asks.put(id, ask);
        answer.whenComplete((body, failure) -> forget(id)); // also when the caller cancels it
        if (closed) {
            answer.completeExceptionally(closedException());
        } else {
            ask.onSending(outbox.send(peer, new ResolverMessage.QueryMessage(false, id, name, 0, timeout, query)));
        }
        return answer;
    }

    /** The connection to that peer is lost. */
    void onDisconnected(PeerId peer) {
        for (PendingQuery ask : asks.values()) {
            if (ask.peer().equals(peer)) {
                ask.onDisconnected();
            }
        }
    }

    private void forget(long id) {
        PendingQuery ask = asks.remove(id);
        if (ask != null) {
            ask.cancelTimer();
            askRoom.release();
        }
    }

    ResponseCollector propagate(
            String name,
            Message query,
            PropagateOptions options,
            QueryResponseListener listener,
            Function<Message, List<CompletableFuture<Void>>> ways) {
        ResponseCollector collector = new ResponseCollector(options.maxResponses(), listener, executor, metrics);
        if (!propagatedRoom.tryAcquire()) {
            collector.fail(ErrorCode.BUSY.exception(
                    "open propagated questions: " + limits.maxPropagatedQueries() + " (limit maxOpenPropagated)"));
            return collector;
        }
        long id = scheduler.random().nextLong();
        Scheduler.Timer timer = scheduler.schedule(options.timeout(), collector::finish);
        propagated.put(id, collector);
        collector.ended().thenRun(() -> {
            propagated.remove(id);
            timer.cancel();
            propagatedRoom.release();
        });
        if (closed) {
            collector.fail(closedException());
        } else {
            ResolverMessage.QueryMessage question =
                    new ResolverMessage.QueryMessage(true, id, name, 0, options.timeout(), query);
            failWhenNoneSucceeds(collector, ways.apply(ResolverMessageFormat.write(question)));
        }
        return collector;
    }

    private static void failWhenNoneSucceeds(ResponseCollector collector, List<CompletableFuture<Void>> sendings) {
        if (sendings.isEmpty()) {
            collector.fail(ErrorCode.UNREACHABLE.exception("the resolver has no way to propagate"));
            return;
        }
        CompletableFuture.allOf(sendings.toArray(CompletableFuture<?>[]::new)).whenComplete((sent, failure) -> {
            if (failure != null && sendings.stream().allMatch(CompletableFuture::isCompletedExceptionally)) {
                collector.fail(Throwables.unwrap(failure));
            }
        });
    }

    void onReply(PeerId from, ResolverMessage.ResponseMessage reply, long size) {
        boolean tooLarge = size > limits.maxBodyBytes() + MessageSizeEstimator.HEADER_BYTES;
        PendingQuery ask = askOf(from, reply.id());
        boolean wanted;
        if (ask != null && tooLarge) {
            wanted = ask.answer()
                    .completeExceptionally(ErrorCode.MESSAGE_TOO_LARGE.exception(
                            ask + ": its answer has more than maxBodyBytes " + limits.maxBodyBytes()));
        } else if (ask != null) {
            wanted = ask.answer().complete(reply.body());
        } else {
            ResponseCollector collector = propagated.get(reply.id());
            wanted = collector != null && !tooLarge && collector.offer(from, reply.body());
        }
        metrics.increment(wanted ? Counter.RESPONSES_RECEIVED : Counter.RESPONSES_UNSOLICITED);
    }

    void onFailure(PeerId from, ResolverMessage.ErrorMessage failure) {
        PendingQuery ask = askOf(from, failure.id());
        boolean wanted = ask != null
                && ask.answer().completeExceptionally(failure.refusal().toException(ask.toString()));
        metrics.increment(wanted ? Counter.RESPONSES_RECEIVED : Counter.RESPONSES_UNSOLICITED);
    }

    /** The question, if that is the peer that was asked. */
    private @Nullable PendingQuery askOf(PeerId from, long id) {
        PendingQuery ask = asks.get(id);
        return ask != null && ask.peer().equals(from) ? ask : null;
    }

    /** How many questions are open. */
    int open() {
        return asks.size() + propagated.size();
    }

    void close() {
        closed = true;
        asks.values().forEach(ask -> ask.answer().completeExceptionally(closedException()));
        propagated.values().forEach(collector -> collector.fail(closedException()));
    }

    private static RuntimeException closedException() {
        return ErrorCode.CLOSED.exception("the resolver is closed");
    }
}
