package io.parley.endpoint.internal.inbound;

import io.parley.endpoint.internal.context.ChannelSubscription;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.ChannelProtection;
import io.parley.error.ErrorCode;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How many messages of one remote messenger this endpoint has received, over all links. One inbound channel at a time holds
 * the sequence; only the event loop of that channel's link uses {@link #received}. Another link gets the sequence after the
 * holder has given it up on its own event loop, so messages of two links are never delivered at the same time. All other
 * methods are thread-safe.
 */
public final class InboundSequence {

    /** An inbound channel that counts the messages. */
    public interface Holder {

        /** Returns the handle of the channel on its link. */
        int handle();

        /**
         * Gives up the sequence on the event loop of the channel's link and then runs the task: on that event loop, or on this
         * thread if the event loop has terminated.
         */
        void detach(Runnable after);

        /** Refuses further messages, because one that has arrived cannot be delivered. Thread-safe. */
        void refuse(ErrorCode code, String text);
    }

    private final long channel;
    private final ChannelProtection protection;
    private long received;
    private @Nullable Holder holder;
    private @Nullable InboundElements elements;
    private boolean ended;

    /** Set by the first holder. */
    private volatile @Nullable ChannelSubscription subscription;

    private boolean dropped;

    /** @param received the number of messages that precede the next one */
    InboundSequence(long channel, long received, ChannelProtection protection) {
        this.channel = channel;
        this.protection = protection;
        this.received = received;
    }

    /** Returns the number of the channel at the remote peer. */
    public long channel() {
        return channel;
    }

    /** Returns the protection of the channel, which another link must have too. */
    public ChannelProtection protection() {
        return protection;
    }

    /** Returns the number of received messages. */
    public long received() {
        return received;
    }

    void countReceived() {
        received++;
    }

    public synchronized @Nullable Holder holder() {
        return holder;
    }

    @Nullable
    public ChannelSubscription subscription() {
        return subscription;
    }

    /** Sets the listener of the channel. Must be called by the holder. */
    public void setSubscription(ChannelSubscription value) {
        subscription = value;
    }

    /** Makes the channel the holder. Returns false if there is another one, or if the sequence was dropped. */
    public synchronized boolean tryHold(Holder channel) {
        if (holder != null || dropped) {
            return false;
        }
        holder = channel;
        return true;
    }

    synchronized boolean isHeldBy(Holder channel) {
        return holder == channel;
    }

    /** Gives up the sequence. Returns whether it was dropped, so that no other channel can continue it. */
    synchronized boolean giveUp(Holder channel) {
        if (holder == channel) {
            holder = null;
        }
        return dropped;
    }

    /**
     * Drops the sequence, which no further channel can hold. Returns whether the caller must report that to the listener, because no
     * channel holds the sequence.
     */
    synchronized boolean drop() {
        boolean first = !dropped;
        dropped = true;
        return first && holder == null;
    }

    /** Reports to the listener that the channel is lost. Must be called once, after {@link #drop}, while no channel holds the sequence. */
    public void reportLost() {
        ChannelSubscription known = subscription;
        if (known != null) {
            known.onLost();
        }
    }

    /** Reports to the listener that the sender has ended the channel, in the place of {@link #reportLost}. */
    public void reportEnded() {
        ChannelSubscription known = subscription;
        if (known != null) {
            known.onEnded();
        }
    }

    /** Returns the decoder of encoded elements, or null. */
    public synchronized @Nullable InboundElements elements() {
        return elements;
    }

    /** Replaces the decoder of encoded elements, and releases the memory of the former one. */
    public synchronized void setElements(@Nullable InboundElements value) {
        if (elements != null && elements != value) {
            elements.release();
        }
        elements = value;
        if (ended && value != null) {
            value.release();
        }
    }

    /** Releases the state of encoding schemes, because the channel has ended. */
    synchronized void end() {
        ended = true;
        dropState();
    }

    /** Releases the state of encoding schemes. The sender starts it again when it continues the channel. */
    synchronized void dropState() {
        if (elements != null) {
            elements.release();
            elements = null;
        }
    }

    /** Runs the task on the executor after the present holder has given up the sequence; without one, immediately. */
    public void whenFree(Executor executor, Runnable task) {
        Holder present = holder();
        if (present == null) {
            task.run();
        } else {
            present.detach(() -> EndpointContext.execute(executor, task));
        }
    }
}
