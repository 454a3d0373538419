package io.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.ConfirmationProcess;
import io.parley.testkit.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HomeLockTest {

    private static final int THREADS = 4;
    private static final int ROUNDS = 100;

    @TempDir
    Path temp;

    private static Peer start(Path home) {
        return Peer.builder().home(home).multicast(false).start();
    }

    private static void assertInUse(Path home) {
        assertThatThrownBy(() -> start(home))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HOME_IN_USE))
                .hasMessageContaining(home.normalize().toString())
                .hasMessageContaining("stop that peer")
                .hasMessageContaining("another directory");
    }

    @Test
    void start_homeOfAnotherPeerInThisProcess_isRefused_untilThatIsClosed() {
        Path home = temp.resolve("home");
        Peer first = start(home);
        assertInUse(home);
        assertInUse(temp.resolve("other").resolve("..").resolve("home"));
        PeerId id = first.id();
        first.close();

        try (Peer second = start(home)) {
            assertThat(second.id()).isEqualTo(id);
        }
    }

    @Test
    void start_homeOfAPeerInAnotherProcess_isRefused_untilThatDies() throws IOException {
        Path home = temp.resolve("home");
        try (ConfirmationProcess process = HomeHolderProcess.start(home)) {
            process.await(1);
            assertInUse(home);
        }
        start(home).close();
    }

    /** Both see that there is no lock file, and one creates it. */
    @Test
    void acquire_bySeveralThreadsInANewHome_succeedsForOne() {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            for (int round = 0; round < ROUNDS; round++) {
                Path home = temp.resolve("home " + round);
                CyclicBarrier start = new CyclicBarrier(THREADS);
                List<Future<Boolean>> acquiring = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    acquiring.add(threads.submit(() -> {
                        start.await();
                        return isAcquired(home);
                    }));
                }
                assertThat(acquiring.stream()
                                .filter(each -> Eventually.get(each, "the lock"))
                                .count())
                        .as("peers with the same home")
                        .isEqualTo(1);
            }
        } finally {
            threads.shutdown();
        }
    }

    private static boolean isAcquired(Path home) {
        try {
            HomeLock.acquire(home);
            return true;
        } catch (ParleyException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.HOME_IN_USE);
            return false;
        }
    }

    @Test
    void start_thatFails_releasesTheHome() throws IOException {
        Files.writeString(temp.resolve(Identity.FILE_NAME), "no key");
        assertThatThrownBy(() -> start(temp)).isInstanceOf(ParleyException.class);
        Files.delete(temp.resolve(Identity.FILE_NAME));

        start(temp).close();
    }

    /** The previous version wrote no lock file. */
    @Test
    void start_homeWithoutALockFile_opensIt() throws IOException {
        PeerId id = Identity.loadOrCreate(temp).peerId();
        assertThat(temp.resolve(HomeLock.FILE_NAME)).doesNotExist();

        try (Peer peer = start(temp)) {
            assertThat(peer.id()).isEqualTo(id);
        }
        assertThat(temp.resolve(HomeLock.FILE_NAME)).exists();
    }
}
