/**
 * The publishers and subscriptions of a topic, and the protocol by which they find each other. Start with
 * {@link io.parley.pipes.internal.topic.FanOutPublisher} and {@link io.parley.pipes.internal.topic.OpenSubscription}. Not API: the types
 * are public for the packages of this module.
 */
@NullMarked
package io.parley.pipes.internal.topic;

import org.jspecify.annotations.NullMarked;
