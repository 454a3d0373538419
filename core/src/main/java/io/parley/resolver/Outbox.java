package io.parley.resolver;

import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Sends packets to the resolvers of other peers. */
final class Outbox {

    private final Endpoint endpoint;
    private final ServiceAddress service;

    Outbox(Endpoint endpoint, ServiceAddress service) {
        this.endpoint = endpoint;
        this.service = service;
    }

    /** Sends what may be lost when there is much to send. */
    CompletableFuture<Void> trySend(PeerId peer, Packet packet) {
        return endpoint.send(peer, service, PacketFormat.write(packet));
    }

    /**
     * Sends what the caller has a bound on. When the messenger that all share has no room, it gets one of its own, so that
     * large messages wait for the network instead of failing.
     */
    CompletableFuture<Void> send(PeerId peer, Packet packet) {
        Message message = PacketFormat.write(packet);
        return endpoint.send(peer, service, message)
                .handle((sent, failure) -> failure != null && isQueueFull(failure)
                        ? sendAlone(peer, message)
                        : failure == null
                                ? CompletableFuture.<Void>completedFuture(null)
                                : CompletableFuture.<Void>failedFuture(causeOf(failure)))
                .thenCompose(Function.identity());
    }

    private CompletableFuture<Void> sendAlone(PeerId peer, Message message) {
        try {
            Messenger messenger = endpoint.messenger(peer, service);
            CompletableFuture<Void> sent = messenger.send(message);
            messenger.closeAsync();
            return sent;
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static boolean isQueueFull(Throwable failure) {
        return causeOf(failure) instanceof ParleyException known && known.code() == ErrorCode.QUEUE_FULL;
    }

    /** The failure itself, where stages have wrapped it. */
    static Throwable causeOf(Throwable failure) {
        @Nullable Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? causeOf(cause) : failure;
    }
}
