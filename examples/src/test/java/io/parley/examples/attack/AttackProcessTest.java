package io.parley.examples.attack;

import static io.parley.examples.attack.AttackScene.print;
import static io.parley.examples.attack.AttackScene.size;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.parley.codec.MessageLimits;
import io.parley.codec.internal.MessageCodecRegistry;
import io.parley.examples.attack.AttackClient.Greeting;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.testkit.Eventually;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Attacks on a peer in a process with 256 MiB of heap and default limits, except for the number of clients, which the long form leaves
 * alone. It serves an honest peer during each attack, and its live
 * objects stay within the root of the budget tree. Attackers and honest peers have addresses of their own. The long form is
 * {@code .ci/campaign-attacks}.
 */
@Tag("process")
@Tag("attack")
@Timeout(300)
class AttackProcessTest {

    @RegisterExtension
    static final AttackScene SCENE = new AttackScene();

    private static final int HOSTS = 5;
    private static final int MAX_LOG_LINES = 20;
    private static final int LARGE_MESSAGE_BYTES = 40 << 20;

    private static String host(int network, int number) {
        return "127." + network + ".0." + (1 + number % HOSTS);
    }

    private static long logLines() {
        return SCENE.attacked().log().lines().count();
    }

    /** Requires that a peer of another host can connect and open a channel. */
    private void assertNewcomerIsServed() {
        AttackClient newcomer = SCENE.net().connect("127.0.8.1");
        newcomer.open(1, AttackedPeerProcess.READ, "binary");
        Eventually.until(() -> "no response to OPEN", () -> newcomer.response(1) != null);
        assertThat(newcomer.response(1)).isEqualTo("OPENED");
    }

    private static String opened(List<AttackClient> clients, int handles) {
        long opened = clients.stream().mapToLong(AttackClient::opened).sum();
        long open = clients.stream().filter(AttackClient::isOpen).count();
        return opened + " of " + clients.size() * handles + " channels, " + open + " connections, last response "
                + clients.get(0).response(handles) + clients.get(0).end();
    }

    // -- log

    @Test
    void garbage_onManyConnections_writesFewLines() {
        long before = logLines();
        AttackNet.inParallel(100, size(500, 3000), i -> () -> sendGarbage(host(1, i), i));
        assertThat(logLines() - before).isLessThanOrEqualTo(MAX_LOG_LINES);
    }

    private void sendGarbage(String from, int seed) {
        byte[] garbage = new byte[64];
        new Random(seed).nextBytes(garbage);
        garbage[0] = 0x42; // not a record of TLS
        try (Socket socket = SCENE.net().socket(from)) {
            socket.getOutputStream().write(garbage);
            InputStream in = socket.getInputStream();
            while (in.read() >= 0) {
                // The alert does not matter.
            }
        } catch (IOException e) {
            // The attacked peer has reset the connection.
        }
    }

    @Test
    void garbageFrames_onManyLinks_writeFewLines() {
        long before = logLines();
        List<AttackClient> clients = SCENE.net().connect(size(100, 3000), i -> host(1, i), Greeting.USUAL);
        clients.forEach(client -> client.send(frames -> Unpooled.wrappedBuffer(new byte[] {1, 2, 3})));
        clients.forEach(client -> Eventually.until(() -> "still open", () -> !client.isOpen()));
        assertThat(logLines() - before).isLessThanOrEqualTo(MAX_LOG_LINES);
    }

    // -- memory

    @Test
    void largeMessages_announcedAndNotSent_takeNoMemory() {
        int handles = 200 / HOSTS;
        for (int round = 0; round < size(1, 30); round++) {
            List<AttackClient> clients = SCENE.net().connect(HOSTS, i -> host(2, i), Greeting.USUAL);
            AttackNet.openAll(clients, handles, AttackedPeerProcess.UNREAD, "binary");
            clients.forEach(client -> IntStream.rangeClosed(1, handles)
                    .forEach(handle -> client.send(
                            frames -> frames.first(handle, 64L << 20, Unpooled.wrappedBuffer(new byte[1]), 1))));
            clients.forEach(AttackClient::awaitProcessed);
            print(opened(clients, handles));
        }
        assertNewcomerIsServed();
    }

    @EnabledIfSystemProperty(named = "parley.test.attacks", matches = "true")
    @ParameterizedTest
    @ValueSource(strings = {"binary", "xml", "fastinfoset"})
    void largeMessages_ofTwoPeers_areDeliveredOrRefusedByALimit(String codec) {
        byte[] content = new byte[LARGE_MESSAGE_BYTES];
        new Random(1).nextBytes(content);
        SCENE.sustain(() -> sendOfTwoPeers(codec, content));
    }

    private static void sendOfTwoPeers(String codec, byte[] content) {
        try (LargeMessageSender one = new LargeMessageSender("127.14.0.1", codec, SCENE.attacked());
                LargeMessageSender other = new LargeMessageSender("127.15.0.1", codec, SCENE.attacked())) {
            CompletableFuture<String> outcomeOfOne = one.send(content);
            CompletableFuture<String> outcomeOfOther = other.send(content);
            for (CompletableFuture<String> outcome : List.of(outcomeOfOne, outcomeOfOther)) {
                print(codec + ", " + content.length + " bytes: " + outcome.join());
                assertThat(outcome.join()).matches("delivered|BUSY: .*[mM]emory.*");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @CsvSource({"binary, 65000, 5", "xml, 20000, 10", "fastinfoset, 65000, 5"})
    void unreadMessages_ofTinyElements_areChargedWhatTheyTake(String codec, int elements, int messages) {
        byte[] encoded = encode(
                codec,
                Message.of(IntStream.range(0, elements)
                        .mapToObj(i -> MessageElement.of("a", new byte[1]))
                        .toList()));
        floodUnread(codec, encoded, messages);
        assertNewcomerIsServed();
    }

    @ParameterizedTest
    @CsvSource({"binary, 120, 40000", "binary, 60, 65000", "xml, 50, 20000", "fastinfoset, 120, 40000"})
    void unreadMessages_ofLongNames_areChargedWhatTheyTake(String codec, int length, int elements) {
        byte[] encoded = encode(
                codec,
                Message.of(IntStream.range(0, elements)
                        .mapToObj(i -> MessageElement.of("x".repeat(length - 6) + (100_000 + i), new byte[1]))
                        .toList()));
        floodUnread(codec, encoded, size(4, 10));
        assertNewcomerIsServed();
    }

    private void floodUnread(String codec, byte[] encoded, int handles) {
        SCENE.sustain(() -> {
            List<AttackClient> clients = SCENE.net().connect(HOSTS, i -> host(3, i), Greeting.USUAL);
            AttackNet.openAll(clients, handles, AttackedPeerProcess.UNREAD, codec);
            for (int i = 1; i <= handles; i++) {
                int handle = i;
                clients.forEach(client -> client.sendMessage(handle, Unpooled.wrappedBuffer(encoded)));
                clients.forEach(AttackClient::awaitProcessed);
            }
            print(codec + ", " + encoded.length + " bytes each: " + opened(clients, handles));
        });
    }

    private static byte[] encode(String codec, Message message) {
        ByteBuf encoded = MessageCodecRegistry.installed()
                .get(codec)
                .newSession(MessageLimits.DEFAULTS)
                .encode(message, UnpooledByteBufAllocator.DEFAULT);
        try {
            return ByteBufUtil.getBytes(encoded);
        } finally {
            encoded.release();
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 32", "0, 4096", "1, 32", "1, 4096"})
    void manyOpens_ofOneService_fromOneHost_leaveRoomForOthers(int minor, int opens) {
        manyOpens(1, minor, opens);
        assertNewcomerIsServed();
    }

    @ParameterizedTest
    @CsvSource({"0, 32", "0, 4096", "1, 4096"})
    void manyOpens_ofOneService_fromSeveralHosts_leaveRoomForOthers(int minor, int opens) {
        manyOpens(HOSTS, minor, opens);
        assertNewcomerIsServed();
    }

    private void manyOpens(int hosts, int minor, int opens) {
        SCENE.sustain(() -> {
            List<AttackClient> clients =
                    SCENE.net().connect(hosts, i -> host(4, i), new Greeting(minor, List.of("binary"), List.of()));
            AttackNet.openAll(clients, opens, AttackedPeerProcess.UNREAD, "binary");
            print(opened(clients, opens));
        });
    }

    @Test
    void halfFrames_onManyConnections_doNotDisturb() {
        SCENE.sustain(this::sendHalfFrames);
        assertNewcomerIsServed();
    }

    private void sendHalfFrames() {
        int frame = 131_000;
        List<AttackClient> clients = SCENE.net().connect(size(250, 1000), i -> host(5, i), Greeting.USUAL);
        print(clients.size() + " connections");
        ByteBuf half = Unpooled.buffer(frame).writeInt(frame).writeZero(frame - 1000);
        List<ChannelFuture> sent = clients.stream()
                .map(client -> client.sendBytes(half.retainedDuplicate()))
                .toList();
        half.release();
        sent.forEach(written -> Eventually.until(() -> "not sent", written::isDone));
    }

    // -- processor time

    @ParameterizedTest
    @ValueSource(strings = {"binary", "xml", "attributes", "too many attributes"})
    void collidingNames_inMessages_doNotDisturb(String kind) {
        byte[] encoded = switch (kind) {
            case "binary", "xml" -> encode(kind, CollidingNames.message(20_000));
            case "attributes" -> CollidingNames.attributes(900);
            default -> CollidingNames.attributes(40_000);
        };
        floodUnread(kind.equals("binary") ? kind : "xml", encoded, size(2, 10));
    }

    @Test
    void collidingNames_inAdvertisements_doNotDisturb() {
        AttackClient client = SCENE.net().connect(host(6, 0));
        assertThat(Eventually.get(ResolverQueries.lease(client), "a lease")).isPositive();
        for (int i = 0; i < size(2, 50); i++) {
            for (int names : new int[] {900, 1400}) {
                List<byte[]> documents = IntStream.range(0, 5)
                        .mapToObj(k -> CollidingNames.advertisement(client.identity(), "colliding " + k, names))
                        .toList();
                client.awaitCredit(1);
                assertThat(Eventually.get(ResolverQueries.publish(client, documents), "a publication"))
                        .isEqualTo("document: distinct names of one hash: more than 32 (expected: <= 32)");
            }
        }
    }

    @Test
    void replayedCertificates_atFullRate_doNotDisturb() throws Exception {
        CertificateClient replaying = CertificateClient.withReplayedChain();
        int count = size(100, 10_000);
        AtomicInteger refused = new AtomicInteger();
        long start = System.nanoTime();
        AttackNet.inParallel(4, count, i -> () -> {
            if (replaying.isRefused(host(6, i), SCENE.net().target())) {
                refused.incrementAndGet();
            }
        });
        print(count + " replayed chains in " + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start) + " ms");
        assertThat(refused).hasValue(count);
    }

    // -- connections

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void claimedAddress_ofAThirdParty_isDialedAFewTimes(boolean silent) throws IOException {
        try (ThirdParty third = new ThirdParty("127.0.77.1", silent)) {
            Greeting greeting = new Greeting(1, List.of("binary"), List.of(third.address()));
            List<AttackClient> clients = SCENE.net().connect(size(100, 1000), i -> host(7, i), greeting);
            for (AttackClient client : clients) {
                client.onOpen(client::crash); // the response has to wait for the next connection
                client.open(1, ResolverQueries.OVERLAY, "binary");
                ResolverQueries.send(client, 1, "unknown");
            }
            clients.forEach(client -> Eventually.until(() -> "still open", () -> !client.isOpen()));
            SCENE.honest().awaitRounds(size(50, 500));
            Eventually.until(() -> "no dial", () -> third.dials() > 0);
            print(third.dials() + " dials for " + clients.size() + " peers");
            assertThat(third.dials()).isLessThanOrEqualTo(10);
        }
    }

    @Test
    void silentSockets_ofFiveHosts_leaveRoomForOthers() {
        SCENE.sustain(this::dialBesideSilentSockets);
    }

    private void dialBesideSilentSockets() {
        try {
            for (int i = 0; i < 500; i++) {
                SCENE.net().socket(host(8, i));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<CompletableFuture<AttackClient>> dials = IntStream.rangeClosed(1, 12)
                .mapToObj(i -> SCENE.net().tryConnect("127.10.0." + i, Greeting.USUAL))
                .toList();
        dials.forEach(dial -> Eventually.until(() -> "no end of a dial", dial::isDone));
        assertThat(dials).filteredOn(dial -> !dial.isCompletedExceptionally()).hasSizeGreaterThanOrEqualTo(11);
    }

    @EnabledIfSystemProperty(named = "parley.test.attacks", matches = "true")
    @Test
    void connections_ofOneHost_leaveRoomForOthers() {
        List<AttackClient> clients = SCENE.net().connect(4200, i -> "127.11.0.1", Greeting.USUAL);
        print(clients.size() + " connections");
        assertNewcomerIsServed();
    }

    @Test
    void leases_ofOneHost_leaveRoomForOthers() {
        SCENE.sustain(AttackProcessTest::acquireLeases);
    }

    private static void acquireLeases() {
        List<AttackClient> clients = SCENE.net().connect(AttackScene.MAX_CLIENTS, i -> "127.12.0.1", Greeting.USUAL);
        List<CompletableFuture<Long>> leases =
                clients.stream().map(ResolverQueries::lease).toList();
        leases.forEach(lease -> Eventually.until(() -> "no response to a request for a lease", lease::isDone));
        assertThat(Eventually.get(ResolverQueries.lease(SCENE.net().connect("127.13.0.1")), "a lease"))
                .isPositive();
    }
}
