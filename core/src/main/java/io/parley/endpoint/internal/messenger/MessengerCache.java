package io.parley.endpoint.internal.messenger;

import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ServiceAddress;
import io.parley.message.Message;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** The cached messengers to one peer, for callers that send without a messenger. Thread-safe. */
public final class MessengerCache {

    private static final int MAX_ATTEMPTS = 8;

    private record Key(ServiceAddress service, boolean secure) {}

    private final BiFunction<ServiceAddress, MessengerOptions, PeerMessenger> factory;
    private final ConcurrentMap<Key, PeerMessenger> byKey = new ConcurrentHashMap<>();

    public MessengerCache(BiFunction<ServiceAddress, MessengerOptions, PeerMessenger> factory) {
        this.factory = factory;
    }

    /** @param secure whether the messenger requires a secure channel */
    public CompletableFuture<Void> send(ServiceAddress service, boolean secure, Message message) {
        Key key = new Key(Objects.requireNonNull(service, "service"), secure);
        Objects.requireNonNull(message, "message"); // before a messenger is cached for it
        PeerMessenger messenger = open(key);
        CompletableFuture<Void> sent = messenger.send(message);
        // The messenger may have been closed because it was idle; then a new one sends the message.
        for (int attempts = 1;
                attempts < MAX_ATTEMPTS && sent.isCompletedExceptionally() && messenger.isClosing();
                attempts++) {
            messenger = open(key);
            sent = messenger.send(message);
        }
        return sent;
    }

    /** Returns the open messenger of the service, or a new one, which is cached. */
    private PeerMessenger open(Key key) {
        PeerMessenger known = byKey.get(key);
        if (known != null && !known.isClosing()) {
            return known;
        }
        PeerMessenger created = factory.apply(
                key.service(),
                key.secure() ? MessengerOptions.DEFAULTS.withSecureChannels() : MessengerOptions.DEFAULTS);
        PeerMessenger cached = byKey.merge(key, created, (old, other) -> old.isClosing() ? other : old);
        if (cached != created) {
            created.closeAsync();
        }
        return cached;
    }

    public boolean isEmpty() {
        return byKey.isEmpty();
    }

    public void remove(PeerMessenger messenger) {
        byKey.remove(new Key(messenger.service(), messenger.isSecure()), messenger);
    }

    /** Closes the messengers that were not used since the last call. */
    public void closeIdle() {
        closeIf(messenger -> messenger.queue().checkIdle());
    }

    /** Closes the messengers without queued or unacknowledged messages. */
    public void closeEmpty() {
        closeIf(messenger -> !messenger.queue().hasPending());
    }

    private void closeIf(Predicate<PeerMessenger> condition) {
        List.copyOf(byKey.values()).stream().filter(condition).forEach(PeerMessenger::closeAsync);
    }
}
