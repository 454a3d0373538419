package io.parley.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.parley.Peer;
import io.parley.transport.memory.InMemoryNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ParleyMetricsTest {

    private static final Pattern NAME_IN_TABLE = Pattern.compile("(?m)^\\| `(parley\\.[a-z.]+)` \\| .+ \\|$");

    private final InMemoryNetwork network = new InMemoryNetwork(1);
    private final Peer alice = peer("alice");
    private final Peer bob = peer("bob");

    private Peer peer(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .multicast(false)
                .listen("mem://" + name)
                .start();
    }

    @AfterEach
    void close() {
        bob.close();
        alice.close();
    }

    @Test
    void metrics_names_areThoseOfTheDocumentedTable() throws IOException {
        Path table = Path.of("docs/metrics.md");
        String text =
                Files.readString(Files.exists(table) ? table : Path.of("..").resolve(table));
        List<String> documented = NAME_IN_TABLE
                .matcher(text)
                .results()
                .map((MatchResult row) -> row.group(1))
                .toList();

        assertThat(documented).doesNotHaveDuplicates();
        assertThat(List.copyOf(alice.metrics().keySet())).isSorted().containsExactlyInAnyOrderElementsOf(documented);
    }

    @Test
    void metrics_count_andAreASnapshot() {
        Map<String, Long> before = alice.metrics();
        assertThat(before).containsEntry("parley.endpoint.connections.opened", 0L);

        alice.endpoint().addPeerAddress(bob.address());
        assertThat(alice.endpoint().connect(bob.id())).succeedsWithin(Duration.ofSeconds(20));

        assertThat(before).containsEntry("parley.endpoint.connections.opened", 0L);
        assertThat(alice.metrics()).containsEntry("parley.endpoint.connections.opened", 1L);
    }

    @Test
    void bindTo_registersEveryName_withTheTags() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        new ParleyMetrics(alice, Tags.of("zone", "north")).bindTo(registry);
        alice.endpoint().addPeerAddress(bob.address());
        assertThat(alice.endpoint().connect(bob.id())).succeedsWithin(Duration.ofSeconds(20));

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
