package io.parley.endpoint;

import io.parley.common.Scheduler;
import io.parley.encoding.EncodingPolicy;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How a messenger sends messages.
 *
 * @param codecs   the names of message codecs in order of preference, see {@link #withCodecs}
 * @param delivery the treatment of messages that are lost, or for which the queue has no room
 * @param queue    the bounds of the queue; empty for {@link EndpointLimits#queueBytes()}
 * @param rate     limits the rate at which messages leave the queue; empty for no limit
 * @param encoding by which elements are encoded, see {@link #withEncoding}; empty to send them as they are
 * @param secure   whether messages are sent only through secure channels, see {@link #withSecureChannels}
 */
public record MessengerOptions(
        List<String> codecs,
        Delivery delivery,
        Optional<QueueLimits> queue,
        Optional<Rate> rate,
        Optional<EncodingPolicy> encoding,
        boolean secure) {

    /** The treatment of messages that are lost, or for which a queue has no room. */
    public enum Delivery {

        /** A message is kept until it is acknowledged, and sent again after its connection was lost. A full queue refuses messages. */
        RELIABLE,

        /**
         * For messages that are worth little when they are late, such as positions or samples. A message arrives at most once: it is not
         * sent again, and counts as sent when it is handed to the network. A full queue drops its oldest messages for a new one.
         */
        DROP_OLDEST,

        /** As {@link #DROP_OLDEST}, but a full queue drops the new message. */
        DROP_NEWEST;

        /** Returns whether a message may be lost. */
        public boolean isBestEffort() {
            return this != RELIABLE;
        }
    }

    /**
     * The rate of one or several messengers. Those that share it send their messages in the order of the calls of {@link #reserve}.
     * {@link #reserve} and {@link #putBack} are called with a lock of a messenger: they must be fast, and must not call the messenger.
     */
    public interface Rate {

        /**
         * Counts the next message of a messenger. A message that is sent again is not counted again.
         *
         * @return the time after which it may be sent, in nanoseconds; zero for now
         */
        long reserve(long payloadBytes);

        /** Takes back that a message was counted. It is not sent, because it was dropped or cancelled or the messenger closes. */
        void putBack(long payloadBytes);

        /** Returns the time in which messengers wait. */
        Scheduler scheduler();
    }

    /** The codec of the connection; reliable; the queue of the endpoint; no limit of the rate; elements as they are; any channel. */
    public static final MessengerOptions DEFAULTS = new MessengerOptions(
            List.of(), Delivery.RELIABLE, Optional.empty(), Optional.empty(), Optional.empty(), false);

    /** Copies the list. Fails with NullPointerException if an argument is missing. */
    public MessengerOptions {
        codecs = List.copyOf(codecs);
        Objects.requireNonNull(delivery, "delivery");
        Objects.requireNonNull(queue, "queue");
        Objects.requireNonNull(rate, "rate");
        Objects.requireNonNull(encoding, "encoding");
    }

    /**
     * Returns a copy for a messenger that uses the first of these message codecs that the remote peer also has, instead of the codec of
     * the connection. If there is no common codec, sending fails with {@link io.parley.error.ErrorCode#NO_COMMON_CODEC}.
     *
     * @param value names in order of preference, all of which this peer must have; empty for the codec of the connection
     */
    public MessengerOptions withCodecs(List<String> value) {
        return new MessengerOptions(value, delivery, queue, rate, encoding, secure);
    }

    /**
     * Returns a copy with another delivery. With one that is {@linkplain Delivery#isBestEffort() best effort}, a full queue does not stop
     * the sender but drops messages, whose futures fail with {@link io.parley.error.ErrorCode#QUEUE_FULL}: see
     * {@link Messenger#droppedMessages}.
     */
    public MessengerOptions withDelivery(Delivery value) {
        return new MessengerOptions(codecs, value, queue, rate, encoding, secure);
    }

    /**
     * Returns a copy with other bounds of the queue. The futures of messages that were dropped because they were too old fail with
     * {@link io.parley.error.ErrorCode#TIMEOUT}.
     *
     * @param value its time to live must be {@link EndpointLimits#MAX_TIMEOUT} for a reliable messenger, which drops no messages
     */
    public MessengerOptions withQueueLimits(QueueLimits value) {
        return new MessengerOptions(codecs, delivery, Optional.of(value), rate, encoding, secure);
    }

    /**
     * Returns a copy with a limited rate. Messages wait in the queue meanwhile, so a full queue refuses messages, stops the sender or
     * drops messages as without a rate. A close sends the queued messages at the rate, for {@link EndpointLimits#closeTimeout()} at most.
     */
    public MessengerOptions withRate(Rate value) {
        return new MessengerOptions(codecs, delivery, queue, Optional.of(value), encoding, secure);
    }

    /**
     * Returns a copy for a messenger that encodes elements. The schemes are offered to each receiver, which selects those that it has;
     * see {@link ServiceOptions#withDecoding}. Messages fail with {@link io.parley.error.ErrorCode#NO_COMMON_CODEC} if it lacks a required
     * one, and with {@link io.parley.error.ErrorCode#NOT_ENCODABLE} if an element cannot be encoded. Elements are encoded on the thread
     * that sends, or on another one if that is an event loop or the channel is not open.
     *
     * @param value without schemes that keep state if the messenger is a best-effort one
     */
    public MessengerOptions withEncoding(EncodingPolicy value) {
        return new MessengerOptions(codecs, delivery, queue, rate, Optional.of(value), secure);
    }

    /**
     * Returns a copy for a messenger that sends only through a secure channel, to a {@linkplain ServiceOptions#withSecureChannels secure
     * service}. Messages and {@link Messenger#resolve} fail with {@link io.parley.error.ErrorCode#SECURITY_MISMATCH} if the service is not
     * secure or the remote peer has an earlier version, and with {@link io.parley.error.ErrorCode#IDENTITY_REFUSED} if the peer is not
     * authenticated as {@link Messenger#peer()}. A message counts as sent when the authenticated peer has acknowledged it. Whether the
     * transport or TLS between the endpoints protects a channel is settled when it opens: unacknowledged messages of a channel are not
     * sent again on a connection that is protected in the other way, and fail with {@link io.parley.error.ErrorCode#LOST}.
     */
    public MessengerOptions withSecureChannels() {
        return new MessengerOptions(codecs, delivery, queue, rate, encoding, true);
    }
}
