package io.parley.pipes.internal.topic;

import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.message.Payload;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.SubscriptionOptions.Overflow;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;

/** Writes and reads {@link TopicMessage}s: one element for each field, with numbers of 8 bytes. */
final class TopicMessageFormat {

    static final String NAMESPACE = "parley.topic";

    private static final String TYPE = "Type";
    private static final String SUBSCRIPTION = "Subscription";
    private static final String OVERFLOW = "Overflow";
    private static final String MAX_MESSAGES = "MaxMessages";
    private static final String MAX_BYTES = "MaxBytes";
    private static final String TIME_TO_LIVE = "TimeToLive";
    private static final String CODE = "Code";
    private static final String COUNT = "Count";

    private static final int SUBSCRIBE = 1;
    private static final int UNSUBSCRIBE = 2;
    private static final int OFFER = 3;
    private static final int ACCEPTED = 4;
    private static final int ENDED = 5;
    private static final int MISSED = 6;

    /** The numbers on the wire are the positions. */
    private static final List<Overflow> OVERFLOWS = List.of(Overflow.BLOCK, Overflow.DROP_OLDEST, Overflow.NEWEST_ONLY);

    private TopicMessageFormat() {}

    static Message write(TopicMessage message) {
        if (message instanceof TopicMessage.Subscribe subscribe) {
            SubscriptionOptions options = subscribe.options();
            Message.Builder builder = start(SUBSCRIBE, subscribe.subscription())
                    .add(number(OVERFLOW, OVERFLOWS.indexOf(options.overflow())))
                    .add(number(MAX_MESSAGES, options.maxMessages()))
                    .add(number(MAX_BYTES, options.maxBytes()));
            if (!options.timeToLive().equals(EndpointLimits.MAX_TIMEOUT)) {
                builder.add(
                        number(TIME_TO_LIVE, Math.max(1, options.timeToLive().toMillis())));
            }
            return builder.build();
        }
        if (message instanceof TopicMessage.Unsubscribe unsubscribe) {
            return start(UNSUBSCRIBE, unsubscribe.subscription()).build();
        }
        if (message instanceof TopicMessage.Accepted accepted) {
            return start(ACCEPTED, accepted.subscription()).build();
        }
        if (message instanceof TopicMessage.Ended ended) {
            return start(ENDED, ended.subscription())
                    .add(number(CODE, ended.code().number()))
                    .build();
        }
        if (message instanceof TopicMessage.Missed missed) {
            return start(MISSED, missed.subscription())
                    .add(number(COUNT, missed.count()))
                    .build();
        }
        return Message.of(number(TYPE, OFFER));
    }

    private static Message.Builder start(int type, long subscription) {
        return Message.builder().add(number(TYPE, type)).add(number(SUBSCRIPTION, subscription));
    }

    private static MessageElement number(String name, long value) {
        byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
        return MessageElement.of(NAMESPACE, name, MessageElement.TYPE_BYTES, Payload.of(bytes));
    }

    /**
     * Reads a message of another peer.
     *
     * @throws ParleyException {@link ErrorCode#MALFORMED_MESSAGE}
     */
    static TopicMessage read(Message message) {
        long type = number(message, TYPE, SUBSCRIBE, MISSED);
        if (type == OFFER) {
            return new TopicMessage.Offer();
        }
        long subscription = number(message, SUBSCRIPTION, Long.MIN_VALUE, Long.MAX_VALUE);
        return switch ((int) type) {
            case SUBSCRIBE -> new TopicMessage.Subscribe(subscription, options(message));
            case UNSUBSCRIBE -> new TopicMessage.Unsubscribe(subscription);
            case ACCEPTED -> new TopicMessage.Accepted(subscription);
            case ENDED -> new TopicMessage.Ended(subscription, code(number(message, CODE, 0, Integer.MAX_VALUE)));
            default -> new TopicMessage.Missed(subscription, number(message, COUNT, 0, Long.MAX_VALUE));
        };
    }

    /** Returns {@link ErrorCode#REJECTED_BY_PEER} for a number that this version does not know. */
    private static ErrorCode code(long number) {
        ErrorCode known = ErrorCode.ofNumber((int) number);
        return known == null ? ErrorCode.REJECTED_BY_PEER : known;
    }

    private static SubscriptionOptions options(Message message) {
        Overflow overflow = OVERFLOWS.get((int) number(message, OVERFLOW, 0, OVERFLOWS.size() - 1));
        long maxMillis = EndpointLimits.MAX_TIMEOUT.toMillis();
        long millis = message.element(NAMESPACE, TIME_TO_LIVE).isEmpty()
                ? maxMillis
                : number(message, TIME_TO_LIVE, 1, overflow == Overflow.BLOCK ? 0 : maxMillis);
        return new SubscriptionOptions(
                overflow,
                (int) number(message, MAX_MESSAGES, 1, SubscriptionOptions.MAX_MESSAGES),
                (int) number(message, MAX_BYTES, 1, SubscriptionOptions.MAX_BYTES),
                Duration.ofMillis(millis));
    }

    private static long number(Message message, String name, long min, long max) {
        MessageElement element =
                message.element(NAMESPACE, name).orElseThrow(() -> malformed(name + ": element is missing"));
        if (element.size() != Long.BYTES) {
            throw malformed(name + ": " + element.size() + " bytes (expected: " + Long.BYTES + ")");
        }
        long value = ByteBuffer.wrap(element.toByteArray()).getLong();
        if (value < min || value > max) {
            throw malformed(name + ": " + value + " (expected: " + min + " to " + max + ")");
        }
        return value;
    }

    private static ParleyException malformed(String detail) {
        return ErrorCode.MALFORMED_MESSAGE.exception("topic message: " + detail);
    }
}
