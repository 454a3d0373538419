package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes that transfer a file. */
@Tag("process")
@Timeout(180)
class TransferProcessTest {

    private static final int BYTES = 20 << 20;

    /** The bytes of the sender on one connection until it stalls. Two of them are not the whole file. */
    private static final int STALL_BYTES = 8 << 20;

    @TempDir
    private Path directory;

    private static byte[] content() {
        byte[] bytes = new byte[BYTES];
        new Random(Long.getLong("parley.test.seed", 3)).nextBytes(bytes);
        return bytes;
    }

    @Test
    void transfer_receiverAndThenSenderAreKilled_continues() throws Exception {
        Path file = Files.write(directory.resolve("big.bin"), content());
        String address = ParleyProcess.freeAddress();
        String[] send = {"send", "--home", "host", "--reconnect", "1s", "--address", address, file.toString()};
        String ticket;
        long atKill;
        try (ParleyProcess sender = ParleyProcess.start(directory, send);
                StallingForwarder forwarder = new StallingForwarder(address, STALL_BYTES)) {
            ticket = ParleyProcess.ticket(sender.lines());
            String[] receive = {"receive", forwarder.ticket(ticket), "--reconnect", "1s", "--out", "out"};
            try (ParleyProcess receiver = ParleyProcess.start(directory, receive)) {
                awaitPart(3 << 20);
                receiver.kill();
            }
            atKill = partSize();
            assertThat(atKill).isBetween(3L << 20, BYTES - 1L);
            sender.errors().awaitContaining("The ticket stays valid");
            assertThat(sender.isAlive()).isTrue();
            try (ParleyProcess receiver = ParleyProcess.start(directory, receive)) {
                awaitPart(atKill + (2 << 20));
                sender.kill();
                assertThat(receiver.exitCode()).isEqualTo(1);
                assertThat(receiver.errors().toString()).contains("Run the same command to continue");
            }
        }
        long atSecondKill = partSize();
        try (ParleyProcess sender = ParleyProcess.start(directory, send);
                ParleyProcess receiver = receiverOf(sender, ticket)) {
            receiver.assertSuccess();
            sender.assertSuccess();
            Matcher moved = Pattern.compile("\"transferred\":(\\d+)").matcher(receiver.text());
            assertThat(moved.find()).isTrue();
            assertThat(Long.parseLong(moved.group(1))).isEqualTo(BYTES - atSecondKill);
        }
        assertThat(Files.mismatch(file, directory.resolve("out/big.bin"))).isEqualTo(-1);
        assertThat(directory.resolve("out"))
                .isDirectoryNotContaining(path -> path.toString().contains("parley"));
    }

    @Test
    void transfer_senderIsInterrupted_doesNotReportAFailureOfTheReceiver() throws Exception {
        Path file = Files.write(directory.resolve("big.bin"), content());
        String address = ParleyProcess.freeAddress();
        try (ParleyProcess sender = ParleyProcess.start(
                        directory, "send", "--home", "host", "--address", address, file.toString());
                StallingForwarder forwarder = new StallingForwarder(address, STALL_BYTES);
                ParleyProcess receiver = ParleyProcess.start(
                        directory, "receive", forwarder.ticket(ParleyProcess.ticket(sender.lines())), "--out", "out")) {
            awaitPart(3 << 20);
            sender.interrupt();

            assertThat(sender.exitCode()).as("that of a signal").isGreaterThan(128);
            assertThat(sender.errors().toString()).doesNotContain("did not get everything");
            receiver.kill();
        }
    }

    @Test
    void offer_withoutATerminal_needsADirectoryAndOrdinaryNames() throws Exception {
        Files.createDirectory(directory.resolve("tree"));
        Files.writeString(directory.resolve("tree/file"), "content");
        Files.writeString(directory.resolve("tree/.profile"), "content");
        try (ParleyProcess sender = ParleyProcess.start(
                directory, "send", "--keep", "--home", "host", "--address", ParleyProcess.ANY_PORT, "tree")) {
            String ticket = ParleyProcess.ticket(sender.lines());
            assertRefused("--out DIR or --yes", "receive", ticket, "--all-names");
            assertRefused("tree/.profile", "receive", ticket, "--out", "out");
            assertThat(directory.resolve("out")).doesNotExist();
            try (ParleyProcess receiver = ParleyProcess.start(
                            directory, "receive", ticket, "--out", "out", "--all-names")
                    .readAll()) {
                receiver.assertSuccess();
            }
        }
        assertThat(directory.resolve("out/tree/.profile")).hasContent("content");
    }

    private void assertRefused(String reason, String... arguments) throws Exception {
        try (ParleyProcess receiver = ParleyProcess.start(directory, arguments).readAll()) {
            assertThat(receiver.exitCode()).isEqualTo(1);
            assertThat(receiver.errors().toString()).contains("Refused the offer", reason);
        }
    }

    private ParleyProcess receiverOf(ParleyProcess sender, String ticket) throws Exception {
        assertThat(ParleyProcess.ticket(sender.lines())).isEqualTo(ticket);
        return ParleyProcess.start(directory, "receive", ticket, "--reconnect", "1s", "--out", "out", "--json")
                .readAll();
    }

    private void awaitPart(long size) {
        await().pollInterval(Duration.ofMillis(2)).atMost(ParleyProcess.TIMEOUT).until(() -> partSize() >= size);
    }

    private long partSize() throws IOException {
        return partSize(directory);
    }

    /** Returns the bytes of the files of which a part has arrived in {@code out} of a directory. */
    static long partSize(Path directory) throws IOException {
        Path staging = directory.resolve("out/.parley-part");
        if (!Files.isDirectory(staging)) {
            return 0;
        }
        try (Stream<Path> parts = Files.list(staging)) {
            return parts.mapToLong(path -> path.toFile().length()).sum();
        }
    }
}
