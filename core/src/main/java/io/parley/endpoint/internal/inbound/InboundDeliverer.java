package io.parley.endpoint.internal.inbound;

import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.context.ChannelSubscription;
import io.parley.endpoint.internal.context.ServiceRegistry;
import io.parley.endpoint.internal.memory.ElementReservation;
import io.parley.endpoint.internal.memory.MemoryBudget;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * Delivers the decoded messages of one inbound channel to the listener of the service. Charges each one for the memory that it
 * holds until its release. {@link #deliver} and {@link #isBorrowing} are confined to the event loop of the link; what an
 * {@link InboundMessage} calls is thread-safe.
 */
final class InboundDeliverer {

    /** The link, and the way that the frames of the channel take. */
    interface Carrier {

        /** Returns the remote peer. Thread-safe. */
        PeerId peer();

        /** Reserves memory. If it is short, asks for that of idle channels, which comes later. Thread-safe. */
        boolean tryReserve(long bytes);

        void countReceived(long bytes);

        /** Counts and logs a message that is dropped, because its elements cannot be decoded. Thread-safe. */
        void countUndecodable(ServiceAddress service, ParleyException cause);
    }

    private final Carrier carrier;
    private final ServiceRegistry.ServiceChannel channel;
    private final ServiceRegistry.Binding binding;
    private final ChannelSubscription subscription;
    private final @Nullable InboundElements elements;
    private final @Nullable InboundSequence sequence;
    private final InboundWindow window;
    private final MemoryBudget memory;
    private final InboundCreditSender credit;

    /**
     * Creates a deliverer.
     *
     * @param channel  is refused if there is no memory for a message, or if its elements cannot be decoded
     * @param elements decodes the elements; {@code null} if they are not encoded
     * @param sequence the number of received messages; {@code null} if the remote peer does not ask for acknowledgements
     * @param memory   the budget in which messages and their window are reserved
     */
    InboundDeliverer(
            Carrier carrier,
            ServiceRegistry.ServiceChannel channel,
            ServiceRegistry.Binding binding,
            ChannelSubscription subscription,
            @Nullable InboundElements elements,
            @Nullable InboundSequence sequence,
            InboundWindow window,
            MemoryBudget memory,
            InboundCreditSender credit) {
        this.carrier = carrier;
        this.channel = channel;
        this.binding = binding;
        this.subscription = subscription;
        this.elements = elements;
        this.sequence = sequence;
        this.window = window;
        this.memory = memory;
        this.credit = credit;
    }

    ChannelSubscription subscription() {
        return subscription;
    }

    /** Returns whether the bytes of a message are read before its release only, so that they may be borrowed until then. */
    boolean isBorrowing() {
        return elements == null && subscription.isBorrowing();
    }

    /**
     * Delivers a message, or refuses the channel because there is no memory for it.
     *
     * @param size     the size of the encoded message in bytes
     * @param cost     the bytes of the window that the message uses
     * @param reserved the bytes beyond the window that are reserved for the message
     * @param scope    ends when the message is released; {@code null} for none
     * @return whether the message was delivered
     */
    boolean deliver(Message message, long size, long cost, long reserved, @Nullable BorrowScope scope) {
        // A few bytes may decode to a large message. The part that the cost does not cover is reserved as well.
        long expanded = Math.max(0, message.memoryBytes(size) - cost);
        if (!carrier.tryReserve(expanded)) {
            window.discharge(cost);
            memory.release(reserved);
            channel.refuse(
                    ErrorCode.BUSY,
                    "no memory for a message that decodes to " + message.memoryBytes(size) + " bytes: "
                            + memory.describeShortage(expanded));
            return false;
        }
        carrier.countReceived(size);
        InboundMessage delivery =
                new InboundMessage(this, elements == null ? message : null, cost, reserved + expanded, scope);
        if (elements != null) {
            long number = sequence == null ? 0 : sequence.received();
            delivery.setEntry(elements.add(message, number, cost + expanded, delivery));
        }
        credit.onReceived();
        subscription.onMessage(delivery);
        if (binding.isZeroCopy()) {
            delivery.release();
        }
        return true;
    }

    /** Returns the remote peer. */
    PeerId sender() {
        return carrier.peer();
    }

    /**
     * Returns the memory in which the elements of a message are decoded.
     *
     * @param free the bytes that are charged for the received message
     */
    ElementReservation newReservation(long free) {
        return new ElementReservation(memory, carrier::tryReserve, free);
    }

    /** Returns the budget of the connection. */
    MemoryBudget memory() {
        return memory;
    }

    /** Drops a message whose elements cannot be decoded, and ends the channel. */
    void onUndecodable(ParleyException failure) {
        carrier.countUndecodable(binding.service(), failure);
        channel.refuse(failure.code(), String.valueOf(failure.getMessage()));
    }

    /** Releases a message, and returns its credit to the sender. */
    void release(long cost, long reserved) {
        credit.release(cost, reserved);
    }
}
