package io.parley.transport.memory.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.parley.testkit.Eventually;
import io.parley.testkit.transport.PropagationContractTest;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.memory.InMemoryNetwork;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class InMemoryPropagationTransportTest extends PropagationContractTest {

    private final InMemoryNetwork network = new InMemoryNetwork(2);

    @Override
    protected PropagationTransportProvider provider() {
        return network.propagationProvider();
    }

    @Test
    void listenerBlocked_payloadsAboveTheLimit_areDroppedAndCounted() {
        TestPeer alice = open();
        CountDownLatch resume = new CountDownLatch(1);
        TestPeer bob = open((sender, payload) -> Eventually.latch(resume, "the end of the test"));
        int sent = 2 * InMemoryPropagationTransport.MAX_PENDING;
        for (int i = 0; i < sent; i++) {
            Eventually.get(alice.transport().propagate(List.of(), Unpooled.EMPTY_BUFFER), "propagating");
        }
        long throttled = bob.count(Counter.PROPAGATIONS_THROTTLED);
        assertThat(throttled).isBetween((long) InMemoryPropagationTransport.MAX_PENDING - 1, (long) sent);

        resume.countDown();
        Eventually.until(
                () -> "not all accepted payloads were delivered",
                () -> bob.count(Counter.PROPAGATIONS_RECEIVED) == sent - throttled);
    }

    @Test
    void anotherNetwork_receivesNothing() {
        TestPeer alice = open();
        TestPeer bob = open();
        TestPeer elsewhere = open(new InMemoryNetwork(1).propagationProvider());

        alice.propagate("hello");
        bob.awaitTexts("hello");
        assertThat(elsewhere.texts()).isEmpty();
    }
}
