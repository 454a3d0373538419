package io.parley.pipes.internal.request;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Arguments;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.Throwables;
import io.parley.common.internal.Timers;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ApplicationException;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.internal.ExpiryTimer;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.pipes.internal.request.RequestFormat.ResponseHeader;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The pending requests of this peer in one group through pipes of one security, and the inbox that receives their responses. Requests
 * through secure pipes and others have nothing in common, so a response completes only a request that was as secure. Thread-safe.
 *
 * <p>A request ends with its response, with an error, at its timeout, or when its caller cancels it. A request that a holder has
 * received fails with {@link ErrorCode#LOST} if that holder restarts, or is not connected again within {@link #LOSS_DELAY}.
 */
public final class RequestClient {

    /** The maximum number of pending requests. */
    public static final int MAX_PENDING = 4096;

    /** The time that a holder has to connect again before its requests are lost. */
    static final Duration LOSS_DELAY = Duration.ofSeconds(1);

    /** The least time between two checks of all deadlines. */
    private static final long MIN_EXPIRY_NANOS = Duration.ofMillis(10).toNanos();

    private final PeerGroup group;
    private final Endpoint endpoint;
    private final PipeSecurity security;
    private final RequestMetrics metrics;
    private final ConcurrentMap<Long, PendingRequest> pending = new ConcurrentHashMap<>();

    private final AttemptRegistry attempts = new AttemptRegistry();

    /** The last loss of each peer whose return is awaited. */
    private final ConcurrentMap<PeerId, Object> losses = new ConcurrentHashMap<>();

    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong ids = new AtomicLong();
    private final ExpiryTimer expiry;
    private final ServiceRequesters services;
    private final int inbox;
    private final AsyncCloseable registration;
    private final AsyncCloseable connections;
    private volatile boolean closing;

    RequestClient(PeerGroup group, PipeSecurity security, RequestMetrics metrics) {
        this.group = group;
        this.endpoint = group.endpoint();
        this.security = security;
        this.metrics = metrics;
        this.expiry = new ExpiryTimer(group.scheduler(), group.workExecutor(), this::expire);
        this.services = new ServiceRequesters(group, this);
        this.connections = endpoint.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onConnected(PeerId peer) {
                services.onConnected(peer);
                if (attempts.hasAttempts(peer)) {
                    run(() -> checkRestarted(peer));
                }
            }

            @Override
            public void onDisconnected(PeerId peer) {
                services.onDisconnected(peer);
                if (attempts.hasAttempts(peer)) {
                    run(() -> checkLost(peer));
                }
            }
        });
        int number = 0;
        AsyncCloseable bound = null;
        while (bound == null) {
            try {
                bound = security.listen(
                        endpoint,
                        RequestFormat.responseService(number),
                        endpoint.limits().windowBytes(),
                        this::onResponse);
            } catch (ParleyException e) {
                if (e.code() != ErrorCode.ALREADY_BOUND || number == RequestFormat.MAX_INBOXES - 1) {
                    connections.closeAsync();
                    throw e.code() != ErrorCode.ALREADY_BOUND
                            ? e
                            : ErrorCode.LOCAL_LIMIT.exception(
                                    "inboxes for responses: " + (RequestFormat.MAX_INBOXES + 1) + " (expected: <= "
                                            + RequestFormat.MAX_INBOXES + ")");
                }
                number++; // another inbox of this peer
            }
        }
        inbox = number;
        registration = bound;
    }

    /** Returns the security of the pipes of the requests. */
    PipeSecurity security() {
        return security;
    }

    /** Returns the requesters of services by name. */
    public ServiceRequesters services() {
        return services;
    }

    /**
     * Registers a request. The caller must send it, unless it is done already: with {@link ErrorCode#QUEUE_FULL} if too many are
     * pending, or with {@link ErrorCode#CLOSED}.
     */
    public PendingRequest start(RequestRoute route, Message message, Duration timeout) {
        Arguments.requireTimeout("timeout", timeout);
        long deadline = group.scheduler().nanoTime() + timeout.toNanos();
        PendingRequest request = new PendingRequest(ids.incrementAndGet(), route, message, timeout, deadline);
        int now = count.incrementAndGet();
        request.result().whenComplete((response, failure) -> finish(request));
        if (now > MAX_PENDING) {
            request.fail(ErrorCode.QUEUE_FULL.exception(
                    "requests: " + now + " pending (expected: <= " + MAX_PENDING + "); wait for responses"));
            return request;
        }
        pending.put(request.id(), request);
        expiry.runAt(deadline);
        metrics.increment(Counter.REQUESTS_STARTED);
        if (closing) {
            request.fail(closedException());
        }
        if (request.isDone()) { // cancelled or closed before the request was in the table
            pending.remove(request.id(), request);
        }
        return request;
    }

    private ParleyException closedException() {
        return ErrorCode.CLOSED.exception("group " + group.name() + ": closed; the request was not executed");
    }

    /** Sends a request that has no attempt. */
    public void send(PendingRequest request, Messenger messenger, @Nullable HolderChannel holder) {
        RequestAttempt attempt = new RequestAttempt(messenger, holder, attempts);
        if (holder != null) {
            holder.addRequest();
        }
        PeerId peer = attempt.peer();
        endpoint.remoteInstance(peer).ifPresent(instance -> attempt.onConnected(peer, instance));
        boolean first = request.begin(attempt);
        Duration remaining = first
                ? request.timeout()
                : Duration.ofNanos(request.deadlineNanos() - group.scheduler().nanoTime());
        if (!first) {
            metrics.increment(Counter.REQUESTS_REDIRECTED);
        }
        CompletableFuture<Void> sent = messenger.send(
                RequestFormat.request(request.message(), inbox, request.id(), remaining, request.attemptNumber()));
        attempt.setSent(sent);
        if (request.isDone()) { // meanwhile
            attempt.withdraw();
            attempt.end();
        }
        sent.whenComplete((done, failure) -> onSent(request, attempt, failure));
    }

    private void onSent(PendingRequest request, RequestAttempt attempt, @Nullable Throwable failure) {
        if (request.isDone()) {
            return;
        }
        if (failure == null) {
            PeerId peer = attempt.messengerPeer();
            attempt.acknowledge(peer, attempt.messengerInstance());
            if (!isConnected(peer)) { // there may be no further event
                run(() -> checkLost(peer));
            } else if (attempt.wasDeliveredToOther(
                    peer, endpoint.remoteInstance(peer).orElse(0))) {
                run(() -> checkRestarted(peer));
            }
            return;
        }
        Throwable cause = Throwables.unwrap(failure);
        if (cause instanceof CancellationException) {
            return; // withdrawn, and already handled
        }
        ParleyException known = Throwables.toParleyException(cause, ErrorCode.SERVICE_FAILED);
        if (known.code() == ErrorCode.LOST) {
            onLost(request, attempt, known);
        } else {
            request.route().onNotExecuted(request, attempt, known);
        }
    }

    /** May be called several times for an attempt. */
    void onLost(PendingRequest request, RequestAttempt attempt, ParleyException cause) {
        if (request.route().onLost(request, attempt, cause)) {
            metrics.increment(Counter.REQUESTS_LOST);
        }
    }

    private void onResponse(ReceivedMessage received) {
        received.release();
        Message message = received.message();
        ResponseHeader header = RequestFormat.responseHeader(message);
        PendingRequest request = header == null ? null : pending.get(header.id());
        if (header == null || request == null) {
            metrics.increment(header == null ? Counter.RESPONSES_REJECTED : Counter.RESPONSES_UNSOLICITED);
            return;
        }
        RequestAttempt attempt = request.attempt();
        if (attempt == null || !attempt.accepts(received.from())) {
            metrics.increment(Counter.RESPONSES_REJECTED);
            return;
        }
        metrics.increment(Counter.RESPONSES_RECEIVED);
        attempt.setAnswered();
        switch (header.kind()) {
            case MESSAGE -> request.complete(new PipeMessage(received.from(), RequestFormat.withoutHeader(message)));
            case APPLICATION_ERROR -> request.fail(new ApplicationException(header.code(), header.text()));
            case SERVICE_ERROR -> onServiceError(request, attempt, header);
        }
    }

    private void onServiceError(PendingRequest request, RequestAttempt attempt, ResponseHeader header) {
        ErrorCode code = ErrorCode.ofWire(header.code());
        ErrorCode shown = code == null ? ErrorCode.SERVICE_FAILED : code;
        ParleyException cause =
                shown.exception("peer " + attempt.peer().shortText() + ": request failed: " + header.text());
        if (shown == ErrorCode.BUSY || shown == ErrorCode.NO_SUCH_SERVICE) {
            request.route().onNotExecuted(request, attempt, cause);
        } else {
            request.fail(cause);
        }
    }

    /** Called once for each request, when its future is complete for any reason. */
    private void finish(PendingRequest request) {
        pending.remove(request.id(), request);
        count.decrementAndGet();
        RequestAttempt attempt = request.attempt();
        if (attempt != null) {
            attempt.withdraw();
            attempt.end();
        }
        request.route().onFinished(request);
    }

    /** Fails the requests whose timeout has passed. */
    private void expire() {
        long now = group.scheduler().nanoTime();
        long next = Long.MAX_VALUE;
        for (PendingRequest request : pending.values()) {
            if (request.deadlineNanos() - now <= 0) {
                extendOrTimeOut(request);
            }
            if (!request.isDone()) {
                next = Math.min(next, request.deadlineNanos() - now);
            }
        }
        if (next != Long.MAX_VALUE) {
            expiry.runAt(now + Math.max(next, MIN_EXPIRY_NANOS));
        }
    }

    private void extendOrTimeOut(PendingRequest request) {
        Duration more = request.route().onTimeout(request);
        if (more.isZero()) {
            timeOut(request);
        } else {
            request.setDeadline(request.deadlineNanos() + more.toNanos());
        }
    }

    private void timeOut(PendingRequest request) {
        metrics.increment(Counter.REQUESTS_TIMED_OUT);
        RequestAttempt attempt = request.attempt();
        if (attempt == null) {
            request.failUnexecuted(request.route().noHolder(request.timeout()));
            return;
        }
        String failure = "request to peer " + attempt.peer().shortText() + ": no response within "
                + DurationFormatter.format(request.timeout());
        if (attempt.isAcknowledged()) {
            request.fail(ErrorCode.TIMEOUT.exception(failure + "; it was delivered, and may have been executed"));
        } else if (attempt.withdraw()) {
            request.failUnexecuted(
                    ErrorCode.TIMEOUT.exception(failure + "; it was not delivered, and will not be executed"));
        } else {
            request.fail(ErrorCode.TIMEOUT.exception(
                    failure + "; it was sent and not acknowledged, and may have been executed"));
        }
    }

    /** Loses the requests that an earlier run of a peer has received. The others are for the present one. */
    private void checkRestarted(PeerId peer) {
        endpoint.remoteInstance(peer)
                .ifPresent(instance -> pending.values().forEach(request -> {
                    RequestAttempt attempt = request.attempt();
                    if (attempt != null) {
                        attempt.onConnected(peer, instance);
                        if (attempt.wasDeliveredToOther(peer, instance)) {
                            onLost(request, attempt, lostException(peer, "has restarted"));
                        }
                    }
                }));
    }

    /** Connects again to a peer that has requests, and loses them if that takes too long. */
    private void checkLost(PeerId peer) {
        if (pending.values().stream().noneMatch(request -> isDelivered(request, peer))) {
            return;
        }
        Object loss = new Object();
        losses.put(peer, loss);
        endpoint.connect(peer);
        Timers.schedule(group.scheduler(), LOSS_DELAY, group.workExecutor(), () -> {
            if (!losses.remove(peer, loss)) {
                return; // the peer was connected meanwhile, and has more time
            }
            if (endpoint.remoteInstance(peer).isPresent()) {
                checkRestarted(peer);
                return;
            }
            for (PendingRequest request : pending.values()) {
                RequestAttempt attempt = request.attempt();
                if (attempt != null && attempt.wasDeliveredTo(peer)) {
                    onLost(request, attempt, lostException(peer, "is not connected any more"));
                }
            }
        });
    }

    private boolean isConnected(PeerId peer) {
        return peer.equals(endpoint.peerId()) || endpoint.remoteInstance(peer).isPresent();
    }

    private static boolean isDelivered(PendingRequest request, PeerId peer) {
        RequestAttempt attempt = request.attempt();
        return attempt != null && attempt.wasDeliveredTo(peer);
    }

    private static ParleyException lostException(PeerId peer, String reason) {
        return ErrorCode.LOST.exception("request to peer " + peer.shortText() + ": the peer " + reason
                + " and has not responded; the request may have been executed");
    }

    private void run(Runnable task) {
        if (!pending.isEmpty()) {
            try {
                group.workExecutor().execute(task);
            } catch (RejectedExecutionException e) {
                // The peer is closed, and the requests fail with it.
            }
        }
    }

    /** Returns the pending requests, at most {@link #MAX_PENDING}. */
    public Collection<PendingRequest> pending() {
        return pending.values();
    }

    /** Fails the requests of a route that was closed. */
    void failAll(RequestRoute route, String what) {
        pending.values().stream().filter(request -> request.route() == route).forEach(request -> fail(request, what));
    }

    private void fail(PendingRequest request, String what) {
        RequestAttempt attempt = request.attempt();
        if (attempt == null || attempt.withdraw()) {
            request.failUnexecuted(ErrorCode.CLOSED.exception(what + ": closed; the request was not executed"));
        } else {
            request.fail(ErrorCode.LOST.exception(what + ": closed; the request may have been executed"));
        }
    }

    /** Fails all requests. Returns a future that completes when the messengers of the client are closed. */
    CompletableFuture<Void> closeAsync() {
        closing = true;
        expiry.stop();
        connections.closeAsync();
        CompletableFuture<Void> unbound = registration.closeAsync();
        pending.values().forEach(request -> fail(request, "group " + group.name()));
        return CompletableFuture.allOf(unbound, services.closeAsync());
    }
}
