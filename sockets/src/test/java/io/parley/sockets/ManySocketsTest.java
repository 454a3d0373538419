package io.parley.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.testkit.Eventually;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A thousand sockets at once, with blocking platform threads, over TCP and TLS. */
@Tag("extended")
class ManySocketsTest {

    private static final int SOCKETS = 1000;
    private static final int STACK_BYTES = 256 * 1024;

    @Test
    void aThousandSockets_withThreadsThatBlock_allFinish() throws Exception {
        RequestLoad load = new RequestLoad(task -> {
            Thread thread = new Thread(null, task, "load", STACK_BYTES);
            thread.setDaemon(true);
            thread.start();
        });
        try (SocketPeers peers = SocketPeers.tcp()) {
            load.run(peers, SOCKETS, 5);
            Eventually.until(
                    () -> "open sockets: " + peers.ofAlice().registry().openSockets() + ", "
                            + peers.ofBob().registry().openSockets(),
                    () -> peers.ofAlice().registry().openSockets() == 0
                            && peers.ofBob().registry().openSockets() == 0);
            assertThat(peers.alice.endpoint().connectedPeers()).contains(peers.bob.id());
        }
    }
}
