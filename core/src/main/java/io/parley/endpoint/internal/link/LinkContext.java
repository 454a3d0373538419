package io.parley.endpoint.internal.link;

import io.parley.common.Scheduler;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.memory.MemoryBudget;
import io.parley.endpoint.internal.messenger.ChannelCodecFactory;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared dependencies of the parts of one link: what its peers have agreed on, its memory, its counters and its event loop. Its text
 * form describes the link. Confined to the event loop of the link, except for the methods that are documented otherwise.
 */
public final class LinkContext {

    private static final Logger log = LoggerFactory.getLogger(LinkContext.class);

    private final EndpointContext endpoint;
    private final Connection connection;
    private final Hello remote;
    private final ChannelCodecFactory codecs;
    private final MemoryBudget memory;
    private final KeepAlive keepAlive;
    private final LinkCloser closer;
    private final EndpointMetrics metrics;

    /**
     * Creates the context of a link.
     *
     * @param remote    the HELLO or ACCEPT that this peer has received
     * @param memory    the budget of the connection
     * @param keepAlive is notified of messages
     * @param closer    ends the link if a guarded task finds a fault
     */
    LinkContext(
            EndpointContext endpoint,
            Connection connection,
            Hello remote,
            ChannelCodecFactory codecs,
            MemoryBudget memory,
            KeepAlive keepAlive,
            LinkCloser closer) {
        this.endpoint = endpoint;
        this.connection = connection;
        this.remote = remote;
        this.codecs = codecs;
        this.memory = memory;
        this.keepAlive = keepAlive;
        this.closer = closer;
        this.metrics = endpoint.metrics();
    }

    EndpointContext endpoint() {
        return endpoint;
    }

    PeerId self() {
        return endpoint.self();
    }

    /** Returns the remote peer. Thread-safe. */
    PeerId peer() {
        return remote.peer();
    }

    /** Returns the HELLO or ACCEPT that the remote peer has sent. Thread-safe. */
    Hello remote() {
        return remote;
    }

    /** Returns whether the remote peer acknowledges messages. Thread-safe. */
    boolean isAcknowledging() {
        return remote.isAcknowledging();
    }

    public ChannelCodecFactory codecs() {
        return codecs;
    }

    LinkCloser closer() {
        return closer;
    }

    EndpointMetrics metrics() {
        return metrics;
    }

    long nanoTime() {
        return endpoint.scheduler().nanoTime();
    }

    /** Returns the budget of the connection. Thread-safe. */
    MemoryBudget memory() {
        return memory;
    }

    /** Reserves memory. If it is short, asks for that of idle channels, which comes later. Thread-safe. */
    boolean tryReserve(long bytes) {
        if (bytes == 0) {
            return true;
        }
        boolean reserved = memory.tryReserve(bytes);
        memory.reclaim(reserved ? 0 : bytes, nanoTime());
        return reserved;
    }

    /** @throws ParleyException {@link ErrorCode#LIMIT_EXCEEDED} if a message of that size is too large */
    void checkSize(long bytes) {
        long limit = Math.min(endpoint.limits().messages().maxMessageBytes(), EndpointContext.MAX_ARRAY_BYTES);
        if (bytes > limit) {
            throw ErrorCode.LIMIT_EXCEEDED.exception("message: " + bytes + " bytes (expected: <= " + limit + ")");
        }
    }

    void countSent(long messages, long bytes) {
        keepAlive.onMessageTransferred();
        metrics.add(Counter.MESSAGES_SENT, messages);
        metrics.add(Counter.MESSAGE_BYTES_SENT, bytes);
    }

    void countReceived(long bytes) {
        keepAlive.onMessageTransferred();
        metrics.increment(Counter.MESSAGES_RECEIVED);
        metrics.add(Counter.MESSAGE_BYTES_RECEIVED, bytes);
    }

    /** Counts and logs a message that is dropped, because its elements cannot be decoded. Thread-safe. */
    void countUndecodable(ServiceAddress service, ParleyException cause) {
        metrics.increment(Counter.MESSAGES_UNDECODABLE);
        endpoint.faultLog().warn("Dropped message from peer {} to service {}: {}", peer(), service, cause.getMessage());
    }

    /** Aborts the connection. Thread-safe. */
    void abort(@Nullable Throwable cause) {
        connection.abort(cause);
    }

    /** Returns the event loop. */
    public Executor executor() {
        return connection.executor();
    }

    /** Returns whether the caller is on the event loop. Thread-safe. */
    boolean isInEventLoop() {
        return connection.executor().inEventLoop();
    }

    /** Runs the task on the event loop: now if called there, otherwise later. Thread-safe. */
    public void run(Runnable task) {
        if (isInEventLoop()) {
            task.run();
        } else {
            runLater(task);
        }
    }

    /** Runs the task on the event loop, unless that has terminated. Thread-safe. */
    void runLater(Runnable task) {
        try {
            connection.executor().execute(task);
        } catch (RejectedExecutionException e) {
            log.trace("Dropped task of {}: the event loop has terminated", this);
        }
    }

    /**
     * Runs the task on the event loop: now if this is its thread. Runs the other one on this thread if the event loop has
     * terminated. Thread-safe.
     */
    void run(Runnable task, Runnable otherwise) {
        if (isInEventLoop()) {
            task.run();
        } else {
            runLater(task, otherwise);
        }
    }

    /** Runs the task on the event loop, or the other one on this thread if the event loop has terminated. Thread-safe. */
    void runLater(Runnable task, Runnable otherwise) {
        try {
            connection.executor().execute(task);
        } catch (RejectedExecutionException e) {
            otherwise.run();
        }
    }

    /** Runs the task on the event loop after the delay. */
    Scheduler.Timer schedule(Duration delay, Runnable task) {
        return endpoint.schedule(delay, connection.executor(), () -> guard(task));
    }

    /** Runs a task that no frame of the remote peer has caused. */
    void guard(Runnable task) {
        try {
            task.run();
        } catch (PeerFaultException e) {
            closer.drop(e);
        }
    }

    @Override
    public String toString() {
        return "link to peer " + peer().shortText() + " at " + connection.remoteAddress();
    }
}
