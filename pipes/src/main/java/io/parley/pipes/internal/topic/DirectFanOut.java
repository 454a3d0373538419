package io.parley.pipes.internal.topic;

import io.parley.endpoint.SharedMessage;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends each message to each receiver, through the queue of the receiver. The message is encoded once for each codec. Senders exclude
 * each other, so all receivers get the messages in the same order; event loops never wait for senders.
 */
public final class DirectFanOut implements FanOut {

    /** All receivers, and those that may stop the publisher. Replaced when they change. */
    private record Receivers(List<TopicReceiver> all, List<TopicReceiver> blocking) {

        static Receivers of(List<TopicReceiver> all) {
            return new Receivers(
                    List.copyOf(all),
                    all.stream().filter(TopicReceiver::isBlocking).toList());
        }
    }

    private final Object sending = new Object();
    private final Object changing = new Object();
    private volatile Receivers receivers = Receivers.of(List.of());

    @Override
    public void add(TopicReceiver receiver) {
        synchronized (changing) {
            List<TopicReceiver> all = new ArrayList<>(receivers.all());
            all.add(receiver);
            receivers = Receivers.of(all);
        }
    }

    @Override
    public void remove(TopicReceiver receiver) {
        synchronized (changing) {
            List<TopicReceiver> all = new ArrayList<>(receivers.all());
            all.remove(receiver);
            receivers = Receivers.of(all);
        }
    }

    @Override
    public List<TopicReceiver> blocking() {
        return blocking(receivers);
    }

    private static List<TopicReceiver> blocking(Receivers present) {
        List<TopicReceiver> full = List.of();
        for (TopicReceiver receiver : present.blocking()) {
            if (!receiver.isWritable()) {
                full = full.isEmpty() ? new ArrayList<>() : full;
                full.add(receiver);
            }
        }
        return full;
    }

    @Override
    public List<TopicReceiver> send(Message message) {
        ParleyException failure;
        synchronized (sending) {
            // only senders fill the queues, and what returns to them takes no room, so the room that there is now
            // remains
            Receivers present = receivers;
            List<TopicReceiver> full = blocking(present);
            if (!full.isEmpty()) {
                return full;
            }
            failure = offer(SharedMessage.of(message, present.all().size()), present.all());
        }
        if (failure != null) {
            throw failure;
        }
        return List.of();
    }

    /** Returns the first failure, or null if there is none. That a receiver is closed is reported if there is no other one. */
    private static @Nullable ParleyException offer(SharedMessage message, List<TopicReceiver> all) {
        ParleyException first = null;
        for (TopicReceiver receiver : all) {
            try {
                receiver.offer(message);
            } catch (ParleyException e) {
                if (first == null || first.code() == ErrorCode.CLOSED) {
                    first = e;
                }
            }
        }
        return first;
    }
}
