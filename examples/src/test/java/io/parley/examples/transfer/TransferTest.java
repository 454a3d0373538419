package io.parley.examples.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.parley.Peer;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.examples.console.CommandFailedException;
import io.parley.examples.conversation.Conversation;
import io.parley.examples.conversation.ConversationServer;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointMetrics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TransferTest {

    private static final int MIB = 1024 * 1024;

    @TempDir
    private Path directory;

    private final Random random = new Random(Long.getLong("parley.test.seed", 20));
    private Peer sender;
    private Peer receiver;
    private Path source;
    private Path out;
    private CompletableFuture<TransferSummary> sent;
    private Duration maxSilence = Duration.ofMinutes(1);
    private long transferred;
    private long skipped;
    private boolean consents = true;
    private FileReceiver.@Nullable Offer offered;

    @BeforeEach
    void start() throws IOException {
        source = Files.createDirectory(directory.resolve("source"));
        out = directory.resolve("out");
        sender = Peer.loopback().start();
        receiver = Peer.builder().start();
    }

    @AfterEach
    void stop() {
        receiver.close();
        sender.close();
    }

    private Path write(String path, int length) throws IOException {
        Path file = source.resolve(path);
        Files.createDirectories(file.getParent());
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Files.write(file, bytes);
    }

    private TransferSummary transfer(boolean force, Path... roots) throws Exception {
        FileSender files = new FileSender(List.of(roots));
        sent = new CompletableFuture<>();
        return receive(force, (conversation, hello) -> {
            try {
                sent.complete(files.send(conversation, new Counter()));
            } catch (RuntimeException e) {
                sent.completeExceptionally(e);
                throw e;
            }
        });
    }

    private TransferSummary receive(boolean force, ConversationServer.Handler handler) throws Exception {
        transferred = 0;
        skipped = 0;
        try (ConversationServer host =
                        new ConversationServer(sender, PipeId.random(GroupId.NET), FileSender.TOPIC, 4, handler);
                Conversation conversation = Conversation.join(
                        receiver, host.ticket(), FileSender.TOPIC, Message.EMPTY, Duration.ofSeconds(20))) {
            return new FileReceiver(out, force, this::consent, new Counter()).receive(conversation);
        }
    }

    private boolean consent(FileReceiver.Offer offer) {
        offered = offer;
        return consents;
    }

    private static Map<String, String> digests(Path root) throws IOException {
        Map<String, String> digests = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                String name = root.relativize(path).toString();
                digests.put(name, Files.isDirectory(path) ? "directory" : Sha256Digests.hexOf(path));
            }
        }
        return digests;
    }

    @Test
    void file_arrivesWithItsDigest() throws Exception {
        Path file = write("data.bin", 3 * MIB + 17);

        TransferSummary received = transfer(false, file);

        assertThat(out.resolve("data.bin")).hasSameBinaryContentAs(file);
        assertThat(received.digest())
                .isEqualTo(Sha256Digests.hexOf(file))
                .isEqualTo(sent.get(20, TimeUnit.SECONDS).digest());
        assertThat(digests(out)).containsOnlyKeys("", "data.bin");
        assertThat(transferred).isEqualTo(3 * MIB + 17);
    }

    @Test
    void tree_arrivesWhole_withEmptyFilesAndDirectoriesDeepPathsAndOtherLetters() throws Exception {
        assumeTrue("UTF-8".equals(System.getProperty("sun.jnu.encoding")), "file names are UTF-8");
        write("tree/empty", 0);
        write("tree/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/deep", 1000);
        write("tree/\u00fcber/\u65e5\u672c\u8a9e \u0440\u0443\u0441.txt", 2000);
        write("tree/a b'c\"$x*.txt", 1);
        Files.createDirectories(source.resolve("tree/empty directory/inner"));
        Files.createSymbolicLink(source.resolve("tree/link"), Path.of("empty"));
        Path file = write("beside.bin", 200_000);

        TransferSummary received = transfer(false, source.resolve("tree"), file);

        Files.delete(source.resolve("tree/link"));
        assertThat(digests(out)).isEqualTo(digests(source));
        assertThat(received.files()).isEqualTo(5);
        assertThat(sent.get(20, TimeUnit.SECONDS).omitted()).isEqualTo(1);
    }

    @Test
    void manySmallFiles_arriveInFewMessages() throws Exception {
        for (int i = 0; i < 3000; i++) {
            write("many/" + i % 20 + "/" + i, i % 100);
        }
        long before = sender.endpoint().metrics().get(EndpointMetrics.Counter.MESSAGES_SENT);

        transfer(false, source.resolve("many"));

        assertThat(digests(out.resolve("many"))).isEqualTo(digests(source.resolve("many")));
        assertThat(sender.endpoint().metrics().get(EndpointMetrics.Counter.MESSAGES_SENT) - before)
                .isLessThan(100);
    }

    @Test
    void emptyDirectory_isSent() throws Exception {
        Files.createDirectory(source.resolve("nothing"));

        assertThat(transfer(false, source.resolve("nothing")).files()).isZero();

        assertThat(out.resolve("nothing")).isEmptyDirectory();
    }

    @Test
    void part_isContinued() throws Exception {
        Path file = write("data.bin", 5 * MIB);
        leavePart("data.bin", Files.readAllBytes(file), 3 * MIB + 5);

        transfer(false, file);

        assertThat(out.resolve("data.bin")).hasSameBinaryContentAs(file);
        assertThat(skipped).isEqualTo(3 * MIB + 5);
        assertThat(transferred).isEqualTo(2 * MIB - 5);
        assertThat(digests(out)).containsOnlyKeys("", "data.bin");
    }

    @Test
    void damagedPart_isContinuedWhereItIsSound() throws Exception {
        Path file = write("data.bin", 5 * MIB);
        Path part = leavePart("data.bin", Files.readAllBytes(file), 4 * MIB);
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[16]), 2 * MIB + 100);
        }

        transfer(false, file);

        assertThat(out.resolve("data.bin")).hasSameBinaryContentAs(file);
        assertThat(skipped).isEqualTo(2 * MIB);
    }

    @Test
    void partOfAnotherFile_isReplaced() throws Exception {
        Path file = write("data.bin", 2 * MIB);
        byte[] other = new byte[3 * MIB];
        leavePart("data.bin", other, other.length);

        transfer(false, file);

        assertThat(out.resolve("data.bin")).hasSameBinaryContentAs(file);
        assertThat(transferred).isEqualTo(2 * MIB);
    }

    private Path leavePart(String path, byte[] bytes, int length) throws IOException {
        try (ReceiveDirectory destination = ReceiveDirectory.open(out)) {
            return Files.write(destination.part(new TransferPath(path)), Arrays.copyOf(bytes, length));
        }
    }

    @Test
    void identicalFile_isNotSentAgain() throws Exception {
        write("tree/a", 1000);
        write("tree/b", 2000);
        transfer(false, source.resolve("tree"));
        Files.delete(out.resolve("tree/a"));

        transfer(false, source.resolve("tree"));

        assertThat(digests(out)).isEqualTo(digests(source));
        assertThat(transferred).isEqualTo(1000);
        assertThat(skipped).isEqualTo(2000);
    }

    /** The digests of the sender and the requests of the receiver exceed what the network and the queues hold. */
    @Test
    void manyPresentFiles_areComparedInSmallWindows() throws Exception {
        sender.close();
        receiver.close();
        EndpointLimits small = EndpointLimits.DEFAULTS.toBuilder()
                .windowBytes(EndpointLimits.MIN_WINDOW_BYTES)
                .queueBytes(1)
                .build();
        sender = Peer.loopback().limits(small).start();
        receiver = Peer.builder().limits(small).start();
        for (int i = 0; i < 8000; i++) {
            write("many/" + i, 1);
        }
        out = source;

        transfer(false, source.resolve("many"));

        assertThat(transferred).isZero();
        assertThat(skipped).isEqualTo(8000);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 99, 100, 101})
    void fileWithOtherContent_isKept(int length) throws Exception {
        Path file = write("data", 100);
        Files.createDirectories(out);
        byte[] mine = new byte[length];
        Files.write(out.resolve("data"), mine);

        assertThatThrownBy(() -> transfer(false, file))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("--force");

        assertThat(out.resolve("data")).hasBinaryContent(mine);
        assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS)).hasMessageContaining("has stopped");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 99, 100, 101, 2 * MIB})
    void fileWithOtherContent_isReplacedByForce(int length) throws Exception {
        Path file = write("data", Math.max(100, length));
        byte[] mine = Arrays.copyOf(Files.readAllBytes(file), length);
        if (length > 0) {
            mine[length - 1] ^= 1;
        }
        Files.createDirectories(out);
        Files.write(out.resolve("data"), mine);

        transfer(true, file);

        assertThat(out.resolve("data")).hasSameBinaryContentAs(file);
    }

    @Test
    void part_isContinuedByForce_alsoIfAFileWithOtherContentHasTheNameAndTheSize() throws Exception {
        Path file = write("data", 5 * MIB);
        byte[] bytes = Files.readAllBytes(file);
        leavePart("data", bytes, 3 * MIB);
        Files.write(out.resolve("data"), Arrays.copyOf(Arrays.copyOf(bytes, MIB), 5 * MIB));

        transfer(true, file);

        assertThat(out.resolve("data")).hasSameBinaryContentAs(file);
        assertThat(skipped).isEqualTo(3 * MIB);
    }

    @Test
    void partOfAnotherFile_isReplacedByForce_alsoIfTheFileHasAMatchingBeginning() throws Exception {
        Path file = write("data", 5 * MIB);
        byte[] bytes = Files.readAllBytes(file);
        leavePart("data", new byte[3 * MIB], 3 * MIB);
        Files.write(out.resolve("data"), Arrays.copyOf(Arrays.copyOf(bytes, 2 * MIB), 5 * MIB));

        transfer(true, file);

        assertThat(out.resolve("data")).hasSameBinaryContentAs(file);
    }

    @Test
    void directoryThatIsALink_isRefused() throws Exception {
        write("tree/sub/file", 10);
        Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
        Files.createDirectories(out.resolve("tree"));
        Files.createSymbolicLink(out.resolve("tree/sub"), elsewhere);

        assertThatThrownBy(() -> transfer(true, source.resolve("tree"))).isInstanceOf(CommandFailedException.class);

        assertThat(elsewhere).isEmptyDirectory();
    }

    @Test
    void fileThatIsALink_isRefused() throws Exception {
        Path file = write("file", 10);
        Path elsewhere = Files.writeString(directory.resolve("elsewhere"), "mine");
        Files.createDirectories(out);
        Files.createSymbolicLink(out.resolve("file"), elsewhere);

        assertThatThrownBy(() -> transfer(true, file)).isInstanceOf(CommandFailedException.class);

        assertThat(elsewhere).hasContent("mine");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../evil", "/tmp/evil", "a/../../evil", "C:\\evil", "..\\evil", "nul", ".parley-part/lock"})
    void pathOutOfTheDirectory_isRejected(String path) {
        assertThatThrownBy(() -> receive(true, (conversation, hello) -> {
                    ElementWriter writer = new ElementWriter(conversation);
                    writer.write(TransferProtocol.FILE, "4 " + path);
                    writer.write(TransferProtocol.LISTED, "1 4");
                    writer.flush();
                    conversation.receive();
                }))
                .isInstanceOf(PeerFaultException.class)
                .hasMessageContaining("rejected");

        assertThat(directory.resolve("evil")).doesNotExist();
        assertThat(out).doesNotExist();
    }

    /** Each path could otherwise have 255 directories that count toward no limit. */
    @ParameterizedTest
    @ValueSource(
            strings = {"file 0 a/b/c", "dir a, file 0 a/b/c", "dir a/b", "file 0 a, file 0 a/b", "file 0 a/b, dir a"})
    void directoryThatIsNotAnnounced_isRefused(String entries) {
        assertThatThrownBy(() -> receive(false, (conversation, hello) -> {
                    ElementWriter writer = new ElementWriter(conversation);
                    for (String entry : entries.split(", ", -1)) {
                        String[] parts = entry.split(" ", 2);
                        writer.write(parts[0], parts[1]);
                    }
                    writer.write(TransferProtocol.LISTED, entries.split("file", -1).length - 1 + " 0");
                    writer.flush();
                    conversation.receive();
                }))
                .isInstanceOfSatisfying(
                        PeerFaultException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PROTOCOL_VIOLATION))
                .hasMessageContaining("its directory is not in the list");

        assertThat(out).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "data too long",
                "data too short",
                "wrong digest",
                "begins beyond",
                "twice",
                "never asked",
                "missing"
            })
    void senderThatViolatesTheProtocol_isRejectedAndNoFileIsInstalled(String fault) {
        assertThatThrownBy(() -> receive(false, (conversation, hello) -> misbehave(fault, conversation)))
                .isInstanceOfAny(PeerFaultException.class, CommandFailedException.class);

        assertThat(out.resolve("f")).doesNotExist();
    }

    private static void misbehave(String fault, Conversation conversation) throws InterruptedException {
        ElementWriter writer = new ElementWriter(conversation);
        writer.write(TransferProtocol.FILE, "4 f");
        if (fault.equals("twice")) {
            writer.write(TransferProtocol.FILE, "4 f");
        }
        writer.write(TransferProtocol.LISTED, (fault.equals("twice") ? "2 8" : "1 4"));
        writer.flush();
        conversation.receive();
        switch (fault) {
            case "never asked" -> writer.write(TransferProtocol.MARKS, new byte[32]);
            case "missing" -> {}
            case "begins beyond" -> writer.write(TransferProtocol.BEGIN, "0 2");
            default -> {
                writer.write(TransferProtocol.BEGIN, "0 0");
                writer.write(
                        TransferProtocol.DATA,
                        new byte[fault.equals("data too long") ? 5 : fault.equals("data too short") ? 3 : 4]);
                writer.write(TransferProtocol.SUM, new byte[32]);
            }
        }
        writer.write(TransferProtocol.DONE, "x");
        writer.flush();
        conversation.receive();
    }

    @Test
    void fileThatChangesDuringTheTransfer_isReported() throws Exception {
        Path file = write("data", 1000);
        FileSender files = new FileSender(List.of(file));

        assertThatThrownBy(() -> receive(
                        false,
                        (conversation, hello) -> files.send(conversation, new Counter() {
                            @Override
                            public void started(String title, long count, long bytes) {
                                try {
                                    Files.write(file, new byte[999]);
                                } catch (IOException e) {
                                    throw new IllegalStateException(e);
                                }
                            }
                        })))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SERVICE_FAILED))
                .hasMessageContaining("has changed");
    }

    @Test
    void fileThatCannotBeRead_isNamedHereOnly() throws Exception {
        Path file = write("data", 10);
        Files.delete(file);

        assertThatThrownBy(() -> transfer(false, file))
                .hasMessageContaining("the sender cannot read")
                .hasMessageNotContaining(directory.toString());
        assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS)).rootCause().hasMessageContaining(file.toString());
    }

    @Test
    void beginningOfAFileThatHasBecomeShorter_isNotCopied() throws Exception {
        Path file = write("data", 10);

        assertThatThrownBy(() -> FileReceiver.copyBeginning(file, directory.resolve("part"), 11))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("has become shorter");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "digests 1 1 1",
                "digests 0 1001 1",
                "digests 0 x y",
                "digests 0 5 0",
                "digests 0 0 1",
                "have 0",
                "go",
                "unknown 1",
                "asked, have 1",
                "asked, have x",
                "asked, from 0 1001",
                "asked, from 5 0",
                "asked, asked",
                "asked, unknown 1"
            })
    void invalidRequest_isRejected(String requests) throws Exception {
        FileSender files = new FileSender(List.of(write("data", 1000)));
        try (ConversationServer host = new ConversationServer(
                        sender,
                        PipeId.random(GroupId.NET),
                        FileSender.TOPIC,
                        4,
                        (conversation, hello) -> files.send(conversation, new Counter()));
                Conversation conversation = Conversation.join(
                        receiver, host.ticket(), FileSender.TOPIC, Message.EMPTY, Duration.ofSeconds(20))) {
            ElementWriter writer = new ElementWriter(conversation);
            for (String request : requests.split(", ", -1)) {
                String[] parts = request.split(" ", 2);
                writer.write(parts[0], parts.length == 1 ? "" : parts[1]);
            }
            writer.flush();
            TransferOffer.read(new ElementReader(conversation));
            assertThatThrownBy(conversation::receive)
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.REJECTED_BY_PEER));
        }
    }

    /** It could otherwise make the sender read all files again and again without a byte on the wire. */
    @Test
    void receiverThatHasAllFiles_makesTheSenderReadThemOnce() throws Exception {
        Path file = write("data", 1000);
        write("tree/empty", 0);
        write("tree/other", 10);
        AtomicInteger readings = new AtomicInteger();
        FileDigestCache digests = new FileDigestCache(source -> {
            readings.incrementAndGet();
            return HexFormat.of().parseHex(Sha256Digests.hexOf(source.source()));
        });
        FileSender files = new FileSender(List.of(file, source.resolve("tree")), maxSilence, digests);
        Sha256Digests.OfList expected = new Sha256Digests.OfList();
        for (String path : List.of("data", "tree/empty", "tree/other")) {
            expected.add(HexFormat.of().parseHex(Sha256Digests.hexOf(source.resolve(path))), new TransferPath(path));
        }
        String digest = expected.hex();
        try (ConversationServer host = new ConversationServer(
                sender,
                PipeId.random(GroupId.NET),
                FileSender.TOPIC,
                16,
                (conversation, hello) -> files.send(conversation, new Counter()))) {
            assertThat(digestOfPresentFiles(host)).isEqualTo(digest);
            assertThat(digestOfPresentFiles(host)).isEqualTo(digest);
            assertThat(readings).hasValue(2);

            Files.write(file, new byte[1000]);
            Files.setLastModifiedTime(file, FileTime.fromMillis(1));
            assertThat(digestOfPresentFiles(host)).isNotEqualTo(digest);
            assertThat(readings).hasValue(3);

            Files.delete(source.resolve("tree/other"));
            write("tree/another", 10);
            digestOfPresentFiles(host);
            assertThat(digests.size()).isEqualTo(2);
        }
    }

    /** Receives three files by claiming to have them. Returns the digest of the sender. */
    private String digestOfPresentFiles(ConversationServer host) throws InterruptedException {
        try (Conversation conversation = join(host)) {
            ElementWriter writer = new ElementWriter(conversation);
            ElementReader reader = new ElementReader(conversation);
            TransferOffer.read(reader);
            writer.write(TransferProtocol.ASKED, "");
            for (int index = 0; index < 3; index++) {
                writer.write(TransferProtocol.HAVE, "" + index);
            }
            writer.write(TransferProtocol.GO, "");
            writer.flush();
            MessageElement done = reader.next();
            assertThat(done.name()).isEqualTo(TransferProtocol.DONE);
            writer.write(TransferProtocol.RECEIVED, done.text());
            writer.flush();
            conversation.awaitDelivery(); // not the end of this direction: the sender closes when it has the receipt
            assertThat(conversation.receive()).isEmpty();
            return done.text();
        }
    }

    /** Offers a file to a receiver that connects. */
    private ConversationServer offer(Path file) {
        return offer(new FileSender(List.of(file), maxSilence, new FileDigestCache()), () -> {});
    }

    /** Does the same. The sender begins after another action. */
    private ConversationServer offer(FileSender files, Runnable before) {
        sent = new CompletableFuture<>();
        return new ConversationServer(
                sender, PipeId.random(GroupId.NET), FileSender.TOPIC, 1, (conversation, hello) -> {
                    before.run();
                    try {
                        sent.complete(files.send(conversation, new Counter()));
                    } catch (ParleyException e) {
                        sent.completeExceptionally(e);
                        throw e;
                    }
                });
    }

    private Conversation join(ConversationServer host) throws InterruptedException {
        return Conversation.join(receiver, host.ticket(), FileSender.TOPIC, Message.EMPTY, Duration.ofSeconds(20));
    }

    private void assertSenderFailed(ErrorCode code) {
        assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS))
                .cause()
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void receiverThatSaysNothing_losesItsPlace() throws Exception {
        maxSilence = Duration.ofMillis(100);
        try (ConversationServer host = offer(write("data", 1000));
                Conversation silent = join(host)) {
            assertThat(silent.other()).isEqualTo(sender.id());
            assertSenderFailed(ErrorCode.TIMEOUT);
        }
    }

    @Test
    void receiverThatReadsNothing_losesItsPlace() throws Exception {
        maxSilence = Duration.ofMillis(100);
        CountDownLatch requested = new CountDownLatch(1);
        FileSender files = new FileSender(List.of(write("data", 16 * MIB)), maxSilence, new FileDigestCache());
        try (ConversationServer host = offer(files, () -> Eventually.latch(requested, "the request"));
                Conversation silent = join(host)) {
            silent.send(Message.of(List.of(
                    MessageElement.ofText(TransferProtocol.ASKED, ""),
                    MessageElement.ofText(TransferProtocol.GO, ""))));
            requested.countDown(); // a sender that waits for it could give up before
            assertSenderFailed(ErrorCode.TIMEOUT);
        }
    }

    @Test
    void receiverThatReadsLargeFiles_mayBeSilentForLonger() throws Exception {
        maxSilence = Duration.ZERO;
        Path file = source.resolve("sparse");
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.SPARSE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[1]), 20_000_000_000L);
        }
        try (ConversationServer host = offer(file);
                Conversation conversation = join(host)) {
            TransferOffer.read(new ElementReader(conversation));
            conversation.send(Message.of("unknown", ""));
            assertSenderFailed(ErrorCode.PROTOCOL_VIOLATION);
        }
    }

    @Test
    void offer_isShownBeforeAnythingIsWrittenOrRequested() throws Exception {
        consents = false;
        write("tree/.bashrc", 10);
        write("tree/a\u202egnp.exe", 10);
        write("tree/Case", 10);
        write("tree/case", 10);
        write("tree/other/x", 10);

        assertThatThrownBy(() -> transfer(true, source.resolve("tree")))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("Refused");

        assertThat(out).doesNotExist();
        FileReceiver.Offer shown = Objects.requireNonNull(offered);
        assertThat(shown.directory()).isEqualTo(out);
        assertThat(shown.files()).isEqualTo(5);
        assertThat(shown.bytes()).isEqualTo(50);
        assertThat(shown.paths()).contains("tree/.bashrc", "tree/other/x");
        assertThat(shown.unusual())
                .contains("tree/.bashrc", "tree/a\u202egnp.exe")
                .containsAnyOf("tree/Case", "tree/case")
                .hasSize(3);
        assertThatThrownBy(() -> sent.get(20, TimeUnit.SECONDS))
                .hasMessageContaining("has stopped")
                .hasMessageNotContaining(directory.toString());
    }

    @Test
    void senderThatListsForever_isRefused() {
        assertThatThrownBy(() -> receive(false, (conversation, hello) -> {
                    ElementWriter writer = new ElementWriter(conversation);
                    String name = "n".repeat(200) + "/" + "m".repeat(200);
                    writer.write(TransferProtocol.DIR, "n".repeat(200));
                    for (int i = 0; i < TransferProtocol.MAX_ENTRIES; i++) {
                        writer.write(TransferProtocol.FILE, "1 " + name + i);
                    }
                    writer.flush();
                    conversation.receive();
                }))
                .isInstanceOf(PeerFaultException.class)
                .hasMessageContaining("names of files: too many bytes");
        assertThat(out).doesNotExist();
    }

    /** The sender gets no digest and no path of the receiver, whatever is there. */
    @Test
    void sender_learnsNothingAboutOtherFiles() throws Exception {
        Files.createDirectories(out);
        Files.write(out.resolve("f"), new byte[1000]);
        List<String> heard = new CopyOnWriteArrayList<>();
        CompletableFuture<String> last = new CompletableFuture<>();
        assertThatThrownBy(() -> receive(false, (conversation, hello) -> {
                    ElementWriter writer = new ElementWriter(conversation);
                    ElementReader reader = new ElementReader(conversation);
                    writer.write(TransferProtocol.FILE, "1000 f");
                    writer.write(TransferProtocol.LISTED, "1 1000");
                    writer.flush();
                    for (MessageElement next = reader.next();
                            !next.name().equals(TransferProtocol.ASKED);
                            next = reader.next()) {
                        heard.add(next.name() + " " + next.text());
                    }
                    writer.write(TransferProtocol.MARKS, new byte[Sha256Digests.BYTES]);
                    writer.flush();
                    try {
                        last.complete(reader.next().name());
                    } catch (ParleyException e) {
                        last.complete(String.valueOf(e.getMessage()));
                    }
                }))
                .isInstanceOf(CommandFailedException.class)
                .hasMessageContaining("--force");
        assertThat(last.get(20, TimeUnit.SECONDS)).contains("has stopped").doesNotContain(directory.toString());
        assertThat(heard).containsExactly("digests 0 1000 1000");
    }

    @Test
    void twoReceiversIntoOneDirectory_areRefused() throws Exception {
        Path file = write("data", 10);
        try (ReceiveDirectory destination = ReceiveDirectory.open(out)) {
            assertThat(destination.root()).isDirectory();
            assertThatThrownBy(() -> transfer(false, file)).hasMessageContaining("Another");
        }
    }

    @Test
    void rootsOfOneName_areRefused() throws Exception {
        Path first = write("a/same", 1);
        Path second = write("b/same", 1);

        assertThatThrownBy(() -> new FileSender(List.of(first, second)).summary())
                .isInstanceOf(CommandFailedException.class);
    }

    /** Counts the bytes at the receiver. Ignores the skipped bytes that the sender reports on its own thread. */
    private class Counter implements FileSender.Listener, FileReceiver.Listener {
        @Override
        public void started(String title, long files, long bytes) {}

        @Override
        public void sent(long bytes) {}

        @Override
        public void received(long bytes) {
            transferred += bytes;
        }

        @Override
        public void skipped(long bytes) {
            if (Thread.currentThread().getName().startsWith("guest-")) {
                return;
            }
            skipped += bytes;
        }
    }
}
