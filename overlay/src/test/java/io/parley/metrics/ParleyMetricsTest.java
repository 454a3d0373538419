package io.parley.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.parley.Peer;
import io.parley.testkit.Eventually;
import io.parley.transport.memory.InMemoryNetwork;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ParleyMetricsTest {

    private final InMemoryNetwork network = new InMemoryNetwork(1);
    private final Peer alice = peer("alice");
    private final Peer bob = peer("bob");

    private Peer peer(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .multicast(false)
                .limits(limits ->
                        limits.toBuilder().handshakeTimeout(Eventually.DEADLINE).build())
                .listen("mem://" + name)
                .start();
    }

    @AfterEach
    void close() {
        bob.close();
        alice.close();
    }

    @Test
    void metrics_count_andAreASnapshot() {
        Map<String, Long> before = alice.metrics();
        assertThat(before).containsEntry("parley.endpoint.connections.opened", 0L);

        alice.endpoint().addPeerAddress(bob.address());
        Eventually.get(alice.endpoint().connect(bob.id()), "connecting");

        assertThat(before).containsEntry("parley.endpoint.connections.opened", 0L);
        assertThat(alice.metrics()).containsEntry("parley.endpoint.connections.opened", 1L);
    }

    @Test
    void bindTo_registersEveryName_withTheTags() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new ParleyMetrics(alice, Tags.of("zone", "north")).bindTo(registry);
        alice.endpoint().addPeerAddress(bob.address());
        Eventually.get(alice.endpoint().connect(bob.id()), "connecting");

        assertThat(registry.getMeters())
                .extracting(meter -> meter.getId().getName())
                .containsExactlyInAnyOrderElementsOf(alice.metrics().keySet());
        FunctionCounter opened = registry.get("parley.endpoint.connections.opened")
                .tag(ParleyMetrics.PEER_TAG, alice.id().text())
                .tag("zone", "north")
                .functionCounter();
        assertThat(opened.count()).isEqualTo(1.0);
        assertThat(registry.get("parley.endpoint.message.bytes.sent")
                        .functionCounter()
                        .getId()
                        .getBaseUnit())
                .isEqualTo("bytes");
    }
}
