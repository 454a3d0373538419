package io.parley.endpoint.internal;

import io.parley.endpoint.ServiceAddress;
import io.parley.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** The cached messengers to one peer, for callers that send without a messenger. Thread-safe. */
final class MessengerCache {

    private static final int MAX_ATTEMPTS = 8;

    private final Function<ServiceAddress, PeerMessenger> factory;
    private final ConcurrentMap<ServiceAddress, PeerMessenger> byService = new ConcurrentHashMap<>();

    MessengerCache(Function<ServiceAddress, PeerMessenger> factory) {
        this.factory = factory;
    }

    CompletableFuture<Void> send(ServiceAddress service, Message message) {
        PeerMessenger messenger = open(service);
        CompletableFuture<Void> sent = messenger.send(message);
        // The messenger may have been closed because it was idle; then a new one sends the message.
        for (int attempts = 1;
                attempts < MAX_ATTEMPTS && sent.isCompletedExceptionally() && messenger.isClosing();
                attempts++) {
            messenger = open(service);
            sent = messenger.send(message);
        }
        return sent;
    }

    /** Returns the open messenger of the service, or a new one, which is cached. */
    private PeerMessenger open(ServiceAddress service) {
        PeerMessenger known = byService.get(service);
        if (known != null && !known.isClosing()) {
            return known;
        }
        PeerMessenger created = factory.apply(service);
        PeerMessenger cached = byService.merge(service, created, (old, other) -> old.isClosing() ? other : old);
        if (cached != created) {
            created.closeAsync();
        }
        return cached;
    }

    boolean isEmpty() {
        return byService.isEmpty();
    }

    void remove(PeerMessenger messenger) {
        byService.remove(messenger.service(), messenger);
    }

    /** Closes the messengers that were not used since the last call. */
    void closeIdle() {
        closeIf(messenger -> messenger.queue().checkIdle());
    }

    /** Closes the messengers without queued or unacknowledged messages. */
    void closeEmpty() {
        closeIf(messenger -> !messenger.queue().hasPending());
    }

    private void closeIf(Predicate<PeerMessenger> condition) {
        List.copyOf(byService.values()).stream().filter(condition).forEach(PeerMessenger::closeAsync);
    }
}
