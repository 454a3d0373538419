package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.group.PeerGroup;
import io.parley.message.Message;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The counters of requests and tasks in the metrics of a peer, and the document that lists all counters. */
@Timeout(60)
class RequestMetricsTest {

    private static final Pattern NAME_IN_TABLE = Pattern.compile("(?m)^\\| `(parley\\.[a-z.]+)` \\| .+ \\|$");

    private final PipePeers peers = new PipePeers();

    @AfterEach
    void close() {
        peers.close();
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
        Peer alice = peers.start(peers.builder("alice").multicast(false));
        assertThat(List.copyOf(alice.metrics().keySet())).isSorted().containsExactlyInAnyOrderElementsOf(documented);
    }

    @Test
    void requests_ofAllGroups_areCounted_alsoAfterTheyWereLeft() {
        Peer alice = peers.near("alice");
        Peer bob = peers.near("bob");
        PeerGroup weather = bob.group("weather").join();
        Pipes.of(alice.group("weather").join()).serve("forecast", request -> Message.EMPTY);
        Pipes.of(alice).serve("calc", request -> Message.EMPTY);
        assertThat(PipePeers.count(bob, Counter.REQUESTS_STARTED)).isZero();

        request(Pipes.of(weather), "forecast");
        weather.close();
        request(Pipes.of(bob), "calc");

        assertThat(PipePeers.count(bob, Counter.REQUESTS_STARTED)).isEqualTo(2);
        assertThat(PipePeers.count(bob, Counter.RESPONSES_RECEIVED)).isEqualTo(2);
        assertThat(PipePeers.count(alice, Counter.REQUESTS_RECEIVED)).isEqualTo(2);
        assertThat(PipePeers.count(alice, Counter.REQUESTS_STARTED)).isZero();
    }

    private static void request(Pipes pipes, String service) {
        Eventually.get(pipes.requestAsync(service, Message.EMPTY, Duration.ofSeconds(30)), "the response");
    }
}
