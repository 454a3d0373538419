package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.parley.Peer;
import io.parley.codec.internal.MessageCodecRegistry;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.identity.Identity;
import io.parley.identity.TransportCredential;
import io.parley.message.Message;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.testkit.LoopbackNetwork;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Attacks on the TCP port of a peer. Each time only the attacker's connection is closed, counted and logged once, while two honest
 * peers transfer 16 MB without a loss, half of it after the attack.
 */
class HostilePeersTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final Identity MALLORY = Identity.generate();
    private static final int CHUNK_BYTES = 256 * 1024;
    private static final int CHUNKS = 16 * 1024 * 1024 / CHUNK_BYTES;

    /** A stalled thread does not reach these timeouts. */
    private static final EndpointLimits PATIENT = EndpointLimits.DEFAULTS.toBuilder()
            .connectTimeout(SOON)
            .handshakeTimeout(SOON)
            .build();

    /** Short, because some attacks last until its end, but long enough for an honest peer on a busy machine. */
    private static final EndpointLimits IMPATIENT =
            PATIENT.toBuilder().handshakeTimeout(Duration.ofSeconds(3)).build();

    private interface Act {
        HostileClient on(EndpointAddress address) throws Exception;
    }

    /** The reason of an attack that is the same as a dial that an honest peer gives up: it is counted, without a line. */
    private static final @Nullable String UNLOGGED = null;

    enum Attack {
        RANDOM_BYTES("does not use TLS", address -> plain(address, random(4096))),
        HTTP_REQUEST(
                "does not use TLS",
                address -> plain(address, "GET / HTTP/1.1\r\nHost: peer\r\n\r\n".getBytes(StandardCharsets.US_ASCII))),
        PLAINTEXT_FRAME("does not use TLS", address -> {
            HostileClient client = HostileClient.plain(address);
            client.sendFrame("hello".getBytes(StandardCharsets.US_ASCII)).awaitEnd();
            return client;
        }),
        CLIENT_HELLO_CUT_SHORT(UNLOGGED, address -> {
            HostileClient client = HostileClient.plain(address);
            client.send(clientHelloStart()).endOutput().awaitEnd();
            return client;
        }),
        SILENCE("no completion within", address -> {
            HostileClient client = HostileClient.plain(address);
            client.awaitEnd();
            return client;
        }),
        ONE_BYTE_NOW_AND_THEN("no completion within", address -> {
            HostileClient client = HostileClient.plain(address);
            client.trickle(Arrays.copyOf(clientHelloStart(), 16 * 1024));
            return client;
        }),
        NO_CERTIFICATE("", address -> tls(address, null)),
        SOMEONE_ELSES_IDENTITY("unexpected issuer", address -> {
            TransportCredential own = MALLORY.issueTransportCredential(Clock.systemUTC());
            return tls(
                    address,
                    new TransportCredential(
                            own.key(),
                            List.of(own.chain().get(0), Identity.generate().certificate()),
                            own.notAfter()));
        }),
        SOMEONE_ELSES_CERTIFICATE("", address -> {
            // A certificate that was seen on another connection, without its key.
            TransportCredential seen = Identity.generate().issueTransportCredential(Clock.systemUTC());
            TransportCredential own = MALLORY.issueTransportCredential(Clock.systemUTC());
            return tls(address, new TransportCredential(own.key(), seen.chain(), seen.notAfter()));
        }),
        EXPIRED(
                "expired at",
                address -> tls(
                        address,
                        MALLORY.issueTransportCredential(Clock.offset(Clock.systemUTC(), Duration.ofDays(-7))))),
        FORGED_TRANSPORT_CERTIFICATE("not signed by the identity key", address -> tls(address, forged(0))),
        FORGED_IDENTITY_CERTIFICATE("not signed by itself", address -> tls(address, forged(1))),
        SELF_MADE_RSA("expected: Ed25519", address -> tls(address, HostileClient.selfMadeRsa())),
        AUTHENTICATED_THEN_SILENCE("handshake not completed within", address -> {
            HostileClient client = HostileClient.authenticated(address, MALLORY);
            client.send(new byte[0]);
            client.awaitEnd();
            return client;
        }),
        AUTHENTICATED_THEN_FRAME_OF_2_GIB("2147483647 bytes", address -> announce(address, Integer.MAX_VALUE)),
        AUTHENTICATED_THEN_FRAME_OF_4_GIB("4294967295 bytes", address -> announce(address, 0xffffffffL)),
        AUTHENTICATED_THEN_FRAME_PAST_THE_LIMIT(
                "8193 bytes", address -> announce(address, Connection.MAX_HANDSHAKE_FRAME_BYTES + 1)),
        AUTHENTICATED_THEN_GARBAGE("not a Parley peer", address -> {
            HostileClient client = HostileClient.authenticated(address, MALLORY);
            byte[] hello = hello(MALLORY, MALLORY);
            hello[1]++;
            client.sendFrame(hello).awaitEnd();
            return client;
        }),
        AUTHENTICATED_BUT_SAYS_IT_IS_ANOTHER("expected: the authenticated peer", address -> {
            HostileClient client = HostileClient.authenticated(address, MALLORY);
            client.sendFrame(hello(MALLORY, Identity.generate())).awaitEnd();
            return client;
        });

        /** The attacks that last until a time-out of the handshake. */
        private static final Set<Attack> SILENT =
                EnumSet.of(SILENCE, ONE_BYTE_NOW_AND_THEN, AUTHENTICATED_THEN_SILENCE);

        private final @Nullable String reason;
        private final Act act;

        Attack(@Nullable String reason, Act act) {
            this.reason = reason;
            this.act = act;
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SILENCE", "ONE_BYTE_NOW_AND_THEN", "AUTHENTICATED_THEN_SILENCE"})
    void attack_isRefused_countedAndLoggedOnce_andHonestPeersGoOn(Attack attack) throws Exception {
        try (CapturedLog log = new CapturedLog()) {
            assertRefused(attack, PATIENT, log);
        }
    }

    /** Each on a peer of its own, and all at the same time, because each of them lasts until a timeout. */
    @Test
    void silentAttack_isRefused_countedAndLoggedOnce_andHonestPeersGoOn() {
        try (CapturedLog log = new CapturedLog()) {
            List<CompletableFuture<Attack>> attacks = Attack.SILENT.stream()
                    .map(attack -> inThread(() -> assertRefused(attack, IMPATIENT, log)))
                    .toList();
            attacks.forEach(attack -> Eventually.get(attack, "an attack"));
        }
    }

    private static Attack assertRefused(Attack attack, EndpointLimits limits, CapturedLog log) throws Exception {
        try (Peer alice = start(limits);
                Peer bob = start(PATIENT)) {
            Transfer transfer = new Transfer(bob, alice);
            EndpointMetrics metrics = alice.endpoint().metrics();
            String origin;
            try (HostileClient attacker = attack.act.on(onlyAddress(alice))) {
                origin = "127.0.0.1:" + attacker.localPort() + ":";
                Eventually.until(() -> "nothing is counted", () -> metrics.get(Counter.HANDSHAKES_FAILED) > 0);
                if (attack.reason != null) {
                    Eventually.until(
                            () -> "nothing is logged", () -> !log.lines(origin).isEmpty());
                }
                transfer.finish();
            }
            assertThat(metrics.get(Counter.HANDSHAKES_FAILED)).isOne();
            assertThat(metrics.get(Counter.CONNECTIONS_DROPPED)).isZero();
            assertThat(metrics.get(Counter.CONNECTIONS_OPENED))
                    .as("the honest one")
                    .isOne();
            assertThat(metrics.get(Counter.CONNECTIONS_CLOSED)).isZero();
            List<String> lines = log.lines(origin);
            if (attack.reason == null) {
                assertThat(lines).isEmpty();
            } else {
                assertThat(lines).singleElement().asString().contains("WARN", "Rejected connection", attack.reason);
            }
        }
        return attack;
    }

    private static <T> CompletableFuture<T> inThread(Callable<T> task) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                result.complete(task.call());
            } catch (Exception | AssertionError e) {
                result.completeExceptionally(e);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_ANY,
            names = {"AUTHENTICATED_THEN_FRAME_OF_.*", "AUTHENTICATED_THEN_GARBAGE"})
    void attack_afterAgreement_isDropped_countedAndLoggedOnce_andHonestPeersGoOn(Attack attack) throws Exception {
        try (CapturedLog log = new CapturedLog();
                Peer alice = start(PATIENT);
                Peer bob = start(PATIENT)) {
            Transfer transfer = new Transfer(bob, alice);
            EndpointMetrics metrics = alice.endpoint().metrics();
            try (HostileClient attacker = HostileClient.authenticated(onlyAddress(alice), MALLORY)) {
                attacker.sendFrame(hello(MALLORY, MALLORY)).awaitResponse();
                switch (attack) {
                    case AUTHENTICATED_THEN_FRAME_OF_2_GIB -> attacker.announce(Integer.MAX_VALUE);
                    case AUTHENTICATED_THEN_FRAME_OF_4_GIB -> attacker.announce(0xffffffffL);
                    default -> attacker.sendFrame(new byte[] {1, 2, 3, 4, 5});
                }
                attacker.awaitEnd();
                Eventually.until(
                        () -> "nothing is logged",
                        () -> !log.lines("Dropped link").isEmpty());
                Eventually.until(() -> "no connection is closed", () -> metrics.get(Counter.CONNECTIONS_CLOSED) > 0);
                transfer.finish();
            }
            assertThat(metrics.get(Counter.CONNECTIONS_DROPPED)).isOne();
            assertThat(metrics.get(Counter.HANDSHAKES_FAILED)).isZero();
            assertThat(metrics.get(Counter.CONNECTIONS_OPENED)).isEqualTo(2);
            assertThat(metrics.get(Counter.CONNECTIONS_CLOSED)).isOne();
            assertThat(log.lines("Dropped link"))
                    .singleElement()
                    .asString()
                    .contains(MALLORY.peerId().shortText());
        }
    }

    @Test
    void handshakes_tooManyFromOneHost_areRefusedAtOnce_andHonestPeersGoOn() throws Exception {
        int most = 4;
        // The other connections stay open: only this limit ends a connection here.
        EndpointLimits limits = PATIENT.toBuilder()
                .maxHandshakesPerHost(most)
                .handshakeTimeout(Duration.ofMinutes(10))
                .build();
        List<HostileClient> silent = new ArrayList<>();
        try (CapturedLog log = new CapturedLog();
                Peer alice = start(limits);
                Peer bob = start(PATIENT)) {
            Transfer transfer = new Transfer(bob, alice);
            EndpointMetrics metrics = alice.endpoint().metrics();
            for (int i = 0; i <= most; i++) { // one too many; which one is up to the event loops
                silent.add(HostileClient.plain(onlyAddress(alice)));
            }
            Eventually.until(
                    () -> "nothing is refused",
                    () -> !log.lines("pending handshakes").isEmpty());
            HostileClient refused = silent.stream()
                    .filter(client ->
                            !log.lines("127.0.0.1:" + client.localPort() + ":").isEmpty())
                    .findFirst()
                    .orElseThrow();
            refused.awaitEnd();
            silent.remove(refused);
            refused.close();
            assertThat(log.lines("Rejected connection")).hasSize(1);
            assertThat(metrics.get(Counter.HANDSHAKES_FAILED)).isOne();

            // Each connection that ends makes room for another.
            silent.remove(0).close();
            Eventually.until(
                    () -> "the one that ended is not counted", () -> metrics.get(Counter.HANDSHAKES_FAILED) == 2);
            try (Peer carol = start(PATIENT)) {
                carol.addPeerAddress(alice.id(), onlyAddress(alice).toString());
                Eventually.get(carol.endpoint().connect(alice.id()), "an honest peer's connection");
            }
            transfer.finish();
        } finally {
            for (HostileClient client : silent) {
                client.close();
            }
        }
    }

    @Test
    void handshakes_silentOnesOfManyHosts_giveWayToAHonestPeer() throws Exception {
        LoopbackNetwork.assumeAvailable();
        int hosts = 5;
        int each = 4;
        EndpointLimits limits = PATIENT.toBuilder()
                .maxHandshakes(hosts * each)
                .handshakeTimeout(Duration.ofMinutes(10))
                .build();
        List<HostileClient> silent = new ArrayList<>();
        try (Peer alice = start(limits)) {
            for (int i = 0; i < hosts * each; i++) {
                silent.add(HostileClient.plain(onlyAddress(alice), "127.66." + i % hosts + ".1"));
            }
            for (int dial = 0; dial < 12; dial++) {
                try (Peer carol = start(PATIENT)) {
                    carol.addPeerAddress(alice.id(), onlyAddress(alice).toString());
                    Eventually.get(carol.endpoint().connect(alice.id()), "an honest peer's connection");
                }
            }
            EndpointMetrics metrics = alice.endpoint().metrics();
            assertThat(metrics.get(Counter.HANDSHAKES_FAILED)).as("gave way").isPositive();
            assertThat(metrics.get(Counter.CONNECTIONS_OPENED)).isEqualTo(12);
        } finally {
            for (HostileClient client : silent) {
                client.close();
            }
        }
    }

    /** Identities cost nothing, so a host with many of them must not use all places. */
    @Test
    void connections_ofOneHostWithManyIdentities_giveWayToOtherHosts() throws Exception {
        LoopbackNetwork.assumeAvailable();
        int most = 10;
        EndpointLimits limits = PATIENT.toBuilder()
                .maxConnections(most)
                .closeTimeout(Duration.ofMillis(500)) // a hostile peer does not close its end
                .build();
        List<HostileClient> hostile = new ArrayList<>();
        List<Peer> honest = new ArrayList<>();
        try (Peer alice = start(limits)) {
            EndpointMetrics metrics = alice.endpoint().metrics();
            for (int i = 0; i < most; i++) {
                Identity identity = Identity.generate();
                HostileClient client = HostileClient.authenticated(onlyAddress(alice), identity, "127.66.1.1");
                hostile.add(client);
                client.sendFrame(hello(identity, identity)).awaitResponse();
            }
            assertThat(metrics.get(Counter.CONNECTIONS_OPENED)).isEqualTo(most);

            for (int i = 0; i < most / 2; i++) { // the equal share of two hosts
                honest.add(start(PATIENT));
                honest.get(i).addPeerAddress(alice.id(), onlyAddress(alice).toString());
                Eventually.get(honest.get(i).endpoint().connect(alice.id()), "an honest peer's connection");
            }
            Eventually.until(() -> "nothing gave way", () -> metrics.get(Counter.CONNECTIONS_CLOSED) == most / 2);
            Eventually.until(
                    () -> "refused: " + metrics.get(Counter.CONNECTIONS_REFUSED),
                    () -> metrics.get(Counter.CONNECTIONS_REFUSED) == most / 2);
            assertThat(honest)
                    .allSatisfy(
                            peer -> assertThat(peer.endpoint().connectedPeers()).contains(alice.id()));

            Identity another = Identity.generate();
            HostileClient late = HostileClient.authenticated(onlyAddress(alice), another, "127.66.1.1");
            hostile.add(late);
            late.sendFrame(hello(another, another)).awaitEnd();
            assertThat(metrics.get(Counter.CONNECTIONS_OPENED)).isEqualTo(most + most / 2);
        } finally {
            for (HostileClient client : hostile) {
                client.close();
            }
            honest.forEach(Peer::close);
        }
    }

    @Test
    void halfFrames_areChargedToTheMemoryOfTheEndpoint() throws Exception {
        int half = 60 * 1024;
        int room = 10;
        EndpointLimits limits = PATIENT.toBuilder()
                .windowBytes(half)
                .totalMemoryBytes(room * half)
                .build();
        List<HostileClient> hostile = new ArrayList<>();
        try (Peer alice = start(limits)) {
            EndpointMetrics metrics = alice.endpoint().metrics();
            for (int i = 0; i < 2 * room; i++) {
                hostile.add(sendHalfFrame(alice, half));
            }
            Eventually.until(() -> "too many are open", () -> metrics.get(Counter.CONNECTIONS_CLOSED) >= room);
            assertThat(metrics.get(Counter.CONNECTIONS_REFUSED)).isGreaterThanOrEqualTo(room);
            for (HostileClient client : hostile) {
                client.close();
            }
            Eventually.until(() -> "some are open", () -> metrics.get(Counter.CONNECTIONS_CLOSED) == 2 * room);

            long dropped = metrics.get(Counter.CONNECTIONS_DROPPED);
            for (int i = 0; i < room / 2; i++) {
                hostile.add(sendHalfFrame(alice, half).send(new byte[half])); // a whole frame, but not a valid one
            }
            Eventually.until(
                    () -> "refused for memory that was not released",
                    () -> metrics.get(Counter.CONNECTIONS_DROPPED) == dropped + room / 2);
        } finally {
            for (HostileClient client : hostile) {
                client.close();
            }
        }
    }

    private static HostileClient sendHalfFrame(Peer peer, int half) throws Exception {
        Identity identity = Identity.generate();
        HostileClient client = HostileClient.authenticated(onlyAddress(peer), identity);
        client.sendFrame(hello(identity, identity)).awaitResponse();
        try {
            client.announce(2 * half).send(new byte[half]);
        } catch (IOException e) {
            // refused meanwhile
        }
        return client;
    }

    private static Peer start(EndpointLimits limits) {
        return Peer.builder().limits(limits).listen("tcp://127.0.0.1:0").start();
    }

    private static EndpointAddress onlyAddress(Peer peer) {
        return peer.address().addresses().get(0);
    }

    private static HostileClient plain(EndpointAddress address, byte[] bytes) throws Exception {
        HostileClient client = HostileClient.plain(address);
        client.send(bytes).awaitEnd();
        return client;
    }

    private static HostileClient tls(EndpointAddress address, @Nullable TransportCredential credential)
            throws Exception {
        HostileClient client = HostileClient.tls(address, credential);
        try {
            client.send(new byte[] {0, 0, 0, 1, 1});
        } catch (IOException e) {
            return client; // refused at once
        }
        client.awaitEnd();
        return client;
    }

    private static HostileClient announce(EndpointAddress address, long frameBytes) throws Exception {
        HostileClient client = HostileClient.authenticated(address, MALLORY);
        client.announce(frameBytes).awaitEnd();
        return client;
    }

    /** Returns a credential whose chain has another signature at one position. */
    private static TransportCredential forged(int position) throws Exception {
        TransportCredential own = MALLORY.issueTransportCredential(Clock.systemUTC());
        List<X509Certificate> chain = new ArrayList<>(own.chain());
        byte[] encoded = chain.get(position).getEncoded();
        encoded[encoded.length - 1] ^= 1;
        chain.set(position, (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded)));
        return new TransportCredential(own.key(), chain, own.notAfter());
    }

    /** Returns the start of a TLS record with a client hello of 512 bytes. */
    private static byte[] clientHelloStart() {
        return new byte[] {22, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3, 7, 7, 7, 7};
    }

    private static byte[] random(int count) {
        byte[] bytes = new byte[count];
        new Random(11).nextBytes(bytes);
        bytes[0] = 0x42; // no record of TLS begins like that
        return bytes;
    }

    private static byte[] hello(Identity dialer, Identity said) {
        ByteBuf frame = new FrameWriter(UnpooledByteBufAllocator.DEFAULT)
                .hello(new Hello(
                        0,
                        said.peerId(),
                        dialer.hashCode(),
                        1,
                        OptionalLong.empty(),
                        List.copyOf(MessageCodecRegistry.installed().names()),
                        1024,
                        List.of()));
        try {
            return ByteBufUtil.getBytes(frame);
        } finally {
            frame.release();
        }
    }

    /** A transfer from one honest peer to another, of 16 MB and until it is finished. */
    private static final class Transfer {

        private final CompletableFuture<Void> attackOver = new CompletableFuture<>();
        private final CompletableFuture<Integer> sending;
        private final CompletableFuture<Integer> receiving;

        Transfer(Peer from, Peer to) throws InterruptedException {
            InputPipe in = Pipes.of(to).open("honest");
            OutputPipe out =
                    Eventually.get(Pipes.of(from).connectAsync(to.address(), "honest", SOON), "the connection");
            receiving = CompletableFuture.supplyAsync(() -> receive(in), Transfer::inThread);
            sending = CompletableFuture.supplyAsync(() -> send(out), Transfer::inThread);
        }

        /** Not the common pool, because it may have only one thread, and both ends block. */
        private static void inThread(Runnable task) {
            Thread thread = new Thread(task, "honest transfer");
            thread.setDaemon(true); // it waits for the end of an attack that may have failed
            thread.start();
        }

        private int send(OutputPipe out) {
            for (int i = 0; i < CHUNKS; i++) {
                if (i == CHUNKS / 2) {
                    attackOver.join();
                }
                out.whenWritable().join();
                out.send(Message.of("data", chunk(i)));
            }
            out.whenWritable().join();
            out.send(Message.of("end", ""));
            return CHUNKS;
        }

        private static int receive(InputPipe in) {
            try {
                for (int i = 0; ; i++) {
                    Message message = in.receive(SOON).orElseThrow().message();
                    if (message.text("end").isPresent()) {
                        return i;
                    }
                    if (!Arrays.equals(message.bytes("data").orElseThrow(), chunk(i))) {
                        throw new AssertionError("chunk " + i + " came damaged");
                    }
                }
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
        }

        private static byte[] chunk(int number) {
            byte[] bytes = new byte[CHUNK_BYTES];
            Arrays.fill(bytes, (byte) number);
            bytes[number % CHUNK_BYTES] = 1;
            return bytes;
        }

        /** Sends the second half, after the attack. */
        void finish() {
            attackOver.complete(null);
            assertThat(Eventually.get(receiving, "the honest transfer"))
                    .isEqualTo(Eventually.get(sending, "the honest sender"));
        }
    }
}
