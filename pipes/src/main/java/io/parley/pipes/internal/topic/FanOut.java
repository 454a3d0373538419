package io.parley.pipes.internal.topic;

import io.parley.message.Message;
import java.util.List;

/**
 * How the messages of a publisher reach its receivers. {@link DirectFanOut} sends each message to each receiver; others may build
 * trees. Thread-safe.
 */
interface FanOut {

    /** Adds a receiver, which gets the messages from now on. */
    void add(TopicReceiver receiver);

    /** Removes a receiver, if it is there. */
    void remove(TopicReceiver receiver);

    /** Returns the receivers that stop the publisher now; empty if a message can be sent. */
    List<TopicReceiver> blocking();

    /**
     * Queues a message for all receivers, or for none if one of them stops the publisher. Messages of one thread are queued in order.
     *
     * @return the receivers that stop the publisher; empty if the message is queued
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE} or
     *     {@link io.parley.error.ErrorCode#NOT_ENCODABLE} if receivers cannot get the message; {@link io.parley.error.ErrorCode#CLOSED}
     *     if the messengers of receivers are closed; it is queued for the others
     */
    List<TopicReceiver> send(Message message);
}
