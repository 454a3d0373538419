package io.parley.pipes.internal.request;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Arguments;
import io.parley.common.internal.Closeables;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.pipes.internal.request.RequestFormat.RequestHeader;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** All state of requests and responses in one group, which closes it. Thread-safe. */
public final class PipeRequests implements AsyncCloseable {

    private final PeerGroup group;
    private final RequestMetrics metrics;
    private final ResponseChannelRegistry channels;
    private final Set<Runnable> closeActions = new LinkedHashSet<>();
    private final Map<PipeSecurity, RequestClient> clients = new ConcurrentHashMap<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private PipeRequests(PeerGroup group) {
        this.group = group;
        this.metrics = counter -> group.count(counter, 1);
        this.channels = new ResponseChannelRegistry(group);
    }

    /**
     * Returns the state of a group.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#CLOSED} if the group is closed
     */
    public static PipeRequests of(PeerGroup group) {
        return group.extension(PipeRequests.class, PipeRequests::new);
    }

    /**
     * Returns a received message without the header of a request, and with the target of its response if it had one. After the group
     * was left, this peer sends no responses in it, and messages have no target.
     *
     * @param security the security of the pipe, which the response has too
     */
    public static PipeMessage read(PeerGroup group, PipeSecurity security, ReceivedMessage received) {
        Message message = received.message();
        if (!RequestFormat.hasHeader(message)) {
            return new PipeMessage(received.from(), message);
        }
        ResponseTarget target;
        try {
            target = of(group).target(received.from(), security, message);
        } catch (ParleyException e) {
            target = null;
        }
        Message content = RequestFormat.withoutHeader(message);
        return target == null
                ? new PipeMessage(received.from(), content)
                : new ReceivedRequest(received.from(), content, target);
    }

    private @Nullable ResponseTarget target(PeerId requester, PipeSecurity security, Message message) {
        RequestHeader header = RequestFormat.requestHeader(message);
        if (header == null) {
            metrics.increment(Counter.REQUESTS_REJECTED);
            return null;
        }
        metrics.increment(Counter.REQUESTS_RECEIVED);
        long timeoutMillis = Math.min(header.timeoutMillis(), Arguments.MAX_TIMEOUT.toMillis());
        long deadlineNanos = group.scheduler().nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        ResponseInbox inbox = new ResponseInbox(requester, header.inbox(), security);
        return new ResponseTarget(channels, inbox, header.id(), deadlineNanos, header.attempt());
    }

    public RequestMetrics metrics() {
        return metrics;
    }

    /**
     * Returns the client for pipes of a security, which the first request creates.
     *
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#CLOSED}; {@link ErrorCode#LOCAL_LIMIT} if too many groups of this
     *     peer have a client
     */
    public RequestClient client(PipeSecurity security) {
        RequestClient known = clients.get(security);
        return known == null ? createClient(security) : known;
    }

    private synchronized RequestClient createClient(PipeSecurity security) {
        RequestClient known = clients.get(security);
        if (known != null) {
            return known;
        }
        if (closing.get()) {
            throw ErrorCode.CLOSED.exception("group " + group.name() + ": closed");
        }
        RequestClient created = new RequestClient(group, security, metrics);
        clients.put(security, created);
        return created;
    }

    /**
     * Adds an action that runs before the requests of this peer fail because the group closes.
     *
     * @param max the maximum number of actions
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#CLOSED}; {@link ErrorCode#LOCAL_LIMIT}
     */
    public synchronized void addCloseAction(Runnable action, int max) {
        if (closing.get()) {
            throw ErrorCode.CLOSED.exception("group " + group.name() + ": closed");
        }
        if (closeActions.size() >= max) {
            throw ErrorCode.LOCAL_LIMIT.exception(
                    "open task senders: " + (closeActions.size() + 1) + " (expected: <= " + max + ")");
        }
        closeActions.add(action);
    }

    public synchronized void removeCloseAction(Runnable action) {
        closeActions.remove(action);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            List<RequestClient> open;
            List<Runnable> actions;
            synchronized (this) {
                open = List.copyOf(clients.values());
                actions = List.copyOf(closeActions);
            }
            actions.forEach(Runnable::run);
            List<CompletableFuture<Void>> parts = new ArrayList<>();
            open.forEach(client -> parts.add(client.closeAsync()));
            parts.add(channels.closeAsync());
            CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                    .whenComplete((done, failure) -> closed.complete(null));
        }
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing.get();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, group.endpoint().limits().closeTimeout());
    }
}
