package io.parley.pipes.internal.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ReceivedMessage;
import io.parley.pipes.SubscriptionOptions;
import io.parley.testkit.ManualScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The queue of a subscription drops messages by its rule, and releases each. */
class SubscriptionQueueTest {

    private final ManualScheduler scheduler = new ManualScheduler();
    private final List<Integer> released = new ArrayList<>();

    private ReceivedMessage message(int number) {
        return new NumberedMessage(number, released);
    }

    private static String next(SubscriptionQueue queue) {
        ReceivedMessage next = queue.poll();
        return next == null ? "none" : next.message().text("n").orElseThrow();
    }

    @Test
    void oldMessages_areDropped() {
        SubscriptionQueue queue =
                new SubscriptionQueue(SubscriptionOptions.DEFAULTS.withTimeToLive(Duration.ofSeconds(1)), scheduler);
        queue.add(message(1));
        scheduler.advance(Duration.ofMillis(600));
        queue.add(message(2));
        scheduler.advance(Duration.ofMillis(600));
        assertThat(next(queue)).isEqualTo("2");
        assertThat(queue.dropped()).isOne();
        assertThat(released).containsExactly(1);
        assertThat(next(queue)).isEqualTo("none");
    }

    @Test
    void messagesBeyondTheMaximum_areDroppedFromTheOldest() {
        SubscriptionQueue queue = new SubscriptionQueue(SubscriptionOptions.dropOldest(2), scheduler);
        for (int i = 1; i <= 5; i++) {
            queue.add(message(i));
        }
        assertThat(released).containsExactly(1, 2, 3);
        assertThat(queue.dropped()).isEqualTo(3);
        assertThat(next(queue)).isEqualTo("4");
        assertThat(next(queue)).isEqualTo("5");
    }

    @Test
    void blockingSubscription_dropsNothing() {
        SubscriptionQueue queue = new SubscriptionQueue(SubscriptionOptions.blocking(), scheduler);
        for (int i = 1; i <= 5000; i++) {
            queue.add(message(i));
        }
        assertThat(released).isEmpty();
        assertThat(next(queue)).isEqualTo("1");
    }

    @Test
    void closedQueue_releasesItsMessages_andLaterOnes() {
        SubscriptionQueue queue = new SubscriptionQueue(SubscriptionOptions.DEFAULTS, scheduler);
        queue.add(message(1));
        queue.close();
        queue.add(message(2));
        assertThat(released).containsExactly(1, 2);
        assertThat(next(queue)).isEqualTo("none");
    }

    @Test
    void newestOnly_isOneMessage_whateverMaximumIsGiven() {
        SubscriptionOptions options =
                new SubscriptionOptions(SubscriptionOptions.Overflow.NEWEST_ONLY, 5, 1024, EndpointLimits.MAX_TIMEOUT);
        SubscriptionQueue queue = new SubscriptionQueue(options, scheduler);
        queue.add(message(1));
        queue.add(message(2));
        assertThat(next(queue)).isEqualTo("2");
        assertThat(next(queue)).isEqualTo("none");
        assertThat(queue.dropped()).isEqualTo(1);
    }
}
