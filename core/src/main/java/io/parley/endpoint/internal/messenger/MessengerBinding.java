package io.parley.endpoint.internal.messenger;

import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The peer of one messenger, and the carrier to which the messenger is bound. It is bound to one link at a time, so messages do not
 * overtake each other when links change. Thread-safe.
 *
 * <pre>
 *     bound to     a wake-up                                         ends by
 *     nothing      goes to the association, which passes the         bind, or strand
 *                  messenger to a link
 *     a link       sends                                             unbind, pause, or strand
 *     PAUSED       finishes a close without messages                 the pause, redirect to another peer, or unbind
 *     FAILING      is ignored                                        unbind, or strand
 *     a failover   starts a search for another peer                  redirect, or unbind
 * </pre>
 */
public final class MessengerBinding {

    /** Sends the messages of messengers: a link, or the association, which passes them to the next link. */
    public interface Carrier {

        /** Handles a messenger that has queued a message, needs an open channel, or is closing. Thread-safe. */
        void wake(PeerMessenger messenger);

        /** Returns the run of the remote peer at the other end of this link; empty if this is no link. Thread-safe. */
        default OptionalLong remoteInstance() {
            return OptionalLong.empty();
        }
    }

    /** The association with the peer of a messenger. */
    public interface Owner extends Carrier {

        PeerId peer();

        /**
         * Adds the messenger to the association with a peer, which is this one or another.
         *
         * @throws ParleyException {@link ErrorCode#CLOSED} if the endpoint is closing
         */
        Owner addTo(PeerId next, PeerMessenger messenger);

        /** Wakes the active link for a messenger without messages whose channel must be opened again, if there is one. */
        void resume(PeerMessenger messenger);

        /** Removes the messenger, if it is there. */
        void remove(PeerMessenger messenger);
    }

    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Carries a messenger that pauses. One that closes without messages needs no further link. */
    private static final Carrier PAUSED = PeerMessenger::finishIfDone;

    /** Carries a messenger whose peer is unreachable, until its messages have failed. */
    private static final Carrier FAILING = messenger -> {};

    private final PeerMessenger messenger;
    private final OutboundSequence sequence;

    /** The lock of the messenger. */
    private final ReentrantLock lock;

    private final EndpointContext context;
    private final AtomicReference<@Nullable Carrier> boundTo = new AtomicReference<>();
    private final AtomicBoolean wakeScheduled = new AtomicBoolean();
    private volatile @Nullable MessageEncoder encoder;

    /** Written with the lock. */
    private volatile Owner association;

    private volatile @Nullable MessengerFailover failover;

    /** @param association the carrier of an unbound messenger */
    MessengerBinding(
            PeerMessenger messenger,
            OutboundSequence sequence,
            ReentrantLock lock,
            EndpointContext context,
            Owner association) {
        this.messenger = messenger;
        this.sequence = sequence;
        this.lock = lock;
        this.context = context;
        this.association = association;
    }

    Owner association() {
        return association;
    }

    PeerId peer() {
        return association.peer();
    }

    /** Wakes the link to which the messenger is bound, or else the association. */
    public void wakeCarrier() {
        Carrier carrier = boundTo.get();
        (carrier != null ? carrier : association).wake(messenger);
    }

    /** Returns whether the caller must schedule a wake-up. Returns false if one is scheduled already. */
    public boolean tryScheduleWake() {
        return wakeScheduled.compareAndSet(false, true);
    }

    /** Called when the scheduled wake-up runs. Messages that are queued from now on need another one. */
    public void onWake() {
        wakeScheduled.set(false);
    }

    /** Returns the link or what is in its place, or null. */
    @Nullable
    Carrier carrier() {
        return boundTo.get();
    }

    public boolean isBoundTo(Carrier carrier) {
        return boundTo.get() == carrier;
    }

    /** Binds the messenger to a link with that peer. Returns false if it is bound already, or has another peer by now. */
    public boolean bind(Carrier link, PeerId to) {
        lock.lock();
        try {
            return to.equals(peer()) && boundTo.compareAndSet(null, link);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Keeps links away until the messages have failed: a link would continue a channel that ends. Returns false if the messenger is
     * bound already, or has another peer by now.
     */
    boolean tryStartFailing(Owner failed) {
        lock.lock();
        try {
            return association == failed && boundTo.compareAndSet(null, FAILING);
        } finally {
            lock.unlock();
        }
    }

    void unbind() {
        encoder = null;
        boundTo.set(null);
    }

    /** Uses no link for a while. */
    void pause() {
        encoder = null;
        boundTo.set(PAUSED);
        context.schedule(PAUSE, context.executor(), () -> {
            if (boundTo.compareAndSet(PAUSED, null)) {
                wakeCarrier();
            }
        });
    }

    /** Sets the encoder of the open channel. It is reset when the messenger is unbound. */
    public void setEncoder(MessageEncoder value) {
        encoder = value;
    }

    /** Returns the encoder of the open channel, or null. */
    @Nullable
    MessageEncoder encoder() {
        return encoder;
    }

    /** Sets what finds another peer. Must be called before the first message is sent. */
    void setFailover(MessengerFailover value) {
        failover = value;
    }

    /**
     * Keeps the messages until there is another peer, if that is possible after this failure. Does nothing if the messenger has another
     * peer by now.
     *
     * @return false if the messages must fail
     */
    boolean strand(Owner failed, ParleyException cause) {
        MessengerFailover present = failover;
        if (present == null || messenger.isClosing() || !present.handles(cause)) {
            return false;
        }
        List<OutboundMessage> lost;
        List<CompletableFuture<Void>> unresolved;
        lock.lock();
        try {
            if (association != failed) {
                return true;
            }
            lost = sequence.leavePeer();
            unresolved = sequence.removeResolveWaiters();
            encoder = null;
            boundTo.set(present);
        } finally {
            lock.unlock();
        }
        sequence.failLost(lost, "the messenger gave up", cause);
        unresolved.forEach(waiter -> waiter.completeExceptionally(cause));
        present.wake(messenger);
        return true;
    }

    /** Returns whether the messenger is bound to its failover. */
    boolean isBoundToFailover() {
        return boundTo.get() == failover;
    }

    /** Returns whether the messenger has messages and no link. */
    boolean isStranded() {
        Carrier carrier = boundTo.get();
        return (carrier == null || carrier == failover || carrier == PAUSED) && sequence.needsChannel();
    }

    /** Called when the association has no link for this messenger. */
    public void onUnlinked() {
        MessengerFailover present = failover;
        if (present != null) {
            present.onUnlinked();
        }
    }

    /**
     * Continues at a peer, which may be the present one. Does nothing if there is a link to the present peer.
     *
     * @return whether the peer is another one
     * @throws ParleyException {@link ErrorCode#CLOSED} if the endpoint is closing
     */
    boolean redirect(PeerId next, MessengerFailover present) {
        Owner from = association;
        Owner to = from.addTo(next, messenger);
        List<OutboundMessage> lost = List.of();
        boolean moved = false;
        lock.lock();
        try {
            Carrier carrier = boundTo.get();
            if (carrier == null || carrier == present || (carrier == PAUSED && to != from)) {
                moved = to != from;
                lost = moved ? sequence.leavePeer() : lost;
                association = to;
                boundTo.set(null);
            }
        } finally {
            lock.unlock();
        }
        if (to != from) {
            (moved ? from : to).remove(messenger);
        }
        if (messenger.isClosed()) { // meanwhile
            to.remove(messenger);
        }
        sequence.failLost(lost, "peer " + next.shortText() + " has taken over", null);
        return moved;
    }
}
