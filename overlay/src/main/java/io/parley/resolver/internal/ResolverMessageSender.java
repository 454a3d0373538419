package io.parley.resolver.internal;

import io.parley.common.internal.Throwables;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Sends messages to the resolvers of other peers. */
final class ResolverMessageSender {

    /** Messages sent strictly one after the other, so that the messenger's queue always has room for the next. */
    private static final class PeerSendQueue {

        private final Messenger messenger;
        private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
        private int pending;

        private PeerSendQueue(Messenger messenger) {
            this.messenger = messenger;
        }

        private CompletableFuture<Void> append(Message message) {
            pending++;
            last = last.handle((sent, failure) -> messenger).thenCompose(free -> free.send(message));
            return last;
        }
    }

    private final Endpoint endpoint;
    private final ServiceAddress service;
    private final Map<PeerId, PeerSendQueue> queues = new HashMap<>();

    ResolverMessageSender(Endpoint endpoint, ServiceAddress service) {
        this.endpoint = endpoint;
        this.service = service;
    }

    /** Sends a message that may be dropped if the queue is full. */
    CompletableFuture<Void> trySend(PeerId peer, ResolverMessage message) {
        return endpoint.send(peer, service, ResolverMessageFormat.write(message));
    }

    /**
     * Sends a message whose number the caller limits. If the queue of the shared messenger is full, the message waits in a queue of
     * this sender instead of failing.
     */
    CompletableFuture<Void> send(PeerId peer, ResolverMessage resolverMessage) {
        Message message = ResolverMessageFormat.write(resolverMessage);
        return endpoint.send(peer, service, message)
                .handle((sent, failure) -> failure != null && isQueueFull(failure)
                        ? sendInQueue(peer, message)
                        : failure == null
                                ? CompletableFuture.<Void>completedFuture(null)
                                : CompletableFuture.<Void>failedFuture(Throwables.unwrap(failure)))
                .thenCompose(Function.identity());
    }

    private CompletableFuture<Void> sendInQueue(PeerId peer, Message message) {
        synchronized (queues) {
            PeerSendQueue queue;
            try {
                queue = queues.computeIfAbsent(peer, id -> new PeerSendQueue(endpoint.messenger(id, service)));
            } catch (ParleyException e) {
                return CompletableFuture.failedFuture(e);
            }
            CompletableFuture<Void> sent = queue.append(message);
            sent.whenComplete((done, failure) -> release(peer, queue));
            return sent;
        }
    }

    private void release(PeerId peer, PeerSendQueue queue) {
        synchronized (queues) {
            if (--queue.pending == 0) {
                queues.remove(peer, queue);
                queue.messenger.closeAsync();
            }
        }
    }

    private static boolean isQueueFull(Throwable failure) {
        return Throwables.unwrap(failure) instanceof ParleyException known && known.code() == ErrorCode.QUEUE_FULL;
    }
}
