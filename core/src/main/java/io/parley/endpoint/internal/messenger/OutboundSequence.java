package io.parley.endpoint.internal.messenger;

import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.frame.ChannelProtection;
import io.parley.endpoint.internal.frame.Open;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The channel of one messenger at its receiver, over all links; the receiver keeps an {@code InboundSequence} of it. The channel is
 * opened on each link. The receiver then states how many messages of the channel it has, and the others are sent again: each message
 * arrives once and in order. If the receiver no longer knows the channel, or the channel must not continue, it is unknown whether the
 * unacknowledged messages have arrived, and they fail here. Thread-safe.
 *
 * <pre>
 *                 OPENED                  link lost
 *     unknown  ------------>  resolved  ------------>  resumable  ------------>  resolved
 *     to the receiver                                               OPENED
 *
 *     any state: refused, failed, or another peer: unknown, under a new number if messages were unacknowledged
 * </pre>
 */
public final class OutboundSequence {

    /** Its text form describes the messenger in failures. */
    private final Object messenger;

    private final ServiceAddress service;
    private final MessengerQueue queue;
    private final OutboundQueue messages;

    /** The lock of the messenger. */
    private final ReentrantLock lock;

    private volatile Consumer<ParleyException> failureListener = cause -> {};
    private final boolean secure;

    /** Whether messages of unknown outcome are sent again, also to another receiver. */
    private volatile boolean resending;

    /** The protection of the channel; null if it was not opened yet. Guarded by the lock. */
    private @Nullable ChannelProtection protection;

    /** Whether the channel is open on the present link. Guarded by the lock. */
    private boolean resolved;

    /** Whether the receiver knows the channel and may wait for its messages or its end. Written with the lock. */
    private volatile boolean resumable;

    /** Guarded by the lock. */
    private final PendingFutures resolveWaiters = new PendingFutures();

    /** @param messenger its text form describes the messenger */
    OutboundSequence(
            Object messenger,
            ServiceAddress service,
            boolean secure,
            MessengerQueue queue,
            OutboundQueue messages,
            ReentrantLock lock) {
        this.messenger = messenger;
        this.service = service;
        this.secure = secure;
        this.queue = queue;
        this.messages = messages;
        this.lock = lock;
    }

    /** Sets the listener of failures, see {@link io.parley.endpoint.Messenger#onFailed}. */
    void setFailureListener(Consumer<ParleyException> listener) {
        failureListener = listener;
    }

    boolean isSecure() {
        return secure;
    }

    /** Makes messages of unknown outcome be sent again, also to another receiver. Must be called before the channel is opened. */
    void setResending(boolean value) {
        resending = value;
    }

    /** Completes the future when the channel is open. Returns whether the caller must wake the carrier for that. */
    boolean resolve(CompletableFuture<Void> result) {
        lock.lock();
        try {
            if (queue.isClosing()) {
                result.completeExceptionally(queue.closedException());
                return false;
            }
            if (resolved) {
                result.complete(null);
                return false;
            }
            if (!isNeeded()) {
                messages.onNeeded();
            }
            resolveWaiters.add(result);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether messages are queued or unacknowledged, or a caller waits for {@link #resolve}. */
    public boolean needsChannel() {
        lock.lock();
        try {
            return isNeeded();
        } finally {
            lock.unlock();
        }
    }

    /** The caller must hold the lock. */
    private boolean isNeeded() {
        return !messages.isEmpty() || resolveWaiters.isPending();
    }

    /**
     * Returns whether the receiver knows the channel. Such a messenger opens its channel on the next link also if it has no messages,
     * because the receiver would otherwise regard the channel as lost.
     */
    public boolean isResumable() {
        return resumable;
    }

    /** Returns the OPEN frame for a link to a peer that acknowledges messages. */
    public Open newOpen(String codec, ChannelProtection linkProtection) {
        setProtection(linkProtection);
        lock.lock();
        try {
            return new Open(
                    service,
                    codec,
                    OptionalLong.of(messages.channel()),
                    messages.acknowledged(),
                    queue.offeredSchemes(true),
                    secure);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the OPEN frame for a link to a peer that does not acknowledge messages. Fails unacknowledged messages. */
    public Open newOpenWithoutAcknowledgement(String codec, ChannelProtection linkProtection) {
        giveUpUnacknowledged("the peer has returned with a version that does not resume channels", null);
        setProtection(linkProtection);
        return Open.unacknowledged(service, codec)
                .withSchemes(queue.offeredSchemes(false))
                .withSecure(secure);
    }

    /** Ends the channel if it was opened with another protection, because it must not resume. Another one follows. */
    private void setProtection(ChannelProtection value) {
        List<OutboundMessage> lost = List.of();
        lock.lock();
        try {
            if (protection != null && protection != value) {
                if (resending) {
                    messages.requeueUnacknowledged();
                }
                lost = messages.skipUnacknowledged();
                messages.startNewChannel();
            }
            protection = value;
        } finally {
            lock.unlock();
        }
        failLost(lost, "the channel does not resume on a connection that protects it in another way", null);
    }

    /**
     * Called when the channel is open at the receiver. Messages that the receiver does not have are queued again; the caller
     * must send them.
     *
     * @param received the number of messages that the receiver has; empty if it does not know the channel
     * @return the number of messages that will be sent again
     */
    public int onOpened(OptionalLong received) {
        received.ifPresent(queue::onAcknowledged);
        List<OutboundMessage> lost = List.of();
        int again;
        lock.lock();
        try {
            if (received.isEmpty() && !resending) { // it continues with the number and the count of the OPEN frame
                lost = messages.skipUnacknowledged();
            }
            again = messages.requeueUnacknowledged();
            resumable = true;
        } finally {
            lock.unlock();
        }
        failLost(lost, "the peer does not know the channel any more", null);
        return again;
    }

    /** Called when the remote peer has confirmed the service. */
    public void onResolved() {
        List<CompletableFuture<Void>> waiters;
        lock.lock();
        try {
            resolved = true;
            messages.onOpened();
            waiters = removeResolveWaiters();
        } finally {
            lock.unlock();
        }
        waiters.forEach(waiter -> waiter.complete(null));
    }

    /** Called when the link is closed. Returns the links in a row that were lost without progress. */
    LossCounter.Losses onLinkLost() {
        lock.lock();
        try {
            boolean opened = resolved;
            resolved = false;
            return messages.onLinkLost(opened);
        } finally {
            lock.unlock();
        }
    }

    /** Called when the link is closed before the channel was open. Returns the links in a row that were lost in this way. */
    LossCounter.Losses onOpeningFailed() {
        lock.lock();
        try {
            return messages.onOpeningFailed(isNeeded());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Called when the link is closed before the channel was open in its tunnel, so that no message was sent.
     *
     * @param reason why another attempt would fail in the same way; {@code null} if it may succeed
     * @param cause  why the link was closed; {@code null} if that was in order
     * @return the failure of the messenger after the last attempt; {@code null} if another one must follow
     */
    @Nullable
    ParleyException onTunnelFailed(@Nullable ParleyException reason, @Nullable Throwable cause) {
        LossCounter.Losses lost;
        lock.lock();
        try {
            lost = messages.onOpeningFailed(isNeeded());
            if (reason == null && !lost.isStalled()) {
                return null;
            }
            messages.onNeeded(); // messages that a failover keeps begin anew
        } finally {
            lock.unlock();
        }
        if (reason != null) {
            return reason;
        }
        return ErrorCode.UNREACHABLE.exception(
                messenger + ": " + lost.links()
                        + " connections in a row were lost before the secure channel was open"
                        + (cause == null ? "" : ": " + cause.getMessage()),
                cause);
    }

    /**
     * Ends the channel, because the messenger changes its peer. Messages that may be sent again are queued.
     *
     * @return the messages that another peer must not get. The caller must hold the lock, and fail them without it
     */
    List<OutboundMessage> leavePeer() {
        resolved = false;
        resumable = false;
        protection = null;
        if (resending) {
            messages.requeueUnacknowledged();
        }
        List<OutboundMessage> lost = messages.removeUnacknowledged();
        messages.startNewChannel();
        messages.onNeeded();
        return lost;
    }

    /**
     * Ends the channel, because all messages fail.
     *
     * @return the unacknowledged messages. The caller must hold the lock, and fail them without it
     */
    List<OutboundMessage> end() {
        resolved = false;
        resumable = false;
        return messages.removeUnacknowledged();
    }

    /** Removes and returns the futures of {@link #resolve}. The caller must hold the lock, and complete them without it. */
    List<CompletableFuture<Void>> removeResolveWaiters() {
        return resolveWaiters.removeAll();
    }

    /** Fails the messages of which this peer cannot learn whether they have arrived. */
    void giveUpUnacknowledged(String reason, @Nullable Throwable cause) {
        List<OutboundMessage> lost;
        lock.lock();
        try {
            lost = messages.removeUnacknowledged();
        } finally {
            lock.unlock();
        }
        failLost(lost, reason, cause);
    }

    /** Fails messages that may have arrived. Must be called without the lock, because callbacks may do anything. */
    void failLost(List<OutboundMessage> lost, String reason, @Nullable Throwable cause) {
        if (!lost.isEmpty()) {
            String detail = cause == null ? reason : reason + ": " + cause.getMessage();
            ParleyException failure = ErrorCode.LOST.exception(
                    messenger + ": message not acknowledged; it may have arrived: " + detail, cause);
            lost.forEach(outbound -> outbound.fail(failure));
            queue.completeIfIdle();
            notifyFailed(failure);
        }
    }

    /** Notifies the listener of failures unless the messenger is closing. Must be called without the lock. */
    void notifyFailed(ParleyException failure) {
        if (!queue.isClosing()) {
            failureListener.accept(failure);
        }
    }
}
