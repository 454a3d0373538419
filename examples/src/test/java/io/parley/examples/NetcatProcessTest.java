package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.GroupId;
import io.parley.id.PipeId;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that connect their standard input and output. */
@Tag("process")
@Timeout(180)
class NetcatProcessTest {

    @TempDir
    private Path directory;

    private ParleyProcess start(String... arguments) throws IOException {
        return ParleyProcess.start(directory, arguments);
    }

    private ParleyProcess listen() throws IOException {
        return start("listen", "--home", "host", "--reconnect", "1s", "--address", ParleyProcess.ANY_PORT);
    }

    private static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed + Long.getLong("parley.test.seed", 0)).nextBytes(bytes);
        return bytes;
    }

    /** Writes bytes on a thread of its own and closes the standard input. */
    private static void feed(ParleyProcess process, byte[] bytes) {
        Thread writer = new Thread(() -> {
            try (OutputStream input = process.input()) {
                input.write(bytes);
            } catch (IOException e) {
                // The process has ended; the test checks its exit code.
            }
        });
        writer.setDaemon(true);
        writer.start();
    }

    @Test
    void netcat_copiesBinaryDataInBothDirectionsUntilTheEnd() throws Exception {
        byte[] there = bytes(3_000_001, 1);
        byte[] back = bytes(2_000_003, 2);
        try (ParleyProcess listen = listen().readAll();
                ParleyProcess connect =
                        start("connect", ParleyProcess.ticket(listen.errors())).readAll()) {
            feed(connect, there);
            feed(listen, back);

            assertThat(listen.output()).isEqualTo(there);
            assertThat(connect.output()).isEqualTo(back);
            connect.assertSuccess();
            listen.assertSuccess();
        }
    }

    @Test
    void netcat_otherProcessIsKilled_isReported_andTheTicketOfADeadPeerToo() throws Exception {
        try (ParleyProcess listen = listen()) {
            String ticket = ParleyProcess.ticket(listen.errors());
            try (ParleyProcess connect = start("connect", ticket)) {
                connect.errors().awaitContaining("Connected");
                listen.errors().awaitContaining("Connected");
                connect.kill();
            }
            assertThat(listen.exitCode()).isEqualTo(1);
            assertThat(listen.errors().toString()).contains("lost").doesNotContain("\tat ");

            try (ParleyProcess late = start("connect", ticket)) {
                assertThat(late.exitCode()).isEqualTo(1);
                assertThat(late.errors().toString().lines()).hasSize(1);
                assertThat(late.errors().toString()).contains("is unreachable");
            }
        }
    }

    @Test
    void netcat_oneProcessIsInterrupted_theOtherDoesNotWaitForItsReturn() throws Exception {
        try (ParleyProcess listen =
                        start("listen", "--home", "host", "--reconnect", "1h", "--address", ParleyProcess.ANY_PORT);
                ParleyProcess connect = start("connect", "--reconnect", "1h", ParleyProcess.ticket(listen.errors()))) {
            connect.errors().awaitContaining("Connected");
            listen.errors().awaitContaining("Connected");
            connect.interrupt();

            assertThat(listen.exitCode()).isEqualTo(1);
            assertThat(listen.errors().toString()).contains("the remote peer").doesNotContain("\tat ");
            assertThat(connect.exitCode()).as("that of a signal").isGreaterThan(128);
            assertThat(connect.errors().toString().lines())
                    .as("no failure, but the close may exceed its time on a slow machine")
                    .filteredOn(line -> !line.contains("did not end in time"))
                    .hasSize(1);
        }
    }

    @Test
    void ping_isInterrupted_doesNotReportALostRoundTrip() throws Exception {
        try (ParleyProcess listen = listen();
                ParleyProcess ping = start("ping", "-c", "1000000", "-i", "0", ParleyProcess.ticket(listen.errors()))) {
            ParleyProcess.Lines trips = ping.lines();
            trips.awaitContaining("number=2 time=");
            ping.interrupt();

            assertThat(ping.exitCode()).as("that of a signal").isGreaterThan(128);
            trips.awaitEnd();
            assertThat(trips.toString()).doesNotContain("lost (", " sent, ");
        }
    }

    @Test
    void listen_respondsToPings_andRefusesWrongTickets() throws Exception {
        try (ParleyProcess listen = listen()) {
            String ticket = ParleyProcess.ticket(listen.errors());
            try (ParleyProcess ping = start("ping", "-c", "3", "-i", "0", "--json", ticket)
                            .readAll();
                    ParleyProcess wrongTopic = start("receive", ticket);
                    ParleyProcess wrongPipe =
                            start("connect", PipeId.random(GroupId.NET) + ticket.substring(ticket.indexOf(':')));
                    ParleyProcess self = start("connect", "--home", "host", ticket)) {
                ping.assertSuccess();
                assertThat(ping.text())
                        .contains("\"sent\":3,\"received\":3,\"min_ms\":")
                        .doesNotContain("null");
                assertThat(wrongTopic.exitCode()).isEqualTo(1);
                assertThat(wrongTopic.errors().toString()).contains("this ticket is for \"parley connect\"");
                assertThat(wrongPipe.exitCode()).isEqualTo(1);
                assertThat(wrongPipe.errors().toString()).contains("current ticket");
                assertThat(self.exitCode()).isEqualTo(1);
                assertThat(self.errors().toString()).contains("in use by another running peer");
            }
        }
    }
}
