package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that communicate by HTTP alone. {@link HttpSoftwareProcessTest} has proxies in between. */
@Tag("process")
@Timeout(180)
class HttpProcessTest {

    @TempDir
    private Path directory;

    @Test
    void peers_meetThroughARendezvous_byHttpAlone() throws Exception {
        try (RendezvousFixture rendezvous =
                        RendezvousFixture.startAt(directory, HttpSoftwareProcessTest.ANY_PORT, List.of());
                ParleyProcess listen = rendezvous.startClient(
                        directory,
                        "listen",
                        "--home",
                        "host",
                        "--pipe",
                        "talk",
                        "--address",
                        HttpSoftwareProcessTest.ANY_PORT);
                ParleyProcess connect = rendezvous.startClient(directory, "connect", "talk", "--timeout", "60")) {
            assertThat(rendezvous.addresses()).isEqualTo(rendezvous.address()).startsWith("http://127.0.0.1:");
            assertThat(ParleyProcess.ticket(listen.errors())).contains("@http://127.0.0.1:");
            HttpSoftwareProcessTest.assertConversation(listen, connect);
        }
    }
}
