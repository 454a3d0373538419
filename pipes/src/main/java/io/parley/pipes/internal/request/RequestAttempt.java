package io.parley.pipes.internal.request;

import io.parley.endpoint.Messenger;
import io.parley.id.PeerId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One transmission of a request to a holder. Thread-safe. */
public final class RequestAttempt {

    private final Messenger messenger;
    private final @Nullable HolderChannel holder;
    private final AttemptRegistry registry;

    /** The peer at which the attempt is registered; null before the acknowledgement. Guarded by this. */
    private @Nullable PeerId registeredAt;

    /** The peer that has acknowledged the request; before, the peer of the messenger when the request was queued. */
    private volatile PeerId peer;

    private volatile @Nullable CompletableFuture<Void> sent;
    private volatile boolean acknowledged;
    private volatile boolean responded;

    private final AtomicBoolean ended = new AtomicBoolean();

    /** The run of the peer; see {@link io.parley.endpoint.Endpoint#remoteInstance}. Zero if it is not known. */
    private volatile long instance;

    /** Creates an attempt, which the registry has until {@link #end}. */
    RequestAttempt(Messenger messenger, @Nullable HolderChannel holder, AttemptRegistry registry) {
        this.messenger = messenger;
        this.holder = holder;
        this.registry = registry;
        this.peer = messenger.peer();
        registry.add(messenger);
    }

    /** Returns the channel to one of several holders; {@code null} if the request was sent through a pipe. */
    @Nullable
    HolderChannel holder() {
        return holder;
    }

    PeerId peer() {
        return peer;
    }

    /** Returns the peer to which the messenger sends now. */
    PeerId messengerPeer() {
        return messenger.peer();
    }

    /** Returns the run of the peer to which the messenger sends now; zero if there is no connection. */
    long messengerInstance() {
        return messenger.remoteInstance().orElse(0);
    }

    void setSent(CompletableFuture<Void> future) {
        sent = future;
    }

    /** Called when there is a connection to a peer, before the request is acknowledged. */
    synchronized void onConnected(PeerId to, long remoteInstance) {
        if (!acknowledged && to.equals(messenger.peer())) {
            peer = to;
            instance = remoteInstance;
        }
    }

    /**
     * Called when the peer has the request.
     *
     * @param remoteInstance zero if the connection was lost meanwhile: then the last run counts to which there was one
     */
    synchronized void acknowledge(PeerId by, long remoteInstance) {
        if (remoteInstance != 0 || !by.equals(peer)) {
            instance = remoteInstance;
        }
        peer = by;
        if (!ended.get() && registeredAt == null) {
            registry.acknowledge(messenger, by);
            registeredAt = by;
        }
        acknowledged = true;
    }

    boolean isAcknowledged() {
        return acknowledged;
    }

    /** Returns whether the request is at a peer, and at another run of it than this one. */
    boolean wasDeliveredToOther(PeerId candidate, long remoteInstance) {
        return acknowledged && peer.equals(candidate) && instance != 0 && instance != remoteInstance;
    }

    /** Returns whether the request is at a peer. */
    boolean wasDeliveredTo(PeerId candidate) {
        return acknowledged && peer.equals(candidate);
    }

    /** Returns whether a response of that peer is accepted. */
    boolean accepts(PeerId from) {
        return from.equals(peer) || from.equals(messenger.peer()); // a pipe may have moved to another holder
    }

    /** Notes that the request has a response, so that it is not in the queue. */
    void setAnswered() {
        responded = true;
    }

    /** Ends the attempt. Returns false if it has ended already. The caller that gets true decides what follows. */
    boolean end() {
        if (!ended.compareAndSet(false, true)) {
            return false;
        }
        unregister();
        if (holder != null) {
            holder.removeRequest();
        }
        return true;
    }

    private synchronized void unregister() {
        if (registeredAt == null) {
            registry.remove(messenger);
        } else {
            registry.remove(registeredAt);
        }
    }

    /** Removes the request from the queue. Returns false if it was sent, or has failed. */
    public boolean withdraw() {
        CompletableFuture<Void> queued = sent;
        return queued != null && !responded && !queued.isDone() && queued.cancel(false);
    }
}
