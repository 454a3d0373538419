package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.ConcurrencyLimiter;
import io.parley.common.internal.DuplicateFilter;
import io.parley.common.internal.KeyedRateLimiter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Registration;
import io.parley.common.internal.Throwables;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.Endpoint;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The answering half of a resolver: hands the questions of others to handlers, within limits. Thread-safe. */
final class QueryServer {

    private static final Logger log = LoggerFactory.getLogger(QueryServer.class);

    /** All peers together may ask so many times as often as one. */
    private static final int ALL_PEERS = 10;

    /** Ids are chosen by the querying peer, so that no peer can use up the id of another. */
    private record QueryKey(PeerId from, long id) {}

    private final RateLimitedLogger floods = new RateLimitedLogger(log);
    private final Endpoint endpoint;
    private final ResolverMessageSender outbox;
    private final Executor executor;
    private final ResolverLimits limits;
    private final ResolverMetrics metrics;
    private final Scheduler scheduler;
    private final ConcurrentMap<String, QueryHandler> handlers = new ConcurrentHashMap<>();
    private final Set<HandlerInvocation> active = ConcurrentHashMap.newKeySet();
    private final ConcurrencyLimiter<PeerId> slots;
    private final KeyedRateLimiter<PeerId> askRates;
    private final KeyedRateLimiter<PeerId> propagatedRates;
    private final DuplicateFilter<QueryKey> seen;
    private volatile boolean closed;

    QueryServer(
            Endpoint endpoint,
            ResolverMessageSender outbox,
            Executor executor,
            ResolverLimits limits,
            ResolverMetrics metrics,
            Scheduler scheduler) {
        this.endpoint = endpoint;
        this.outbox = outbox;
        this.executor = executor;
        this.limits = limits;
        this.metrics = metrics;
        this.scheduler = scheduler;
        this.slots = new ConcurrencyLimiter<>(limits.maxConcurrentQueries(), limits.maxConcurrentQueryBytes());
        this.askRates = rates(limits.queriesPerSecond());
        this.propagatedRates = rates(limits.propagatedQueriesPerSecond());
        this.seen = new DuplicateFilter<>(limits.duplicateFilterSize(), limits.duplicateFilterTimeout(), scheduler);
    }

    private KeyedRateLimiter<PeerId> rates(int perSecond) {
        return new KeyedRateLimiter<>(
                perSecond, (long) ALL_PEERS * perSecond, endpoint.limits().maxKnownPeers(), scheduler);
    }

    Registration handle(String name, QueryHandler handler) {
        if (handlers.putIfAbsent(name, handler) != null) {
            throw ErrorCode.ALREADY_BOUND.exception("questions about " + name + " have a handler already");
        }
        return new Registration(() -> handlers.remove(name, handler));
    }

    /** A question to this peer. */
    void onAsk(PeerId from, ResolverMessage.QueryMessage question, long size) {
        QueryHandler handler = handlers.get(question.name());
        if (!askRates.tryAcquire(from)) {
            throttle(from, question, "more than " + limits.queriesPerSecond() + " questions a second");
        } else if (handler == null) {
            refuse(from, question, ErrorCode.NO_SUCH_SERVICE, "no handler of that name");
        } else if (size > limits.maxBodyBytes() + MessageSizeEstimator.HEADER_BYTES) {
            refuse(
                    from,
                    question,
                    ErrorCode.MESSAGE_TOO_LARGE,
                    "question: more than " + limits.maxBodyBytes() + " bytes");
        } else if (!slots.tryAcquire(from, size)) {
            throttle(from, question, "too many questions are being answered");
        } else {
            start(PeerAddress.of(from), question, size, handler);
        }
    }

    private void throttle(PeerId from, ResolverMessage.QueryMessage question, String why) {
        metrics.increment(Counter.QUERIES_THROTTLED);
        floods.warn("Refused a question of peer {} about {}: {}", from, question.name(), why);
        refuse(from, question, ErrorCode.BUSY, why);
    }

    private void refuse(PeerId to, ResolverMessage.QueryMessage question, ErrorCode code, String why) {
        count(outbox.trySend(to, new ResolverMessage.ErrorMessage(question.id(), WireStatus.of(code, why))), false);
    }

    /** A question to many, which nobody answers who has no answer. */
    void onPropagated(PeerAddress sender, ResolverMessage.QueryMessage question, long size) {
        PeerId from = sender.peer();
        if (question.hops() > limits.maxHops()) {
            metrics.increment(Counter.MESSAGES_REJECTED);
        } else if (!propagatedRates.tryAcquire(from)) {
            metrics.increment(Counter.QUERIES_THROTTLED);
            floods.warn("Threw away a propagated question of peer {}: too many at a time", from);
        } else if (!seen.add(new QueryKey(from, question.id()))) {
            metrics.increment(Counter.QUERIES_DUPLICATE);
        } else {
            QueryHandler handler = handlers.get(question.name());
            if (handler != null) {
                if (slots.tryAcquire(from, size)) {
                    start(sender, question, size, handler);
                } else {
                    metrics.increment(Counter.QUERIES_THROTTLED);
                }
            }
        }
    }

    private void start(PeerAddress asker, ResolverMessage.QueryMessage question, long size, QueryHandler handler) {
        HandlerInvocation handling = new HandlerInvocation(
                new Query(asker.peer(), question.name(), question.body(), question.propagated(), question.hops()),
                handler);
        active.add(handling);
        metrics.increment(Counter.QUERIES_HANDLED);
        CompletableFuture<Void> sent = handling.outcome()
                .thenApply(answer -> reply(question, answer))
                .exceptionally(failure -> failure(asker.peer(), question, Throwables.unwrap(failure)))
                .thenCompose(packet -> packet.map(saying -> send(asker, question, saying))
                        .orElseGet(() -> CompletableFuture.completedFuture(null)));
        CompletableFuture.allOf(sent, handling.returned()).whenComplete((done, failure) -> {
            active.remove(handling);
            slots.release(asker.peer(), size);
        });
        if (closed) {
            handling.abandon();
        }
        Duration timeout = question.patience().compareTo(limits.handlerTimeout()) < 0
                ? question.patience()
                : limits.handlerTimeout();
        handling.start(executor, scheduler, timeout);
    }

    /** Fails when the answer can't be sent. */
    private Optional<ResolverMessage> reply(ResolverMessage.QueryMessage question, Optional<Message> answer) {
        if (closed || (question.propagated() && answer.isEmpty())) {
            return Optional.empty();
        }
        Message body = answer.orElse(Message.EMPTY);
        ResolverMessageFormat.checkBody(body);
        MessageSizeEstimator.check("answer", body, limits.maxBodyBytes());
        return Optional.of(new ResolverMessage.ResponseMessage(question.id(), body));
    }

    private Optional<ResolverMessage> failure(PeerId asker, ResolverMessage.QueryMessage question, Throwable cause) {
        if (closed || cause instanceof CancellationException) {
            return Optional.empty();
        }
        metrics.increment(Counter.HANDLER_FAILURES);
        WireStatus refusal = refusal(asker, question, cause);
        return question.propagated()
                ? Optional.empty()
                : Optional.of(new ResolverMessage.ErrorMessage(question.id(), refusal));
    }

    /** Completes, always normally, when it has been sent or can't be. */
    private CompletableFuture<Void> send(
            PeerAddress asker, ResolverMessage.QueryMessage question, ResolverMessage packet) {
        if (question.propagated()) {
            endpoint.addPeerAddress(
                    asker); // only now: where an asker says it is need not be believed by those who don't answer
        }
        return count(outbox.send(asker.peer(), packet), packet instanceof ResolverMessage.ResponseMessage);
    }

    /** What our exceptions say is meant for others; what is in any other is nobody's business. */
    private static WireStatus refusal(PeerId asker, ResolverMessage.QueryMessage question, Throwable cause) {
        if (cause instanceof ParleyException known) {
            log.debug("No answer to peer {} about {}: {}", asker, question.name(), known.getMessage());
            return WireStatus.of(known.code(), String.valueOf(known.getMessage()));
        }
        log.warn("The handler of {} failed on a question of peer {}", question.name(), asker, cause);
        return WireStatus.of(ErrorCode.SERVICE_FAILED, "the handler failed");
    }

    private CompletableFuture<Void> count(CompletableFuture<Void> sending, boolean isAnswer) {
        return sending.handle((sent, failure) -> {
            if (failure != null) {
                metrics.increment(Counter.RESPONSES_FAILED);
            } else if (isAnswer) {
                metrics.increment(Counter.RESPONSES_SENT);
            }
            return null;
        });
    }

    /** How many questions are worked on. */
    int inUse() {
        return slots.inUse();
    }

    void close() {
        closed = true;
        handlers.clear();
        active.forEach(HandlerInvocation::abandon);
    }
}
