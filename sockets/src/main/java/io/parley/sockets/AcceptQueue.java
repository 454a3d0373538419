package io.parley.sockets;

import io.parley.common.Scheduler;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.pipes.PipeConnectRequest;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a server socket that wait for {@code accept}. A connection is accepted by the peer when it arrives, as by a
 * TCP stack, so that the remote peer may send before the program accepts it; what it sends is bounded by its window. Thread-safe.
 */
final class AcceptQueue {

    /** A connection that waits. The first of these takes it: an accept, the timer, or the close. */
    private final class PendingConnection {

        private final PeerStream stream;
        private final AtomicBoolean taken = new AtomicBoolean();
        private final Scheduler.Timer timer;

        PendingConnection(PeerStream stream) {
            this.stream = stream;
            this.timer = sockets.group().scheduler().schedule(sockets.limits().acceptTimeout(), this::expire);
        }

        boolean tryTake() {
            if (!taken.compareAndSet(false, true)) {
                return false;
            }
            timer.cancel();
            places.decrementAndGet();
            queue.remove(this);
            return true;
        }

        private void expire() {
            try {
                sockets.group().workExecutor().execute(this::abort);
            } catch (RejectedExecutionException e) { // because the peer is closed
                abort();
            }
        }

        void abort() {
            if (tryTake()) {
                stream.abort();
            }
        }
    }

    private static final Logger log = LoggerFactory.getLogger(AcceptQueue.class);

    private final SocketContext sockets;
    private final RateLimitedLogger refusalLog;
    private final String service;
    private final int backlog;
    private final Queue<PendingConnection> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger places = new AtomicInteger();

    /** Held by the thread that accepts, also while it waits. */
    private final ReentrantLock accepting = new ReentrantLock();

    private final SocketWait arrival = new SocketWait(() -> !this.isEmpty() || isClosed());
    private volatile boolean closed;

    AcceptQueue(SocketContext sockets, String service, int backlog) {
        this.sockets = sockets;
        this.refusalLog = new RateLimitedLogger(log, sockets.group().scheduler());
        this.service = service;
        this.backlog = backlog;
    }

    private boolean isEmpty() {
        return queue.isEmpty();
    }

    private boolean isClosed() {
        return closed;
    }

    /** Accepts the request of a peer, or refuses it. Does not block. */
    void onRequest(PipeConnectRequest request) {
        if (!sockets.allowedPeers().test(request.remotePeer())) {
            refusalLog.warn(
                    "Refused connect of peer {} to socket service \"{}\": the peer is not allowed",
                    request.remotePeer(),
                    service);
            request.refuse(ErrorCode.IDENTITY_REFUSED.exception(
                    "socket service \"" + service + "\" does not allow this peer"));
            return;
        }
        if (places.incrementAndGet() > backlog) {
            places.decrementAndGet();
            request.refuse(ErrorCode.BUSY.exception("the backlog of socket service \"" + service + "\" is full: "
                    + backlog + " connections wait for accept (expected: < " + backlog + ")"));
            return;
        }
        PeerStream stream = new PeerStream(sockets.group(), service, sockets.limits());
        try {
            open(request, stream);
        } catch (RuntimeException | Error e) {
            stream.discard();
            places.decrementAndGet();
            if (!(e instanceof ParleyException refusal)) {
                throw e; // the acceptor refuses the request
            }
            request.refuse(refusal);
            return;
        }
        add(stream);
    }

    private void open(PipeConnectRequest request, PeerStream stream) {
        StreamFormat.checkHello(request.hello());
        int maxSockets = sockets.limits().maxSockets();
        if (!sockets.registry().tryAddInbound(stream, maxSockets)) {
            throw ErrorCode.BUSY.exception("the peer has too many open sockets (expected: < " + maxSockets + ", < "
                    + PeerSocketRegistry.maxInbound(maxSockets) + " of remote peers)");
        }
        stream.limitMessages(StreamFormat.maxSentBytes(sockets.messageLimits(), request.hello()));
        stream.attach(request.accept(stream));
    }

    /** Adds a connection. It leaves the queue if it is reset, unless all its bytes have arrived. */
    void add(PeerStream stream) {
        PendingConnection waiting = new PendingConnection(stream);
        queue.add(waiting);
        stream.whenFailed().thenRun(() -> {
            if (!stream.hasEnded()) {
                waiting.abort(); // its place is free for another one
            }
        });
        if (closed) {
            waiting.abort();
        }
        arrival.signal();
    }

    /**
     * Takes the next connection. Waits for it, and for other threads that accept.
     *
     * @param timeout of all waits; zero for none
     */
    PeerStream accept(Duration timeout) throws IOException {
        SocketDeadline deadline = SocketDeadline.after(timeout);
        if (!deadline.tryLock(accepting)) {
            throw timedOut();
        }
        try {
            while (true) {
                if (closed) {
                    throw SocketFailures.closed();
                }
                PendingConnection next = queue.peek();
                if (next != null) {
                    if (next.tryTake()) {
                        return next.stream;
                    }
                    queue.remove(next);
                    continue;
                }
                if (!arrival.await(deadline)) {
                    throw timedOut();
                }
            }
        } finally {
            accepting.unlock();
        }
    }

    private static SocketTimeoutException timedOut() {
        return new SocketTimeoutException("Accept timed out");
    }

    /** Resets the connections that wait. */
    void close() {
        closed = true;
        arrival.signal();
        queue.forEach(PendingConnection::abort);
    }
}
