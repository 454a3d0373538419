package io.parley.endpoint.internal.inbound;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.parley.codec.CodecSession;
import io.parley.error.ParleyException;
import io.parley.message.BorrowScope;
import io.parley.message.Message;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the messages of one inbound channel in their order. A message is decoded on the event loop when it arrives, unless it would
 * delay the other channels of that event loop, because it is large and not decoded quickly. Such a one is decoded on another thread,
 * and the messages that arrive meanwhile wait for it. The window of the channel, and the memory reserved for messages that exceed it, bound what waits.
 * Confined to the event loop of the link, except for {@link #decode}, {@link #discard} and two methods of the handler.
 */
final class ChannelDecoder {

    /** The channel, which delivers the messages. */
    interface MessageHandler {

        /** Delivers a message. */
        void onDecoded(Message message, EncodedMessage encoded);

        /** Called after {@link ChannelDecoder#close} for each message that is not delivered, on any thread. Releases its memory. */
        void onDiscarded(EncodedMessage encoded);

        /** Called when no message waits any more. */
        void onDecodingDone();

        /** Called once after {@link ChannelDecoder#close}, when the session of the codec is not in use, on any thread. */
        void onSessionEnded();
    }

    /**
     * The result of decoding a message: the message or a failure.
     *
     * @param scope keeps the encoded bytes until it is ended
     */
    record DecodingResult(
            EncodedMessage encoded,
            BorrowScope scope,
            @Nullable Message message,
            @Nullable Throwable failure) {}

    /** The value of {@link #maxBytesNow} while messages wait, which no message is smaller than. */
    private static final int NONE = -1;

    private final CodecSession session;
    private final int maxLoopBytes;
    private final boolean zeroCopy;
    private final LinkDecoder link;
    private final MessageHandler handler;

    /** The messages that wait, with the one that has failed. Null if there are none, so that a long queue is not kept. */
    private @Nullable Deque<EncodedMessage> waiting;

    /** The size of the largest message that is decoded when it arrives. */
    private int maxBytesNow;

    /** Whether another thread uses the session. */
    private boolean decodingElsewhere;

    private boolean closed;

    /**
     * Creates a decoder without messages.
     *
     * @param maxLoopBytes the size of the largest message that may be decoded on the event loop
     * @param zeroCopy     whether messages are borrowed
     */
    ChannelDecoder(CodecSession session, int maxLoopBytes, boolean zeroCopy, LinkDecoder link, MessageHandler handler) {
        this.session = session;
        this.maxLoopBytes = Math.max(0, maxLoopBytes);
        this.maxBytesNow = this.maxLoopBytes;
        this.zeroCopy = zeroCopy;
        this.link = link;
        this.handler = handler;
    }

    /** Returns the size of the largest message that may be decoded now, by {@link #decodeNow}: -1 while messages wait. */
    int maxBytesNow() {
        return maxBytesNow;
    }

    /** Returns whether messages wait. */
    boolean isBusy() {
        return maxBytesNow == NONE;
    }

    /**
     * Decodes a small message. Copies a heap buffer unless the message is borrowed, because the frame is borrowed and the message
     * keeps the array.
     *
     * @param scope the scope of a borrowed message
     */
    Message decodeNow(ByteBuf encoded, @Nullable BorrowScope scope) {
        if (scope != null) {
            return session.decodeBorrowed(encoded, scope);
        }
        return session.decode(encoded.hasArray() ? Unpooled.wrappedBuffer(ByteBufUtil.getBytes(encoded)) : encoded);
    }

    /**
     * Decodes a message now if that takes little time and no other one waits, otherwise later. Takes ownership of the message.
     *
     * @throws io.parley.error.PeerFaultException if the message is malformed
     */
    void add(EncodedMessage message) {
        boolean first = !isBusy();
        if (first && isQuick(message)) {
            complete(decode(message));
            return;
        }
        queue().add(message);
        if (first) {
            advance();
        }
    }

    /** Returns whether the event loop may decode a message. No other thread uses the session. */
    private boolean isQuick(EncodedMessage message) {
        return message.size() <= maxLoopBytes || session.decodesQuickly(message.bytes());
    }

    /** Returns the queue. The channel is busy from now on. */
    private Deque<EncodedMessage> queue() {
        Deque<EncodedMessage> queue = waiting;
        if (queue == null) {
            queue = new ArrayDeque<>();
            waiting = queue;
        }
        if (!isBusy()) {
            maxBytesNow = NONE;
            link.onBusy();
        }
        return queue;
    }

    /**
     * Continues with the next message. Decodes quick ones as long as they are together not larger than a single one may be, because
     * the event loop has other work.
     */
    private void advance() {
        long remaining = maxLoopBytes;
        while (!closed) {
            EncodedMessage next = waiting == null ? null : waiting.peek();
            if (next == null) {
                waiting = null;
                maxBytesNow = maxLoopBytes;
                link.onIdle(this);
                handler.onDecodingDone();
                return;
            }
            if (!isQuick(next)) {
                link.add(this);
                return;
            }
            remaining -= Math.min(next.size(), maxLoopBytes);
            if (remaining < 0) {
                link.runLater(this::advance);
                return;
            }
            removeNext();
            complete(decode(next));
        }
    }

    private void removeNext() {
        Objects.requireNonNull(waiting).remove();
    }

    /** Returns the message that is next. */
    EncodedMessage next() {
        return Objects.requireNonNull(waiting).element();
    }

    /** Called when another thread decodes the next message. */
    void onStarted() {
        removeNext();
        decodingElsewhere = true;
    }

    /** Decodes a message, on any thread, while no other one is decoded. */
    DecodingResult decode(EncodedMessage encoded) {
        ByteBuf bytes = encoded.bytes();
        BorrowScope scope = new BorrowScope(bytes::release);
        try {
            Message message = zeroCopy ? session.decodeBorrowed(bytes, scope) : session.decode(bytes);
            return new DecodingResult(encoded, scope, message, null);
        } catch (RuntimeException | Error e) { // an error of another thread ends the link as well
            return new DecodingResult(encoded, scope, null, e);
        }
    }

    /** Called with the message that another thread has decoded. */
    void onDecoded(DecodingResult result) {
        if (closed) {
            discard(result);
            return;
        }
        decodingElsewhere = false;
        complete(result);
        advance();
    }

    /** Delivers a message, or throws the failure. */
    private void complete(DecodingResult result) {
        Message message = result.message;
        if (message == null) {
            queue().addFirst(result.encoded); // released with those that wait; the link ends, so nothing decodes them
            throw ParleyException.unchecked(Objects.requireNonNull(result.failure));
        }
        try {
            handler.onDecoded(message, result.encoded);
        } finally {
            result.scope.end();
        }
    }

    /** Discards the message that another thread has decoded, after the channel was closed. Thread-safe. */
    void discard(DecodingResult result) {
        result.scope.end();
        handler.onDiscarded(result.encoded);
        handler.onSessionEnded();
    }

    /** Discards the messages that wait. One that another thread decodes is discarded after that. */
    void close() {
        closed = true;
        Deque<EncodedMessage> discarded = waiting;
        waiting = null;
        if (isBusy()) {
            link.onIdle(this);
        }
        if (discarded != null) {
            discarded.forEach(message -> {
                message.bytes().release();
                handler.onDiscarded(message);
            });
        }
        if (!decodingElsewhere) {
            handler.onSessionEnded();
        }
    }
}
