package io.parley.endpoint.internal;

import io.parley.endpoint.ServiceAddress;
import io.parley.message.Message;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Predicate;

/** The messengers to one peer that are kept for those who send without one of their own. From any thread. */
final class MessengerCache {

    private static final int MAX_TRIES = 8;

    private final Function<ServiceAddress, PeerMessenger> opener;
    private final ConcurrentMap<ServiceAddress, PeerMessenger> byService = new ConcurrentHashMap<>();

    MessengerCache(Function<ServiceAddress, PeerMessenger> opener) {
        this.opener = opener;
    }

    CompletableFuture<Void> send(ServiceAddress service, Message message) {
        PeerMessenger messenger = open(service);
        CompletableFuture<Void> sent = messenger.send(message);
        // It may have been closed for being idle a moment ago; then its successor takes the message.
        for (int tries = 1; tries < MAX_TRIES && sent.isCompletedExceptionally() && messenger.isClosing(); tries++) {
            messenger = open(service);
            sent = messenger.send(message);
        }
        return sent;
    }

    /** The open messenger that is kept for the service, or a new one, which is kept from now on. */
    private PeerMessenger open(ServiceAddress service) {
        PeerMessenger known = byService.get(service);
        if (known != null && !known.isClosing()) {
            return known;
        }
        PeerMessenger fresh = opener.apply(service);
        PeerMessenger kept = byService.merge(service, fresh, (old, other) -> old.isClosing() ? other : old);
        if (kept != fresh) {
            fresh.closeAsync();
        }
        return kept;
    }

    boolean isEmpty() {
        return byService.isEmpty();
    }

    void forget(PeerMessenger messenger) {
        byService.remove(messenger.service(), messenger);
    }

    /** Closes those that have had nothing to do since the last call. */
    void closeIdle() {
        close(PeerMessenger::isIdle);
    }

    /** Closes those that have nothing to send. */
    void closeEmpty() {
        close(messenger -> !messenger.hasQueued());
    }

    private void close(Predicate<PeerMessenger> which) {
        List.copyOf(byService.values()).stream().filter(which).forEach(PeerMessenger::closeAsync);
    }
}
