package io.parley.discovery.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.testkit.ConfirmationProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a peer while it publishes and receives advertisements. Its store contains all received and confirmed advertisements, but not
 * its own publications, which the application publishes again after the restart.
 */
@Tag("extended")
class PublishKillTest {

    @TempDir
    Path temp;

    @Test
    @Timeout(120)
    void kill_whilePublishing_losesNothingConfirmed() throws IOException {
        killAndCheck(3, 40);
    }

    @Tag("slow")
    @Test
    @Timeout(1200)
    void kill_whilePublishing_losesNothingConfirmed_often() throws IOException {
        killAndCheck(50, 150);
    }

    private void killAndCheck(int kills, int maxConfirmed) throws IOException {
        long seed = Long.getLong("parley.test.seed", System.nanoTime());
        System.out.println("parley.test.seed=" + seed);
        Random random = new Random(seed);
        Path home = temp.resolve("home");
        Set<Object> ids = new HashSet<>();
        int confirmed = 0;
        for (int kill = 0; kill < kills; kill++) {
            try (ConfirmationProcess process = DiscoveryListenerProcess.start(home, confirmed)) {
                process.await(confirmed + 1 + random.nextInt(maxConfirmed));
                process.close();
                confirmed = process.confirmed();
            }
            ids.add(check(home, confirmed));
        }
        System.out.println("killed " + kills + " times; " + confirmed + " advertisements were confirmed and stored");
        assertThat(ids).hasSize(1);
    }

    /** Checks the store with a new peer. Returns its peer id. */
    private static Object check(Path home, int confirmed) throws IOException {
        try (Peer peer = Peer.builder().home(home).multicast(false).start()) {
            for (int number = 0; number < confirmed; number++) {
                assertThat(peer.netGroup().discovery().findLocal(DiscoveryListenerProcess.query(number), 2))
                        .as("advertisement %d of %d", number, confirmed)
                        .isNotEmpty();
            }
            try (Stream<Path> files = Files.list(home)) {
                assertThat(files).noneMatch(file -> file.toString().contains("damaged"));
            }
            return peer.id();
        }
    }
}
