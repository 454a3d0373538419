package io.parley.endpoint.internal.inbound;

import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.internal.memory.ElementReservation;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A message that an inbound channel has delivered. Its value is whether the listener has released it; a field would cost another object
 * for each message. Thread-safe.
 */
final class InboundMessage extends AtomicBoolean implements ReceivedMessage, InboundElements.Handler {

    private static final long serialVersionUID = 1L;

    private final transient InboundDeliverer deliverer;
    private final transient @Nullable Message message;
    private final long cost;
    private final long reserved;

    /** Keeps the memory of a message that is borrowed until its release; null otherwise. */
    private final transient @Nullable BorrowScope scope;

    /** The message with encoded elements; null if they are not encoded. Set before the delivery. */
    private transient InboundElements.@Nullable Entry entry;

    /**
     * Creates a message that is not released.
     *
     * @param message  {@code null} if its elements are encoded
     * @param cost     the bytes of the window that the message uses
     * @param reserved the bytes beyond the window that are reserved for the message
     * @param scope    ends with the release; {@code null} if the message is not borrowed until then
     */
    InboundMessage(
            InboundDeliverer deliverer,
            @Nullable Message message,
            long cost,
            long reserved,
            @Nullable BorrowScope scope) {
        this.scope = scope;
        this.deliverer = deliverer;
        this.message = message;
        this.cost = cost;
        this.reserved = reserved;
    }

    /** Makes the listener read decoded elements. Must be called before the delivery. */
    void setEntry(InboundElements.Entry encoded) {
        entry = encoded;
    }

    @Override
    public PeerId from() {
        return deliverer.sender();
    }

    @Override
    public Message message() {
        return entry == null ? Objects.requireNonNull(message) : entry.decode();
    }

    @Override
    public Message undecoded() {
        return entry == null ? message() : entry.undecoded();
    }

    @Override
    public ElementReservation newReservation(long free) {
        return deliverer.newReservation(free);
    }

    @Override
    public void release(long bytes) {
        deliverer.memory().release(bytes);
    }

    @Override
    public void onFailed(ParleyException failure) {
        deliverer.onUndecodable(failure);
    }

    @Override
    public void release() {
        if (compareAndSet(false, true)) {
            if (entry != null) {
                entry.release();
            }
            if (scope != null) {
                scope.end();
            }
            deliverer.release(cost, reserved);
        }
    }
}
