package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that reach each other through a relay alone: the peer that waits listens nowhere else. */
@Tag("process")
@Timeout(180)
class RelayProcessTest {

    private static final int FILE_BYTES = 12 << 20;

    /** The bytes of the relay on one connection until it stalls. They are not the whole file. */
    private static final int STALL_BYTES = 8 << 20;

    /** More than the restart of a relay takes on a loaded machine. */
    private static final String RECONNECT = ParleyProcess.TIMEOUT.toSeconds() + "s";

    @TempDir
    private Path directory;

    private ParleyProcess startRelay(String address) throws IOException {
        return ParleyProcess.start(
                directory, "relay", "--json", "--no-multicast", "--home", "relay", "--address", address);
    }

    private static String address(ParleyProcess relay) throws Exception {
        return ParleyProcess.field(relay.lines().awaitContaining("\"relay\""), "relay");
    }

    @Test
    void peers_haveAConversation_throughARelay() throws Exception {
        assertConversation(ParleyProcess.ANY_PORT);
    }

    @Test
    void peers_haveAConversation_throughARelay_byHttpAlone() throws Exception {
        assertConversation(HttpSoftwareProcessTest.ANY_PORT);
    }

    private void assertConversation(String any) throws Exception {
        try (ParleyProcess relay = startRelay(any)) {
            String relayed = "relay+" + address(relay);
            try (ParleyProcess listen =
                    ParleyProcess.start(directory, "listen", "--home", "host", "--address", relayed)) {
                String ticket = ParleyProcess.ticket(listen.errors());
                assertThat(ticket).endsWith("@" + relayed);
                try (ParleyProcess ping = ParleyProcess.start(directory, "ping", ticket, "--count", "1")
                        .readAll()) {
                    // The link is direct already, or not yet.
                    ping.assertSuccess();
                }
                try (ParleyProcess connect = ParleyProcess.start(directory, "connect", ticket)) {
                    HttpSoftwareProcessTest.assertConversation(listen, connect);
                }
            }
        }
    }

    /** Neither peer listens elsewhere, so the link stays relayed. */
    @Test
    void pingByName_showsTheRelay() throws Exception {
        try (ParleyProcess relay = ParleyProcess.start(
                directory,
                "rendezvous",
                "--as-relay",
                "--json",
                "--no-multicast",
                "--home",
                "relay",
                "--address",
                ParleyProcess.ANY_PORT)) {
            String rendezvous = ParleyProcess.field(relay.lines().awaitContaining("\"rendezvous\""), "rendezvous");
            String relayed = "relay+" + rendezvous.substring(rendezvous.indexOf('@') + 1);
            try (ParleyProcess listen = ParleyProcess.startWithRendezvous(
                            directory, List.of(rendezvous), "listen", "--name", "host", "--address", relayed);
                    ParleyProcess ping = ParleyProcess.startWithRendezvous(
                                    directory, List.of(rendezvous), "ping", "host", "--count", "2", "--timeout", "60")
                            .readAll()) {
                ping.assertSuccess();
                assertThat(ping.text())
                        .containsPattern("number=1 time=\\S+ ms, through a relay")
                        .containsPattern("number=2 time=\\S+ ms, through a relay");
            }
        }
    }

    @Test
    void file_arrivesWhole_thoughItsRelayIsKilledAndRestarted() throws Exception {
        byte[] content = new byte[FILE_BYTES];
        new Random(1).nextBytes(content);
        Path file = Files.write(directory.resolve("data.bin"), content);
        String address = ParleyProcess.freeAddress();
        try (ParleyProcess relay = startRelay(address);
                StallingForwarder forwarder = new StallingForwarder(address, STALL_BYTES);
                ParleyProcess send = ParleyProcess.start(
                        directory,
                        "send",
                        "--home",
                        "host",
                        "--reconnect",
                        RECONNECT,
                        "--address",
                        "relay+" + address,
                        file.toString())) {
            assertThat(address(relay)).isEqualTo(address);
            String ticket = forwarder.ticket(ParleyProcess.ticket(send.lines())).replace("@tcp:", "@relay+tcp:");
            try (ParleyProcess receive =
                    ParleyProcess.start(directory, "receive", ticket, "--reconnect", RECONNECT, "--out", "out")) {
                awaitPart(STALL_BYTES / 2);
                relay.kill();
                try (ParleyProcess restarted = startRelay(address)) {
                    assertThat(address(restarted)).isEqualTo(address);
                    receive.assertSuccess();
                    send.assertSuccess();
                }
            }
        }
        assertThat(directory.resolve("out/data.bin")).hasBinaryContent(content);
    }

    private void awaitPart(long bytes) {
        await().pollInterval(Duration.ofMillis(2))
                .atMost(ParleyProcess.TIMEOUT)
                .until(() -> TransferProcessTest.partSize(directory) >= bytes);
    }
}
