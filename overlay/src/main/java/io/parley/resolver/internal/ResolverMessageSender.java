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

/** Sends packets to the resolvers of other peers. */
final class ResolverMessageSender {

    /** Messages that go one after the other, so that the messenger's queue always has room for the next. */
    private static final class PeerSendQueue {

        private final Messenger messenger;
        private CompletableFuture<Void> last = CompletableFuture.completedFuture(null);
        private int waiting;

        private PeerSendQueue(Messenger messenger) {
            this.messenger = messenger;
        }

        private CompletableFuture<Void> append(Message message) {
            waiting++;
            last = last.handle((sent, failure) -> messenger).thenCompose(free -> free.send(message));
            return last;
        }
    }

    private final Endpoint endpoint;
    private final ServiceAddress service;
    private final Map<PeerId, PeerSendQueue> lines = new HashMap<>();

    ResolverMessageSender(Endpoint endpoint, ServiceAddress service) {
        this.endpoint = endpoint;
        this.service = service;
    }

    /** Sends what may be lost when there is much to send. */
    CompletableFuture<Void> trySend(PeerId peer, ResolverMessage packet) {
        return endpoint.send(peer, service, ResolverMessageFormat.write(packet));
    }

    /**
     * Sends what the caller has a bound on. When the messenger that all share has no room, it stands in a line of those
     * that wait for the network instead of failing.
     */
    CompletableFuture<Void> send(PeerId peer, ResolverMessage packet) {
        Message message = ResolverMessageFormat.write(packet);
        return endpoint.send(peer, service, message)
                .handle((sent, failure) -> failure != null && isQueueFull(failure)
                        ? sendInLine(peer, message)
                        : failure == null
                                ? CompletableFuture.<Void>completedFuture(null)
                                : CompletableFuture.<Void>failedFuture(Throwables.unwrap(failure)))
                .thenCompose(Function.identity());
    }

    private CompletableFuture<Void> sendInLine(PeerId peer, Message message) {
        synchronized (lines) {
            PeerSendQueue line;
            try {
                line = lines.computeIfAbsent(peer, id -> new PeerSendQueue(endpoint.messenger(id, service)));
            } catch (ParleyException e) {
                return CompletableFuture.failedFuture(e);
            }
            CompletableFuture<Void> sent = line.append(message);
            sent.whenComplete((done, failure) -> leave(peer, line));
            return sent;
        }
    }

    private void leave(PeerId peer, PeerSendQueue line) {
        synchronized (lines) {
            if (--line.waiting == 0) {
                lines.remove(peer, line);
                line.messenger.closeAsync();
            }
        }
    }

    private static boolean isQueueFull(Throwable failure) {
        return Throwables.unwrap(failure) instanceof ParleyException known && known.code() == ErrorCode.QUEUE_FULL;
    }
}
