package io.parley.endpoint.internal.messenger;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.message.Message;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.ProcessorTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Messages that leave a queue before it is their turn, as when a remote peer responds to requests in an order of its own. */
class OutboundQueueTest {

    private static final int MESSAGES = 250; // 4 times as many fit into the cache of a processor

    private final ManualScheduler time = new ManualScheduler();

    private OutboundQueue newQueue() {
        EndpointContext context = new EndpointContext(
                null,
                0,
                EndpointLimits.DEFAULTS,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                new AtomicLong(),
                null,
                null,
                new ManualEventLoops(time, 1).next(),
                null,
                null,
                time);
        return new OutboundQueue(context, MessengerOptions.DEFAULTS);
    }

    private static List<OutboundMessage> messages(int count) {
        List<OutboundMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(new OutboundMessage(Message.EMPTY, message -> false));
        }
        return messages;
    }

    @Test
    void removedMessage_isNotSent_andTheOthersKeepTheirOrder() {
        OutboundQueue queue = newQueue();
        List<OutboundMessage> messages = messages(5);
        messages.forEach(queue::add);
        assertThat(queue.remove(messages.get(2))).isTrue();
        assertThat(queue.remove(messages.get(2))).isFalse();
        assertThat(queue.remove(messages.get(4))).isTrue();
        ArrayDeque<OutboundMessage> sent = new ArrayDeque<>();
        queue.poll(sent, 1_000_000, true);
        assertThat(sent).containsExactly(messages.get(0), messages.get(1), messages.get(3));
        assertThat(queue.isSendable()).isFalse();
    }

    @Test
    void removals_costTheSame_inAnyOrder() {
        ProcessorTime.assertLinear("messages that wait, removed in random order", MESSAGES, count -> {
            OutboundQueue queue = newQueue();
            List<OutboundMessage> added = messages(count);
            List<OutboundMessage> removed = new ArrayList<>(added);
            Collections.shuffle(removed, new Random(1));
            return () -> {
                added.forEach(queue::add);
                removed.forEach(queue::remove);
            };
        });
    }

    @Test
    void removalsOfSentMessages_costTheSame_howeverManyWait() {
        ProcessorTime.assertLinear("sent messages, as many as wait", MESSAGES, count -> {
            OutboundQueue queue = newQueue();
            List<OutboundMessage> sent = messages(count);
            sent.forEach(queue::add);
            queue.poll(new ArrayDeque<>(), Long.MAX_VALUE, true);
            messages(count).forEach(queue::add);
            return () -> sent.forEach(queue::remove);
        });
    }
}
