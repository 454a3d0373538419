package io.parley.group.internal.view;

import io.parley.common.internal.Throwables;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.transport.PeerAddress;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The messengers of a view to its neighbors and to those that it has asked. All calls are made on the executor of the view, except where
 * stated.
 */
final class MemberLinks {

    private static final Set<ErrorCode> HARMLESS =
            Set.of(ErrorCode.QUEUE_FULL, ErrorCode.CLOSED, ErrorCode.MESSAGE_TOO_LARGE);

    private final PeerGroup group;
    private final ServiceAddress service;
    private final Executor serial;
    private final Consumer<PeerId> onFailed;
    private final Map<PeerId, Messenger> messengers = new ConcurrentHashMap<>();

    /** The futures for which senders wait, by neighbor. */
    private final Map<PeerId, CompletableFuture<Void>> writable = new ConcurrentHashMap<>();

    private boolean closed;

    /** @param onFailed is called later, on the executor of the view, when a member cannot be reached */
    MemberLinks(PeerGroup group, ServiceAddress service, Executor serial, Consumer<PeerId> onFailed) {
        this.group = group;
        this.service = service;
        this.serial = serial;
        this.onFailed = onFailed;
    }

    /** Sends a message to a member. Searches for its address if none is given and there is no connection. */
    void send(PeerAddress member, Message message) {
        PeerId peer = member.peer();
        if (closed) {
            return;
        }
        if (messengers.containsKey(peer) || group.endpoint().isConnected(peer)) {
            send(peer, message);
        } else if (!member.addresses().isEmpty()) {
            group.endpoint().addPeerAddress(member);
            send(peer, message);
        } else {
            group.locate(peer)
                    .whenCompleteAsync(
                            (done, failure) -> {
                                if (closed) {
                                    return; // a new messenger would never be closed
                                }
                                if (failure == null) {
                                    send(peer, message);
                                } else {
                                    onFailed.accept(peer);
                                }
                            },
                            serial);
        }
    }

    private void send(PeerId peer, Message message) {
        messenger(peer).send(message).whenComplete((sent, failure) -> {
            if (failure != null) {
                onSendFailed(peer, Throwables.toParleyException(failure, ErrorCode.UNREACHABLE));
            }
        });
    }

    private Messenger messenger(PeerId peer) {
        return messengers.computeIfAbsent(peer, absent -> group.endpoint().messenger(peer, service));
    }

    private void onSendFailed(PeerId peer, ParleyException failure) {
        if (!HARMLESS.contains(failure.code())) {
            serial.execute(() -> onFailed.accept(peer));
        }
    }

    /** Sends a message to a connected peer that is no neighbor; drops it if there is no connection any more. */
    void respond(PeerId peer, Message message) {
        Messenger messenger = messengers.get(peer);
        if (messenger != null) {
            messenger.send(message);
        } else if (group.endpoint().isConnected(peer)) {
            group.endpoint().send(peer, service, message);
        }
    }

    /** Returns whether the queue to one of the neighbors has room. Thread-safe. */
    boolean isAnyWritable(Set<PeerId> neighbors) {
        return neighbors.stream().anyMatch(this::isWritable);
    }

    /** Returns a future that completes when the queue to one of the neighbors has room, or fails if a messenger has closed. Thread-safe. */
    CompletableFuture<?> whenAnyWritable(Set<PeerId> neighbors) {
        return CompletableFuture.anyOf(
                neighbors.stream().map(this::whenWritable).toArray(CompletableFuture<?>[]::new));
    }

    /** The same future for all callers: that of a neighbor which never reads would collect one for each call. */
    private CompletableFuture<Void> whenWritable(PeerId neighbor) {
        Messenger messenger = messengers.get(neighbor);
        if (messenger == null) {
            return CompletableFuture.completedFuture(null);
        }
        return writable.compute(
                neighbor, (peer, present) -> present == null || present.isDone() ? messenger.whenWritable() : present);
    }

    /** Returns whether the queue to a neighbor has room. Thread-safe. */
    boolean isWritable(PeerId neighbor) {
        Messenger messenger = messengers.get(neighbor);
        return messenger == null || messenger.isWritable();
    }

    /** Closes the messengers of all peers but some, after their queued messages are sent. */
    void retain(Predicate<PeerId> needed) {
        Set<PeerId> surplus = new HashSet<>(messengers.keySet());
        surplus.removeIf(needed);
        surplus.forEach(this::close);
        writable.keySet().retainAll(messengers.keySet()); // a sender may have added one while its messenger was closed
    }

    private CompletableFuture<Void> close(PeerId peer) {
        Messenger messenger = messengers.remove(peer);
        writable.remove(peer);
        return messenger == null ? CompletableFuture.completedFuture(null) : messenger.closeAsync();
    }

    /** Closes all messengers after their queued messages are sent. Messages from now on are dropped. */
    CompletableFuture<Void> close() {
        closed = true;
        return CompletableFuture.allOf(
                Set.copyOf(messengers.keySet()).stream().map(this::close).toArray(CompletableFuture<?>[]::new));
    }
}
