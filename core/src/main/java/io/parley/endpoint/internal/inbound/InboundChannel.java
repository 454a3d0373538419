package io.parley.endpoint.internal.inbound;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.codec.CodecSession;
import io.parley.codec.MessageCodec;
import io.parley.endpoint.internal.context.ChannelSubscription;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.context.ServiceRegistry;
import io.parley.endpoint.internal.memory.MemoryBudget;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one remote messenger to one service of this peer, on one link. Charges what arrives to the window, assembles
 * and decodes it. An {@link InboundDeliverer} delivers the messages to the listener of the service, and an {@link InboundCreditSender}
 * returns credit to the sender when messages are released. {@link #refuse} and {@link #detach} are thread-safe; all other methods are
 * confined to the event loop of the link.
 */
public final class InboundChannel
        implements ServiceRegistry.ServiceChannel, InboundSequence.Holder, ChannelDecoder.MessageHandler {

    /** The link, and the way that the frames of the channel take. */
    public interface Carrier extends InboundDeliverer.Carrier, InboundCreditSender.Carrier {

        /** Returns whether the remote peer acknowledges messages, and knows that windows grow and shrink. */
        boolean isAcknowledging();

        /** Returns the budget of the connection. Thread-safe. */
        MemoryBudget memory();

        /** @throws ParleyException {@link ErrorCode#LIMIT_EXCEEDED} if a message of that size is too large */
        void checkSize(long bytes);

        /** Runs the task on the event loop: now if called there, otherwise later. Thread-safe. */
        void run(Runnable task);

        /**
         * Closes a channel on the event loop, whose sequence another link may continue, and then runs the task: there, or on this thread
         * if the event loop has terminated. Thread-safe.
         */
        void detach(int handle, Runnable after);

        /** Refuses further messages of an open channel, and closes it. */
        void refuse(int handle, ErrorCode code, String text, OptionalLong received);

        /** Removes a sequence, see {@link InboundSequences#remove}. Thread-safe. */
        boolean remove(InboundSequence sequence);
    }

    /** The size of the smallest message that may stay in the memory into which the network read it. */
    private static final int MIN_KEPT_BYTES = EndpointContext.FRAGMENT_BYTES / 2;

    /** The memory that such a message may keep, in multiples of its size: a buffer of the network that it shares with others. */
    private static final int KEPT_FACTOR = 4;

    /** The most buffers of such a message, each of which may be larger than its part of the message. */
    private static final int MAX_KEPT_PARTS = 8;

    private final Carrier carrier;
    private final MemoryBudget memory;
    private final int handle;
    private final ServiceRegistry.Binding binding;
    private final ChannelDecoder decoder;
    private final int codecBytes;
    private final InboundWindow window;
    private final @Nullable InboundSequence sequence;
    private final InboundCreditSender credit;

    /** Null until the service has accepted the channel. */
    private @Nullable InboundDeliverer deliverer;

    /** Receives messages in fragments; null as long as none has arrived. */
    private @Nullable FragmentReceiver fragments;

    /** Ends the channel when no received message waits to be decoded. Further frames are ignored then. */
    private @Nullable Runnable end;

    private boolean closed;

    /**
     * Creates a channel.
     *
     * @param session  the session of the codec, for which {@code codec.maxStateBytes()} are reserved
     * @param window   the window in bytes, which is reserved
     * @param sequence counts the messages, which are acknowledged; {@code null} if the remote peer does not ask for that
     * @param grown    the channels of the link whose window has grown
     */
    public InboundChannel(
            Carrier carrier,
            int handle,
            ServiceRegistry.Binding binding,
            MessageCodec codec,
            CodecSession session,
            LinkDecoder linkDecoder,
            int window,
            @Nullable InboundSequence sequence,
            Set<InboundCreditSender> grown) {
        this.sequence = sequence;
        this.decoder = new ChannelDecoder(session, codec.maxEventLoopBytes(), binding.isZeroCopy(), linkDecoder, this);
        this.codecBytes = codec.maxStateBytes();
        this.carrier = carrier;
        this.memory = carrier.memory();
        this.handle = handle;
        this.binding = binding;
        this.window = new InboundWindow(handle, binding, memory, window, carrier.isAcknowledging());
        this.credit =
                new InboundCreditSender(carrier, handle, this.window, memory, sequence, this::isMessageWaiting, grown);
    }

    @Override
    public int handle() {
        return handle;
    }

    @Nullable
    public InboundSequence sequence() {
        return sequence;
    }

    /**
     * Begins to deliver messages to the listener.
     *
     * @param elements decodes the elements; {@code null} if they are not encoded
     */
    public void start(ChannelSubscription accepted, @Nullable InboundElements elements) {
        deliverer = new InboundDeliverer(carrier, this, binding, accepted, elements, sequence, window, memory, credit);
        binding.add(this);
    }

    @Override
    public void detach(Runnable after) {
        carrier.detach(handle, after);
    }

    public void onMessage(ByteBuf encoded) {
        if (isMessageInProgress()) {
            throw ErrorCode.PROTOCOL_VIOLATION.exception(
                    "unexpected MESSAGE frame on handle " + handle + ": another message is in progress");
        }
        int size = encoded.readableBytes();
        if (size > decoder.maxBytesNow()) {
            decodeLater(encoded);
            return;
        }
        long cost = window.charge(size);
        long beyondWindow = window.beyondWindow(cost);
        if (!reserveFor(size, cost, beyondWindow)) {
            return;
        }
        if (binding.isZeroCopy()) {
            BorrowScope scope = new BorrowScope(encoded.retain()::release);
            try {
                deliver(decode(encoded, cost, beyondWindow, scope), size, cost, beyondWindow);
            } finally {
                scope.end();
            }
        } else if (mayKeep(encoded)) {
            deliverKept(encoded, cost, beyondWindow);
        } else {
            deliver(decode(encoded, cost, beyondWindow, null), size, cost, beyondWindow);
        }
    }

    /** Returns whether a message may stay in the memory into which it was read, until it is released. */
    private boolean mayKeep(ByteBuf encoded) {
        return encoded.readableBytes() >= MIN_KEPT_BYTES
                && deliverer().isBorrowing()
                && encoded.nioBufferCount() <= MAX_KEPT_PARTS;
    }

    /** Delivers a message that stays where it is. Reserves what it keeps in addition; copies it if memory is not plentiful. */
    private void deliverKept(ByteBuf encoded, long cost, long beyondWindow) {
        int size = encoded.readableBytes();
        long kept = (KEPT_FACTOR - 1L) * size;
        long reserved = memory.reserveSpare(kept, 2);
        if (reserved < kept) {
            memory.release(reserved);
            deliver(decode(encoded, cost, beyondWindow, null), size, cost, beyondWindow);
            return;
        }
        BorrowScope scope = new BorrowScope(encoded.retain()::release);
        boolean delivered = false;
        try {
            Message message = decode(encoded, cost, beyondWindow + kept, scope);
            delivered = deliverer().deliver(message, size, cost, beyondWindow + kept, scope);
        } finally {
            if (!delivered) {
                scope.end();
            }
        }
    }

    /** Copies the message, because it waits, and the frame may share a buffer of many times its size. */
    private void decodeLater(ByteBuf encoded) {
        if (end != null) {
            return;
        }
        int size = encoded.readableBytes();
        long cost = window.charge(size);
        long beyondWindow = window.beyondWindow(cost);
        if (reserveFor(size, cost, beyondWindow)) {
            ByteBuf copy = Unpooled.wrappedBuffer(ByteBufUtil.getBytes(encoded));
            decoder.add(new EncodedMessage(copy, cost, beyondWindow));
        }
    }

    /**
     * Reserves memory for a message of {@code size} bytes. If there is none, refuses the channel, after the messages before this one
     * are delivered, and returns false.
     */
    private boolean reserveFor(long size, long cost, long bytes) {
        if (carrier.tryReserve(bytes)) {
            return true;
        }
        window.discharge(cost);
        String text = "no memory for a message of " + size + " bytes: " + memory.describeShortage(bytes);
        endAfterDecoding(() -> refuse(ErrorCode.BUSY, text));
        return false;
    }

    private Message decode(ByteBuf encoded, long cost, long reserved, @Nullable BorrowScope scope) {
        try {
            return decoder.decodeNow(encoded, scope);
        } catch (RuntimeException | Error e) { // an error of a codec ends the link as well
            window.discharge(cost);
            memory.release(reserved);
            throw e;
        }
    }

    public void onFirst(long total, ByteBuf fragment) {
        if (end != null) {
            return;
        }
        FragmentReceiver receiver = fragments();
        receiver.checkFirst(total, fragment);
        carrier.checkSize(total);
        long cost = window.charge(total);
        long beyondWindow = window.beyondWindow(cost);
        if (reserveFor(total, cost, beyondWindow)) {
            receiver.begin(total, beyondWindow, fragment);
        }
    }

    public void onMore(ByteBuf fragment) {
        if (end != null) {
            return;
        }
        EncodedMessage complete = fragments().add(fragment);
        if (complete != null) {
            decoder.add(complete);
        }
    }

    private FragmentReceiver fragments() {
        FragmentReceiver present = fragments;
        if (present == null) {
            present = new FragmentReceiver(handle, binding, window, memory);
            fragments = present;
        }
        return present;
    }

    private boolean isMessageInProgress() {
        return fragments != null && fragments.isInProgress();
    }

    /** Returns whether a message has arrived, in whole or in part, that is not yet delivered. */
    private boolean isMessageWaiting() {
        return isMessageInProgress() || decoder.isBusy();
    }

    @Override
    public void onDecoded(Message message, EncodedMessage encoded) {
        deliver(message, encoded.size(), encoded.cost(), encoded.reserved());
    }

    @Override
    public void onDiscarded(EncodedMessage encoded) {
        credit.release(encoded.cost(), encoded.reserved());
    }

    @Override
    public void onDecodingDone() {
        if (end != null) {
            end.run();
        }
    }

    @Override
    public void onSessionEnded() {
        memory.release(codecBytes);
    }

    /** Ends the channel by {@code action} after the complete messages are delivered. Drops a message in progress. */
    public void endAfterDecoding(Runnable action) {
        if (end == null) {
            end = action;
            dropMessageInProgress();
            if (!decoder.isBusy()) {
                action.run();
            }
        }
    }

    private void dropMessageInProgress() {
        if (fragments != null) {
            fragments.drop();
        }
    }

    private void deliver(Message message, long size, long cost, long reserved) {
        deliverer().deliver(message, size, cost, reserved, null);
    }

    /** Returns the deliverer. No message arrives before the service has accepted the channel. */
    private InboundDeliverer deliverer() {
        return Objects.requireNonNull(deliverer);
    }

    /** Called when the sender has messages and had no credit. */
    public void onBlocked() {
        credit.onBlocked();
    }

    /** Called when the sender has given unused credit back. */
    public void onShrunk(long bytes) {
        credit.onShrunk(bytes);
    }

    /** Called at each keep-alive interval, see {@link FragmentReceiver#checkProgress}. */
    public void checkProgress() {
        if (fragments != null) {
            fragments.checkProgress();
        }
    }

    @Override
    public void refuse(ErrorCode code, String text) {
        carrier.run(() -> {
            if (!closed) {
                carrier.refuse(
                        handle,
                        code,
                        text,
                        sequence == null ? OptionalLong.empty() : OptionalLong.of(sequence.received()));
            } else if (sequence != null) {
                refuseSequence(sequence, code, text);
            }
        });
    }

    /** Ends a sequence that another link has continued or may continue: it would go on without the message that was not delivered. */
    private void refuseSequence(InboundSequence left, ErrorCode code, String text) {
        if (deliverer == null || left.subscription() != deliverer.subscription()) {
            return; // the service was opened again, and the message was one for the former
        }
        InboundSequence.Holder present = left.holder();
        if (present == null || present == this) { // which is closing
            if (carrier.remove(left)) {
                left.reportLost();
            }
            present = left.holder(); // which may have taken it meanwhile
        }
        if (present != null && present != this) {
            present.refuse(code, text);
        }
    }

    /**
     * Releases everything that is not delivered, and notifies the listener. Called after the link has removed the channel, and after the
     * sequence was removed if the channel cannot continue.
     */
    public void close(ChannelEnd reason) {
        if (!closed) {
            closed = true;
            dropMessageInProgress();
            credit.close();
            decoder.close();
            if (sequence == null || sequence.isHeldBy(this)) {
                notifyListener(reason);
            }
            binding.remove(this);
        }
    }

    private void notifyListener(ChannelEnd reason) {
        ChannelSubscription accepted = deliverer == null ? null : deliverer.subscription();
        boolean interrupted = reason == ChannelEnd.INTERRUPTED && sequence != null;
        if (accepted != null && interrupted) {
            accepted.onInterrupted(); // while no other channel can hold the sequence
        }
        boolean dropped = sequence == null || sequence.giveUp(this);
        if (accepted == null || (interrupted && !dropped)) {
            return;
        }
        if (reason == ChannelEnd.ENDED) {
            accepted.onEnded();
        } else {
            accepted.onLost();
        }
    }
}
