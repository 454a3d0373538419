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
    void listenerStandsStill_whatIsTooMuch_isThrownAwayAndCounted() {
        Ear alice = open();
        CountDownLatch goOn = new CountDownLatch(1);
        Ear bob = open((sender, payload) -> Eventually.latch(goOn, "the end of the test"));
        int sent = 2 * InMemoryPropagationTransport.MAX_WAITING;
        for (int i = 0; i < sent; i++) {
            Eventually.get(alice.transport().propagate(List.of(), Unpooled.EMPTY_BUFFER), "propagating");
        }
        long throttled = bob.count(Counter.PROPAGATIONS_THROTTLED);
        assertThat(throttled).isBetween((long) InMemoryPropagationTransport.MAX_WAITING - 1, (long) sent);

        goOn.countDown();
        Eventually.until(
                () -> "not all that were kept have come",
                () -> bob.count(Counter.PROPAGATIONS_RECEIVED) == sent - throttled);
    }

    @Test
    void anotherNetwork_hearsNothing() {
        Ear alice = open();
        Ear bob = open();
        Ear elsewhere = open(new InMemoryNetwork(1).propagationProvider());

        alice.say("hello");
        bob.awaitTexts("hello");
        assertThat(elsewhere.texts()).isEmpty();
    }
}
