package io.parley.resolver.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.ConcurrencyLimiter;
import io.parley.common.internal.DuplicateFilter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Registration;
import io.parley.common.internal.TextSanitizer;
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

/** The server side of a resolver: dispatches received queries to handlers, within limits. Thread-safe. */
final class QueryServer {

    private static final Logger log = LoggerFactory.getLogger(QueryServer.class);

    /** Ids are chosen by the querying peer, and so are their hashes. No peer can use up the id of another. */
    record QueryKey(PeerId from, long id) implements Comparable<QueryKey> {

        @Override
        public int compareTo(QueryKey other) {
            int byId = Long.compare(id, other.id);
            return byId != 0 ? byId : from.compareTo(other.from);
        }
    }

    private final RateLimitedLogger throttleLog = new RateLimitedLogger(log);
    private final RateLimitedLogger failureLog = new RateLimitedLogger(log);
    private final Endpoint endpoint;
    private final ResponseSender responses;
    private final Executor executor;
    private final ResolverLimits limits;
    private final ResolverMetrics metrics;
    private final Scheduler scheduler;
    private final ConcurrentMap<String, QueryHandler> handlers = new ConcurrentHashMap<>();
    private final Set<HandlerInvocation> active = ConcurrentHashMap.newKeySet();
    private final ConcurrencyLimiter<PeerId> concurrency;
    private final QueryRateLimiter rates;
    private final QueryRateLimiter propagatedRates;
    private final DuplicateFilter<QueryKey> duplicates;
    private volatile boolean closed;

    QueryServer(
            Endpoint endpoint,
            ResolverMessageSender sender,
            Executor executor,
            ResolverLimits limits,
            ResolverMetrics metrics,
            Scheduler scheduler) {
        this.endpoint = endpoint;
        this.responses = new ResponseSender(endpoint, sender, limits, scheduler);
        this.executor = executor;
        this.limits = limits;
        this.metrics = metrics;
        this.scheduler = scheduler;
        this.concurrency = new ConcurrencyLimiter<>(limits.maxConcurrentQueries(), limits.maxConcurrentQueryBytes());
        this.rates = new QueryRateLimiter(endpoint, metrics, scheduler, "queriesPerSecond", limits.queriesPerSecond());
        this.propagatedRates = new QueryRateLimiter(
                endpoint, metrics, scheduler, "propagatedQueriesPerSecond", limits.propagatedQueriesPerSecond());
        this.duplicates =
                new DuplicateFilter<>(limits.duplicateFilterSize(), limits.duplicateFilterTimeout(), scheduler);
    }

    Registration registerHandler(String name, QueryHandler handler) {
        if (handlers.putIfAbsent(name, handler) != null) {
            throw ErrorCode.ALREADY_BOUND.exception("handler " + name + ": exists already; close it first");
        }
        return new Registration(() -> handlers.remove(name, handler));
    }

    /** Handles a direct query. */
    void onQuery(PeerId from, ResolverMessage.QueryMessage query, long size) {
        QueryHandler handler = handlers.get(query.name());
        Optional<String> exceededRate = rates.acquire(from);
        if (exceededRate.isPresent()) {
            refuseBusy(from, query, exceededRate.get());
        } else if (handler == null) {
            refuse(from, query, ErrorCode.NO_SUCH_SERVICE, "no handler with this name");
        } else if (size > limits.maxBodyBytes() + ResolverMessageFormat.MAX_HEADER_BYTES) {
            refuse(
                    from,
                    query,
                    ErrorCode.MESSAGE_TOO_LARGE,
                    "query: " + size + " bytes (expected: <= maxBodyBytes " + limits.maxBodyBytes() + ")");
        } else if (responses.isFull(from)) {
            throttle(from, query, "limit of unsent responses exceeded; read the responses to earlier queries");
        } else if (!concurrency.tryAcquire(from, size)) {
            throttle(from, query, "limit of concurrent queries exceeded");
        } else {
            start(PeerAddress.of(from), query, size, handler);
        }
    }

    private void throttle(PeerId from, ResolverMessage.QueryMessage query, String why) {
        metrics.increment(Counter.QUERIES_THROTTLED);
        refuseBusy(from, query, why);
    }

    private void refuseBusy(PeerId from, ResolverMessage.QueryMessage query, String why) {
        throttleLog.warn("Refused query {} of peer {}: {}", TextSanitizer.quote(query.name()), from, why);
        refuse(from, query, ErrorCode.BUSY, why);
    }

    private void refuse(PeerId to, ResolverMessage.QueryMessage query, ErrorCode code, String why) {
        count(responses.sendRefusal(to, new ResolverMessage.ErrorMessage(query.id(), WireStatus.of(code, why))), false);
    }

    /** Handles a propagated query. Peers without a response do not respond to it. */
    void onPropagated(PeerAddress origin, ResolverMessage.QueryMessage query, long size) {
        PeerId from = origin.peer();
        if (query.hops() > limits.maxHops()) {
            metrics.increment(Counter.MESSAGES_REJECTED);
            return;
        }
        Optional<String> exceededRate = propagatedRates.acquire(from);
        if (exceededRate.isPresent()) {
            throttleLog.warn("Dropped propagated query of peer {}: {}", from, exceededRate.get());
        } else if (!duplicates.add(new QueryKey(from, query.id()))) {
            metrics.increment(Counter.QUERIES_DUPLICATE);
        } else {
            QueryHandler handler = handlers.get(query.name());
            if (handler != null) {
                if (concurrency.tryAcquire(from, size)) {
                    start(origin, query, size, handler);
                } else {
                    metrics.increment(Counter.QUERIES_THROTTLED);
                }
            }
        }
    }

    private void start(PeerAddress origin, ResolverMessage.QueryMessage query, long size, QueryHandler handler) {
        HandlerInvocation invocation = new HandlerInvocation(
                new Query(origin.peer(), query.name(), query.body(), query.propagated(), query.hops()), handler);
        active.add(invocation);
        metrics.increment(Counter.QUERIES_HANDLED);
        CompletableFuture<Void> handled = invocation
                .outcome()
                .thenApply(response -> response(query, response))
                .exceptionally(failure -> failure(origin.peer(), query, Throwables.unwrap(failure)))
                .thenAccept(response -> response.ifPresent(message -> send(origin, query, message)));
        // The query is over when it is handled: limits of their own bound responses that the peer does not read.
        CompletableFuture.allOf(handled, invocation.returned()).whenComplete((done, failure) -> {
            active.remove(invocation);
            concurrency.release(origin.peer(), size);
        });
        if (closed) {
            invocation.cancel();
        }
        Duration timeout =
                query.timeout().compareTo(limits.handlerTimeout()) < 0 ? query.timeout() : limits.handlerTimeout();
        invocation.start(executor, scheduler, timeout);
    }

    /** Returns the message for a handler's response. Fails if the response cannot be sent. */
    private Optional<ResolverMessage> response(ResolverMessage.QueryMessage query, Optional<Message> response) {
        if (closed || (query.propagated() && response.isEmpty())) {
            return Optional.empty();
        }
        Message body = response.orElse(Message.EMPTY);
        ResolverMessageFormat.checkBody(body);
        ResolverMessageFormat.checkSize("response", body, limits.maxBodyBytes());
        return Optional.of(new ResolverMessage.ResponseMessage(query.id(), body));
    }

    private Optional<ResolverMessage> failure(PeerId origin, ResolverMessage.QueryMessage query, Throwable cause) {
        if (closed || cause instanceof CancellationException) {
            return Optional.empty();
        }
        metrics.increment(Counter.HANDLER_FAILURES);
        WireStatus status = status(origin, query, cause);
        return query.propagated()
                ? Optional.empty()
                : Optional.of(new ResolverMessage.ErrorMessage(query.id(), status));
    }

    private void send(PeerAddress origin, ResolverMessage.QueryMessage query, ResolverMessage response) {
        if (query.propagated()) {
            // Only a responding peer uses the addresses of the querying peer, which are not authenticated.
            endpoint.addPeerAddress(origin);
        }
        count(responses.send(origin.peer(), response), response instanceof ResolverMessage.ResponseMessage);
    }

    /** Returns the status of a failure. Messages of other exceptions may contain private information and are not sent. */
    private WireStatus status(PeerId origin, ResolverMessage.QueryMessage query, Throwable cause) {
        if (cause instanceof ParleyException known) {
            log.debug("Refused query {} of peer {}: {}", TextSanitizer.quote(query.name()), origin, known.getMessage());
            return WireStatus.of(known.code(), String.valueOf(known.getMessage()));
        }
        failureLog.warn("Handler {} failed on a query of peer {}", TextSanitizer.quote(query.name()), origin, cause);
        return WireStatus.of(ErrorCode.SERVICE_FAILED, "handler failed");
    }

    private void count(CompletableFuture<Void> send, boolean isResponse) {
        send.whenComplete((sent, failure) -> {
            if (failure == null) {
                if (isResponse) {
                    metrics.increment(Counter.RESPONSES_SENT);
                }
            } else if (Throwables.unwrap(failure) instanceof ParleyException known
                    && known.code() == ErrorCode.LOCAL_LIMIT) {
                metrics.increment(Counter.RESPONSES_DROPPED);
                throttleLog.warn("Dropped response: {}", known.getMessage());
            } else {
                metrics.increment(Counter.RESPONSES_FAILED);
            }
        });
    }

    /** Returns the number of queries in progress. */
    int pendingQueries() {
        return concurrency.inUse();
    }

    /** Returns the number of peers that have not received all their responses. */
    int pendingPeers() {
        return responses.pendingPeers();
    }

    void close() {
        closed = true;
        handlers.clear();
        active.forEach(HandlerInvocation::cancel);
        responses.close();
    }
}
