package io.parley.pipes.internal.topic;

import io.parley.error.ErrorCode;
import io.parley.pipes.SubscriptionOptions;

/**
 * A message between a publisher and a subscriber of a topic, besides the published ones. The first two go to the publisher, the others
 * to the subscriber. {@code subscription} is the number that the subscriber gave to its subscription.
 */
sealed interface TopicMessage {

    /** Subscribes, or renews a subscription that the publisher may have. */
    record Subscribe(long subscription, SubscriptionOptions options) implements TopicMessage {}

    /** Ends a subscription. */
    record Unsubscribe(long subscription) implements TopicMessage {}

    /** Asks a subscriber to subscribe at this publisher. */
    record Offer() implements TopicMessage {}

    /** The publisher sends its messages from now on. */
    record Accepted(long subscription) implements TopicMessage {}

    /** The publisher has refused or ended the subscription. */
    record Ended(long subscription, ErrorCode code) implements TopicMessage {}

    /** The number of messages that the publisher has dropped for the subscription so far. */
    record Missed(long subscription, long count) implements TopicMessage {}
}
