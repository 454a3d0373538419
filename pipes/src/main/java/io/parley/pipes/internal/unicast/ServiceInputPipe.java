package io.parley.pipes.internal.unicast;

import io.parley.common.Scheduler;
import io.parley.common.internal.ConcurrencyLimiter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.SharedThreads;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ApplicationException;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.RequestHandler;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.pipes.internal.SenderEvent;
import io.parley.pipes.internal.request.ReceivedRequest;
import io.parley.pipes.internal.request.RequestMetrics;
import io.parley.pipes.internal.request.ResponseChannel;
import io.parley.pipes.internal.request.ResponseTarget;
import io.parley.transport.EndpointMetrics;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * An input pipe whose handler responds to requests, several at a time. A request keeps its part of the window of the requester until it
 * has its response, so the windows bound the memory of the requests that wait. Their number is bounded too, per requester and in total.
 * The requests of a requester that does not read its responses wait until it does. Thread-safe.
 */
public final class ServiceInputPipe extends AbstractInputPipe {

    /** The maximum number of requests of a service that wait or are handled; a requester may have a quarter of them. */
    static final int MAX_REQUESTS = 16_384;

    /** The maximum number of requests of a service that are handled at a time. */
    public static final int MAX_CONCURRENT = 64;

    /** A request, or a message that expects no response, in the queue. */
    private record QueuedRequest(ReceivedMessage received, PipeMessage message) {}

    private final RequestHandler handler;
    private final Executor executor;
    private final int maxConcurrent;
    private final Function<ReceivedMessage, PipeMessage> reader;
    private final Scheduler scheduler;
    private final RequestMetrics metrics;
    private final EndpointMetrics endpointMetrics;
    private final RateLimitedLogger log;
    private final Runnable worker = this::work;
    private final ConcurrencyLimiter<PeerId> limiter = new ConcurrencyLimiter<>(MAX_REQUESTS, Long.MAX_VALUE);
    private final Queue<QueuedRequest> queue = new ArrayDeque<>();

    /** The requests that wait for their requesters. Guarded by the lock of the queue. */
    private final Set<QueuedRequest> waiting = Collections.newSetFromMap(new IdentityHashMap<>());

    /** The number of workers that handle requests, or are about to. */
    private int workers;

    /** Whether a worker was passed to the executor and has not begun. Workers are started one after the other, each by its predecessor. */
    private boolean starting;

    /** Written with the lock. */
    private volatile boolean discarding;

    /** Completes when the pipe is closed and the last handler has ended. */
    private final CompletableFuture<Void> idle = new CompletableFuture<>();

    /** @param maxConcurrent the maximum number of requests that are handled at a time */
    public ServiceInputPipe(
            PipeTicket ticket,
            Duration closeTimeout,
            RequestHandler handler,
            Executor executor,
            int maxConcurrent,
            Function<ReceivedMessage, PipeMessage> reader,
            Scheduler scheduler,
            RequestMetrics metrics,
            EndpointMetrics endpointMetrics) {
        super(ticket, closeTimeout, null);
        this.handler = handler;
        this.executor = executor;
        this.maxConcurrent = maxConcurrent;
        this.reader = reader;
        this.scheduler = scheduler;
        this.metrics = metrics;
        this.endpointMetrics = endpointMetrics;
        this.log = new RateLimitedLogger(LoggerFactory.getLogger(ServiceInputPipe.class), scheduler);
    }

    @Override
    void onSenderEvent(SenderEvent event) {
        throw new IllegalStateException(this + ": has no sender listener");
    }

    @Override
    void onMessage(ReceivedMessage received) {
        PipeMessage message = read(reader, received);
        if (message == null) {
            received.release();
            return;
        }
        if (!limiter.tryAcquire(received.from(), 0)) {
            metrics.increment(Counter.REQUESTS_REFUSED);
            received.release();
            refuse(message, ErrorCode.BUSY, "too many requests wait at the service; the request was not executed");
            return;
        }
        enqueue(new QueuedRequest(received, message));
    }

    private void enqueue(QueuedRequest request) {
        boolean start;
        boolean closed;
        synchronized (queue) {
            closed = discarding;
            if (!closed) {
                queue.add(request);
            }
            start = !closed && claimStart();
        }
        if (closed) {
            discard(request);
        } else if (start) {
            startWorker();
        }
    }

    /** Returns whether the caller must start a worker. The caller must hold the lock. */
    private boolean claimStart() {
        if (starting || workers >= maxConcurrent || queue.isEmpty()) {
            return false;
        }
        starting = true;
        workers++;
        return true;
    }

    private void startWorker() {
        try {
            executor.execute(worker);
        } catch (RuntimeException | Error e) { // the executor is shut down or full, or the system has no more threads
            List<QueuedRequest> dropped;
            synchronized (queue) {
                starting = false;
                workers--;
                if (workers > 0) {
                    return; // which take the requests
                }
                dropped = new ArrayList<>(queue);
                queue.clear();
            }
            for (QueuedRequest request : dropped) {
                metrics.increment(Counter.REQUESTS_REFUSED);
                refuse(request.message(), ErrorCode.BUSY, "the executor of the service refuses it");
                release(request);
            }
            log.warn("Refused requests of {}: the executor does not accept tasks", this, e);
        }
    }

    private void work() {
        boolean first = true;
        boolean interrupted = false;
        for (QueuedRequest next = poll(first); next != null; next = poll(false)) {
            first = false;
            interrupted |= Thread.interrupted(); // by an earlier request, or for the thread
            QueuedRequest request = next;
            SharedThreads.runGuarded(() -> process(request)); // a failure would end the worker
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Removes the next request, or ends the worker if there is none. Starts another worker if more requests wait.
     *
     * @param first whether the worker has just begun
     */
    private @Nullable QueuedRequest poll(boolean first) {
        QueuedRequest next;
        boolean start;
        synchronized (queue) {
            if (first) {
                starting = false;
            }
            next = queue.poll();
            if (next == null) {
                workers--;
                return null;
            }
            start = claimStart();
        }
        if (start) {
            startWorker();
        }
        return next;
    }

    private void process(QueuedRequest request) {
        ResponseTarget target = ReceivedRequest.targetOf(request.message());
        if (target != null && target.isExpired(scheduler.nanoTime())) {
            metrics.increment(Counter.REQUESTS_EXPIRED);
            release(request);
        } else if (target == null || !waitsForRequester(request, target)) {
            try {
                handle(request.message(), target);
            } finally {
                release(request);
            }
        }
    }

    /** Returns whether the requester does not read its responses. Then the request is queued again when it does. */
    private boolean waitsForRequester(QueuedRequest request, ResponseTarget target) {
        try {
            ResponseChannel channel = target.channel();
            if (channel.isWritable()) {
                return false;
            }
            CompletableFuture<Void> whenWritable = channel.whenWritable();
            synchronized (queue) {
                waiting.add(request);
            }
            whenWritable.whenComplete((writable, failure) -> {
                if (!isTakenFromWaiting(request)) {
                    return; // the pipe is closed
                }
                if (failure == null) {
                    enqueue(request);
                } else { // the requester is gone
                    release(request);
                }
            });
            if (discarding && isTakenFromWaiting(request)) { // closed meanwhile
                discard(request);
            }
            return true;
        } catch (ParleyException e) { // because the group is closed, or there are too many requesters
            log.warn("Cannot respond to peer {}: {}", request.received().from(), e.getMessage());
            release(request);
            return true;
        }
    }

    private boolean isTakenFromWaiting(QueuedRequest request) {
        synchronized (queue) {
            return waiting.remove(request);
        }
    }

    private void handle(PipeMessage message, @Nullable ResponseTarget target) {
        try {
            Message response = handler.handle(message);
            if (response == null) {
                throw new NullPointerException("the handler has returned null");
            }
            if (target != null && target.claim()) { // otherwise the handler has called respond
                target.respond(response);
            }
        } catch (ApplicationException e) {
            if (target != null && target.claim()) {
                target.respondError(e.applicationCode(), e.text());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fail(message, e);
        } catch (Exception | Error e) { // an error too: it would end the worker, and the requester would wait
            fail(message, e);
        }
    }

    private void fail(PipeMessage message, Throwable failure) {
        endpointMetrics.increment(EndpointMetrics.Counter.LISTENER_FAILURES);
        ResponseTarget.fail(message, failure); // first, because there may be no memory to log
        log.warn("Handler of {} failed on a request of {}", this, message.from(), failure);
    }

    private void release(QueuedRequest request) {
        request.received().release();
        limiter.release(request.received().from(), 0);
        completeIdle();
    }

    private void completeIdle() {
        if (discarding && limiter.inUse() == 0) {
            idle.complete(null);
        }
    }

    private static void refuse(PipeMessage message, ErrorCode code, String text) {
        ResponseTarget target = ReceivedRequest.targetOf(message);
        if (target != null && target.claim()) {
            target.respondFailure(code, text);
        }
    }

    private void discard(QueuedRequest request) {
        ResponseTarget.discard(request.message());
        release(request);
    }

    @Override
    public Optional<PipeMessage> receive(Duration timeout) {
        throw hasListener();
    }

    @Override
    public CompletableFuture<PipeMessage> receiveAsync() {
        throw hasListener();
    }

    @Override
    public Flow.Publisher<PipeMessage> publisher() {
        throw hasListener();
    }

    @Override
    void discard() {
        List<QueuedRequest> dropped;
        synchronized (queue) {
            discarding = true;
            dropped = new ArrayList<>(queue);
            queue.clear();
            dropped.addAll(waiting);
            waiting.clear();
        }
        dropped.forEach(this::discard);
        completeIdle();
    }

    /** Returns a future that completes when the pipe is closed, and no handler runs any more. */
    public CompletableFuture<Void> whenIdle() {
        return idle.copy();
    }

    /** Returns the number of requests that wait or are handled. */
    int requestCount() {
        return limiter.inUse();
    }
}
