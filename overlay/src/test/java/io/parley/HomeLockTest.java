package io.parley;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.ConfirmationProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HomeLockTest {

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
