package io.parley.examples.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.examples.attack.AttackClient.Greeting;
import io.parley.testkit.Eventually;
import io.parley.testkit.LoopbackNetwork;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** A rendezvous whose clock is three days ahead, and is set back while it runs. */
@Tag("process")
@Tag("attack")
@Timeout(300)
@EnabledIfSystemProperty(named = "parley.test.attacks", matches = "true")
class WrongClockProcessTest {

    /** The longest time until all publications are signed again, and time for the search. */
    private static final Duration RENEWAL = Duration.ofSeconds(60 + 30);

    @TempDir
    private Path directory;

    @Test
    void clockThatWasAheadIsSetBack_peerServesAndIsFound() throws IOException {
        LoopbackNetwork.assumeAvailable();
        String ahead = "-D" + AttackedPeerProcess.CLOCK_AHEAD + "=PT72H";
        try (AttackedPeer attacked = AttackedPeer.start(directory, ahead);
                AttackNet net = new AttackNet(attacked.socketAddress())) {
            assertThat(Eventually.failure(net.tryConnect("127.0.8.1", Greeting.USUAL), "a connection"))
                    .isNotNull();
            attacked.setClock();
            long start = System.nanoTime();
            try (HonestPeer honest = new HonestPeer("127.0.9.1", attacked);
                    Peer reader = Peer.builder()
                            .name("reader")
                            .multicast(false)
                            .rendezvous(attacked.address())
                            .start()) {
                Eventually.get(reader.whenOnline(), "a lease");
                while (!finds(reader)) {
                    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(RENEWAL);
                }
                AttackScene.print("clock set back: found after "
                        + Duration.ofNanos(System.nanoTime() - start).toSeconds() + " s; " + honest.assertServed());
            }
        }
    }

    private static boolean finds(Peer reader) {
        DiscoveryQuery attacked = DiscoveryQuery.any().with("Name", "attacked");
        return !Eventually.get(
                        reader.netGroup().discovery().find(attacked, SearchOptions.of(Duration.ofSeconds(2), 1)),
                        "a search")
                .isEmpty();
    }
}
