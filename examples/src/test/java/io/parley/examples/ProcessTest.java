package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.parley.id.GroupId;
import io.parley.id.PipeId;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that exchange messages and files. */
@Timeout(180)
class ProcessTest {

    private static final Pattern TICKET = Pattern.compile("[a-z2-7]{56}:[a-z2-7]{56}@tcp://\\S+:\\d+");

    private static final Random PORTS = new Random(Long.getLong("parley.test.seed", System.nanoTime()));

    @TempDir
    private Path directory;

    private ParleyProcess start(String... arguments) throws IOException {
        return ParleyProcess.start(directory, arguments);
    }

    private static String ticket(ParleyProcess.Lines lines) throws InterruptedException {
        Matcher matcher =
                TICKET.matcher(lines.await(line -> TICKET.matcher(line).find()));
        assertThat(matcher.find()).isTrue();
        return matcher.group();
    }

    private ParleyProcess host(String command, String... more) throws IOException {
        return start(
                Stream.concat(Stream.of(command, "--home", "host", "--address", "tcp://127.0.0.1:0"), Stream.of(more))
                        .toArray(String[]::new));
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
        try (ParleyProcess listen = host("listen").readAll();
                ParleyProcess connect =
                        start("connect", ticket(listen.errors())).readAll()) {
            feed(connect, there);
            feed(listen, back);

            assertThat(listen.output()).isEqualTo(there);
            assertThat(connect.output()).isEqualTo(back);
            connect.assertSuccess();
            listen.assertSuccess();
        }
    }

    @Test
    void netcat_copiesWhileBothInputsAreOpen() throws Exception {
        try (ParleyProcess listen = host("listen", "--pipe", "talk");
                ParleyProcess connect = start("connect", ticket(listen.errors()))) {
            ParleyProcess.Lines received = listen.lines();
            ParleyProcess.Lines response = connect.lines();
            connect.type("question");
            received.awaitContaining("question");
            listen.type("response");
            response.awaitContaining("response");
            listen.input().close();
            connect.type("late");
            received.awaitContaining("late");
            connect.input().close();

            connect.assertSuccess();
            listen.assertSuccess();
        }
    }

    @Test
    void netcat_otherProcessIsKilled_isReported() throws Exception {
        try (ParleyProcess listen = host("listen");
                ParleyProcess connect = start("connect", ticket(listen.errors()))) {
            connect.errors().awaitContaining("Connected");
            listen.errors().awaitContaining("Connected");
            connect.kill();

            assertThat(listen.exitCode()).isEqualTo(1);
            assertThat(listen.errors().toString()).contains("lost").doesNotContain("\tat ");
        }
    }

    @Test
    void chat_forwardsLinesToAllAndEndsWithTheHost() throws Exception {
        try (ParleyProcess host = host("chat", "--name", "alice")) {
            ParleyProcess.Lines alice = host.lines();
            String ticket = ticket(alice);
            try (ParleyProcess first = start("chat", ticket, "--name", "bob");
                    ParleyProcess second = start("chat", ticket, "--name", "bob")) {
                ParleyProcess.Lines bob = first.lines();
                ParleyProcess.Lines other = second.lines();
                alice.await(line -> line.startsWith("* bob is here"));
                alice.await(line -> line.startsWith("* bob-2 is here"));

                host.type("hello \u00fc");
                bob.await("alice: hello \u00fc"::equals);
                other.await("alice: hello \u00fc"::equals);
                first.type("one");
                second.type("two\u001b[2J");
                alice.await(line -> line.matches("bob(-2)?: one"));
                alice.await(line -> line.matches("bob(-2)?: two \\[2J"));
                other.await(line -> line.matches("bob(-2)?: one"));
                bob.await(line -> line.matches("bob(-2)?: two \\[2J"));

                first.type("/quit");
                first.assertSuccess();
                alice.await(line -> line.matches("\\* bob(-2)? has left"));
                other.await(line -> line.matches("\\* bob(-2)? has left"));

                host.input().close();
                other.await("* alice has ended the chat"::equals);
                second.assertSuccess();
                host.assertSuccess();
            }
        }
    }

    @Test
    void ping_measuresRoundTrips() throws Exception {
        try (ParleyProcess listen = host("listen");
                ParleyProcess ping = start("ping", "-c", "3", "-i", "0", "--json", ticket(listen.errors()))
                        .readAll()) {
            ping.assertSuccess();
            assertThat(new String(ping.output()))
                    .contains("\"sent\":3,\"received\":3,\"min_ms\":")
                    .doesNotContain("null");
        }
    }

    @Test
    void chatGuest_seesWhoIsInTheRoomByName() throws Exception {
        try (ParleyProcess host = host("chat", "--name", "alice")) {
            ParleyProcess.Lines alice = host.lines();
            String ticket = ticket(alice);
            try (ParleyProcess first = start("chat", ticket, "--name", "bob")) {
                ParleyProcess.Lines bob = first.lines();
                bob.await(line -> line.matches("\\* alice \\(\\w{8}\\) hosts this room"));
                alice.await(line -> line.startsWith("* bob is here"));
                try (ParleyProcess second = start("chat", ticket, "--name", "carol")) {
                    second.lines().await(line -> line.startsWith("* bob is here"));
                    bob.await(line -> line.startsWith("* carol is here"));
                }
            }
        }
    }

    @Test
    void ticketOfADeadPeer_isOneSentenceAndAFailure() throws Exception {
        String ticket;
        try (ParleyProcess listen = host("listen")) {
            ticket = ticket(listen.errors());
        }
        try (ParleyProcess connect = start("connect", ticket)) {
            assertThat(connect.exitCode()).isEqualTo(1);
            assertThat(connect.errors().toString().lines()).hasSize(1);
            assertThat(connect.errors().toString()).contains("is unreachable");
        }
    }

    @Test
    void wrongTickets_areRefused() throws Exception {
        try (ParleyProcess listen = host("listen")) {
            String ticket = ticket(listen.errors());
            try (ParleyProcess wrongTopic = start("receive", ticket);
                    ParleyProcess wrongPipe =
                            start("connect", PipeId.random(GroupId.NET) + ticket.substring(ticket.indexOf(':')));
                    ParleyProcess self = start("connect", "--home", "host", ticket)) {
                assertThat(wrongTopic.exitCode()).isEqualTo(1);
                assertThat(wrongTopic.errors().toString()).contains("this ticket is for \"parley connect\"");
                assertThat(wrongPipe.exitCode()).isEqualTo(1);
                assertThat(wrongPipe.errors().toString()).contains("current ticket");
                assertThat(self.exitCode()).isEqualTo(1);
                assertThat(self.errors().toString()).contains("in use by another running peer");
            }
        }
    }

    /** Returns a free port outside the range that the system assigns to connections and to port 0. */
    private static int freePort() {
        while (true) {
            int port = PORTS.nextInt(20_000, 32_000);
            try (ServerSocket free = new ServerSocket(port)) {
                return free.getLocalPort();
            } catch (IOException e) {
                // Try another port.
            }
        }
    }

    @Test
    void transfer_receiverAndThenSenderAreKilled_continues() throws Exception {
        Path file = Files.write(directory.resolve("big.bin"), bytes(160 << 20, 3));
        int port = freePort();
        String[] send = {"send", "--home", "host", "--address", "tcp://127.0.0.1:" + port, file.toString()};
        String ticket;
        long atKill;
        try (ParleyProcess sender = start(send)) {
            ticket = ticket(sender.lines());
            try (ParleyProcess receiver = start("receive", ticket, "--out", "out")) {
                awaitPart(24 << 20);
                receiver.kill();
            }
            atKill = partSize();
            assertThat(atKill).isBetween(24L << 20, (160L << 20) - 1);
            sender.errors().awaitContaining("The ticket stays valid");
            assertThat(sender.isAlive()).isTrue();
            try (ParleyProcess receiver = start("receive", ticket, "--out", "out")) {
                awaitPart(atKill + (16 << 20));
                sender.kill();
                assertThat(receiver.exitCode()).isEqualTo(1);
                assertThat(receiver.errors().toString()).contains("Run the same command to continue");
            }
        }
        long atSecondKill = partSize();
        try (ParleyProcess sender = start(send);
                ParleyProcess receiver = receiverOf(sender, ticket)) {
            receiver.assertSuccess();
            sender.assertSuccess();
            Matcher moved = Pattern.compile("\"transferred\":(\\d+)").matcher(new String(receiver.output()));
            assertThat(moved.find()).isTrue();
            assertThat(Long.parseLong(moved.group(1))).isEqualTo((160L << 20) - atSecondKill);
        }
        assertThat(Files.mismatch(file, directory.resolve("out/big.bin"))).isEqualTo(-1);
        assertThat(directory.resolve("out"))
                .isDirectoryNotContaining(path -> path.toString().contains("parley"));
    }

    private ParleyProcess receiverOf(ParleyProcess sender, String ticket) throws Exception {
        assertThat(ticket(sender.lines())).isEqualTo(ticket);
        return start("receive", ticket, "--out", "out", "--json").readAll();
    }

    private void awaitPart(long size) {
        await().pollInterval(Duration.ofMillis(2)).atMost(ParleyProcess.TIMEOUT).until(() -> partSize() >= size);
    }

    private long partSize() throws IOException {
        Path staging = directory.resolve("out/.parley-part");
        if (!Files.isDirectory(staging)) {
            return 0;
        }
        try (Stream<Path> parts = Files.list(staging)) {
            return parts.mapToLong(path -> path.toFile().length()).sum();
        }
    }

    @Test
    void demo_verifiesAllStepsAndDeletesItsFiles() throws Exception {
        Path temporary = Files.createDirectory(directory.resolve("tmp"));
        try (ParleyProcess demo = ParleyProcess.startWith(
                directory,
                List.of("-Djava.io.tmpdir=" + temporary, "-Dparley.jvm=-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1"),
                "demo",
                "--json")) {
            demo.readAll();
            demo.assertSuccess();
            assertThat(new String(demo.output())).contains("\"verified\":true", "\"first_trip_us\":", "\"trip_us\":");
        }
        assertThat(temporary).isEmptyDirectory();
    }
}
