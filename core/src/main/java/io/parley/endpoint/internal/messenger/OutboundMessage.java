package io.parley.endpoint.internal.messenger;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.parley.encoding.internal.ElementEncoder;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.transport.Connection;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A message in the queue of a messenger. It is encoded early, on the thread of the caller, if the channel is open and the
 * codec is stateless; otherwise when it is written. It is encoded again if the link is lost before the message is written.
 */
public final class OutboundMessage extends LinkedQueue.Entry<OutboundMessage> implements Connection.WriteListener {

    /** Added to the payload of a queued message, for the objects of the message. */
    private static final int OVERHEAD_BYTES = 256;

    /** A longer message is not worth the attempt to append it to a buffer of short frames. */
    static final int MAX_APPENDED_BYTES = 4 * 1024;

    private Message message;
    private final @Nullable OnceEncodedMessage shared;
    private final long size;

    /** The time at which the message expires. Used by queues whose messages expire. */
    private long expiresAtNanos;

    /** Whether the message was counted by the rate of its messenger. Guarded by the lock of the messenger. */
    private boolean admitted;

    /** Whether the message takes room in the queue. Guarded by the lock of the messenger. */
    private boolean occupying;

    private final CompletableFuture<Void> sent = new SentFuture();
    private final Predicate<OutboundMessage> dequeue;
    private @Nullable MessageEncoder encodedBy;

    /**
     * The message as encoded before it was sent. Set before other threads see the message, or with the lock of the messenger; taken and
     * released with the monitor of this object, because a message may fail while the event loop takes it.
     */
    private @Nullable ByteBuf encoded;

    /**
     * Whether the payloads of the message are gone, so that the encoded form is kept until the message is done. It is decoded if the
     * message must be sent on another channel.
     */
    private boolean encodedOnly;

    /** The elements to encode; null if the messenger encodes none, so that most messages are without these fields. */
    private @Nullable SelectedElements elements;

    /** The elements of a message that must be encoded, see {@link OutboundElements}. */
    private static final class SelectedElements {

        private static final VarHandle READY = readyHandle();

        private final BitSet numbers;

        /** The message with encoded elements. */
        private @Nullable Message outgoing;

        /** The encoder of the elements. */
        private @Nullable ElementEncoder encoder;

        /** Whether the elements are encoded for the present channel, or the message has failed. */
        private volatile boolean ready;

        private SelectedElements(BitSet numbers) {
            this.numbers = numbers;
        }

        /** Publishes the fields that were set before. A volatile write would wait for all writes of the thread, for each message. */
        private void setReady() {
            READY.setRelease(this, true);
        }

        private static VarHandle readyHandle() {
            try {
                return MethodHandles.lookup().findVarHandle(SelectedElements.class, "ready", boolean.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }

    /**
     * Creates a message. Borrowed payloads are gone when the message must be sent again, so {@link #encodeEarly} or {@link #own} must
     * follow before it is queued.
     *
     * @param dequeue removes the message from the queue, and returns false if it was sent or is not in the queue
     */
    OutboundMessage(Message message, Predicate<OutboundMessage> dequeue) {
        this.dequeue = dequeue;
        this.message = message;
        this.shared = null;
        this.size = message.payloadBytes() + OVERHEAD_BYTES;
    }

    /** Creates a message whose encoded form other messengers use too. Its future is not awaited. */
    OutboundMessage(OnceEncodedMessage shared) {
        this.dequeue = message -> false;
        this.message = shared.message();
        this.shared = shared;
        this.size = message.payloadBytes() + OVERHEAD_BYTES;
    }

    static boolean isBorrowed(Message message) {
        for (MessageElement element : message) {
            if (isBorrowed(element)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isBorrowed(MessageElement element) {
        return element.payload().isBorrowed()
                || element.signature().map(OutboundMessage::isBorrowed).orElse(false);
    }

    /** Copies borrowed payloads. */
    void own() {
        if (isBorrowed(message)) {
            message = copyOrFail(message);
        }
    }

    private Message copyOrFail(Message borrowed) {
        try {
            return copy(borrowed);
        } catch (IllegalStateException e) { // the memory was returned already
            fail(ErrorCode.NOT_ENCODABLE.exception("message: " + e.getMessage(), e));
            return Message.EMPTY;
        }
    }

    static Message copy(Message borrowed) {
        return Message.of(
                borrowed.elements().stream().map(OutboundMessage::copy).toList());
    }

    private static MessageElement copy(MessageElement borrowed) {
        MessageElement copy = borrowed.withPayload(Payload.of(borrowed.payload().toByteArray()));
        return borrowed.signature()
                .map(signature -> copy.withSignature(copy(signature)))
                .orElse(copy);
    }

    /** Returns the number of bytes that the message uses in the queue. */
    long size() {
        return size;
    }

    /** Returns the size of the payloads, in bytes. */
    long payloadBytes() {
        return size - OVERHEAD_BYTES;
    }

    /** Returns whether the rate of the messenger has counted the message, so that it is not counted when it is sent again. */
    boolean isAdmitted() {
        return admitted;
    }

    void setAdmitted() {
        admitted = true;
    }

    boolean isOccupying() {
        return occupying;
    }

    void setOccupying(boolean value) {
        occupying = value;
    }

    /** Sets the numbers of the elements to encode. Called before the message is queued. */
    void setSelected(BitSet value) {
        elements = new SelectedElements(value);
    }

    BitSet selected() {
        SelectedElements present = elements;
        return present == null ? new BitSet() : present.numbers;
    }

    Message message() {
        return message;
    }

    /** Returns whether the elements need not be encoded any more. */
    boolean isReady() {
        SelectedElements present = elements;
        return present != null && present.ready;
    }

    private void setReady() {
        SelectedElements present = elements;
        if (present != null) {
            present.setReady();
        }
    }

    /** Returns whether this encoder has encoded the elements. */
    boolean isEncodedBy(ElementEncoder encoder) {
        SelectedElements present = elements;
        return present != null && present.encoder == encoder;
    }

    /**
     * Sets the message with encoded elements. Called before the message is queued, or with the lock of the messenger.
     *
     * @param encoder has encoded the elements
     * @param bytes the message as encoded by {@code codec}, which this method takes ownership of; null if it is encoded later
     */
    void setOutgoing(ElementEncoder encoder, Message value, @Nullable MessageEncoder codec, @Nullable ByteBuf bytes) {
        SelectedElements present = Objects.requireNonNull(elements);
        present.encoder = encoder;
        present.outgoing = value;
        encodedBy = codec;
        encoded = bytes;
        present.setReady();
    }

    /** Forgets the encoded elements, which belong to another channel or state. Called with the lock of the messenger. */
    void clearOutgoing() {
        SelectedElements present = Objects.requireNonNull(elements);
        present.encoder = null;
        present.outgoing = null;
        present.ready = false;
        releaseEncoded();
    }

    CompletableFuture<Void> sent() {
        return sent;
    }

    /** Returns whether other messengers send the message too. Its outcome is not reported then. */
    boolean isShared() {
        return shared != null;
    }

    void expireAt(long nanoTime) {
        expiresAtNanos = nanoTime;
    }

    boolean isExpired(long nanoTime) {
        return nanoTime - expiresAtNanos >= 0;
    }

    /** Encodes the message now. Must be called before the message is queued. */
    void encodeEarly(MessageEncoder encoder) {
        if (shared != null) {
            encoder.prepare(shared);
            return;
        }
        boolean borrowed = isBorrowed(message);
        if (borrowed && payloadBytes() > EndpointContext.FRAGMENT_BYTES) {
            own(); // rather than much direct memory
            if (sent.isDone()) {
                return;
            }
            borrowed = false;
        }
        encoded = encoder.encode(message);
        encodedBy = encoder;
        if (borrowed) {
            message = Message.EMPTY;
            encodedOnly = true;
        }
    }

    /**
     * Returns the encoded message for a channel. The caller must release it.
     *
     * @throws ParleyException if the message cannot be encoded, or {@link ErrorCode#CLOSED} if it has failed and its payloads are gone
     */
    ByteBuf encode(MessageEncoder encoder) {
        if (shared != null) {
            return encoder.encode(shared);
        }
        ByteBuf ready = encoded == null && !encodedOnly ? null : takeEncoded(encoder);
        return ready == null ? encoder.encode(checkedOutgoing(encoder)) : ready;
    }

    /** Returns what was encoded for this channel before, or null. */
    private synchronized @Nullable ByteBuf takeEncoded(MessageEncoder encoder) {
        ByteBuf ready = encoded;
        if (encodedOnly) {
            if (ready == null) {
                throw ErrorCode.CLOSED.exception("message: it has failed before it was sent");
            }
            if (encodedBy == encoder) {
                return ready.retainedDuplicate();
            }
            message = Objects.requireNonNull(encodedBy).decode(ready);
            encodedOnly = false;
        }
        encoded = null;
        if (encodedBy == encoder) {
            return ready;
        }
        ReferenceCountUtil.release(ready);
        return null;
    }

    /** Returns whether an attempt to append the encoded message to other frames may succeed. */
    boolean isAppendable() {
        return encoded == null && !encodedOnly && size <= MAX_APPENDED_BYTES;
    }

    /** Appends the message to a buffer, see {@link MessageEncoder#tryEncode}. */
    boolean tryEncode(MessageEncoder encoder, ByteBuf out, int maxBytes) {
        return shared == null
                ? encoder.tryEncode(checkedOutgoing(encoder), out, maxBytes)
                : encoder.tryEncode(shared, out, maxBytes);
    }

    /** Returns the message that is sent. The receiver must also accept the size that it has after the elements are decoded. */
    private Message checkedOutgoing(MessageEncoder encoder) {
        SelectedElements present = elements;
        Message withEncodedElements = present == null ? null : present.outgoing;
        if (withEncodedElements == null) {
            return message;
        }
        encoder.checkSize(message);
        return withEncodedElements;
    }

    /** Completes the future, because the remote endpoint has received the message. */
    void acknowledge() {
        releaseEncoded();
        sent.complete(null);
    }

    /** Fails the future and releases the memory. Another thread may encode the message at the same time. */
    void fail(ParleyException cause) {
        setReady();
        releaseEncoded();
        sent.completeExceptionally(cause);
    }

    private void releaseEncoded() {
        if (encoded != null) { // which most messages never have
            releaseTaken();
        }
    }

    private synchronized void releaseTaken() {
        ByteBuf released = encoded;
        encoded = null;
        ReferenceCountUtil.release(released);
    }

    /** The result of a message. Cancelling it removes the message from the queue; it has no effect if the message was sent. */
    private final class SentFuture extends CompletableFuture<Void> {

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            if (isDone() || !dequeue.test(OutboundMessage.this)) {
                return isCancelled();
            }
            setReady();
            releaseEncoded();
            return super.cancel(mayInterruptIfRunning);
        }
    }

    @Override
    public void onWritten(@Nullable Throwable failure) {
        releaseEncoded();
        if (failure == null) {
            sent.complete(null);
        } else {
            sent.completeExceptionally(ErrorCode.LOST.exception(
                    "connection lost while the message was being written; the message may have arrived", failure));
        }
    }
}
