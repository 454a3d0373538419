package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.discovery.DiscoveryQuery;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Secure pipes: what is on the wire, which pipes connect, and what stays secure. */
@Timeout(180)
class SecurePipeTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final String SECRET = "it will rain in Halifax";
    private static final Message MESSAGE = Message.of("text", SECRET);

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();

    @AfterEach
    void closePeers() {
        for (int i = peers.size() - 1; i >= 0; i--) {
            peers.get(i).close();
        }
    }

    private Peer start(PeerBuilder builder) {
        Peer peer = builder.start();
        peers.add(peer);
        return peer;
    }

    private Peer startTcp(TransportSecurity security) {
        return start(Peer.builder().listen("tcp://127.0.0.1:0").security(security));
    }

    private PeerBuilder inMemory(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .multicast(false)
                .limits(EndpointLimits.DEFAULTS.toBuilder()
                        .closeTimeout(Duration.ofSeconds(1))
                        .build())
                .listen("mem://" + name);
    }

    private Peer edge(String name) {
        return start(inMemory(name).rendezvous("mem://rendezvous"));
    }

    private static PipeMessage receive(InputPipe in) throws InterruptedException {
        return in.receive(SOON).orElseThrow(() -> new AssertionError("no message within " + SOON));
    }

    @ParameterizedTest
    @EnumSource(TransportSecurity.class)
    void securePipe_overTcp_messagesArrive_andAreNotReadable(TransportSecurity security) throws Exception {
        Peer alice = startTcp(security);
        Peer bob = startTcp(security);
        try (RecordingProxy proxy = new RecordingProxy(alice);
                InputPipe in = Pipes.of(alice).secure().open("forecast");
                OutputPipe out = Pipes.of(bob).secure().connect(proxy.address(), "forecast", SOON)) {
            for (int i = 0; i < 100; i++) {
                Eventually.get(out.send(MESSAGE), "sending");
                PipeMessage received = receive(in);
                assertThat(received.from()).isEqualTo(bob.id());
                assertThat(received.message()).isEqualTo(MESSAGE);
            }
            Message large = Message.of("data", new byte[3_000_000]);
            Eventually.get(out.send(large), "sending a large message");
            assertThat(receive(in).message()).isEqualTo(large);
            assertThat(proxy.contains(SECRET)).isFalse();
            assertThat(proxy.contains(in.id().text())).as("the id of the pipe").isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(TransportSecurity.class)
    void plainSender_toSecurePipe_isRefused_andTheOtherWayAround(TransportSecurity security) {
        Peer alice = startTcp(security);
        Peer bob = startTcp(security);
        InputPipe secure = Pipes.of(alice).secure().open(Pipes.of(alice).pipeId("secure"));
        InputPipe plain = Pipes.of(alice).open(Pipes.of(alice).pipeId("plain"));

        assertFails(Pipes.of(bob).connectAsync(secure.ticket(), SOON), "make the sender secure", "Pipes.secure()");
        assertFails(
                Pipes.of(bob).secure().connectAsync(plain.ticket(), SOON),
                "make the receiver secure",
                "Pipes.secure()");
    }

    private static void assertFails(CompletableFuture<OutputPipe> connected, String... parts) {
        Throwable failure = Eventually.get(
                connected.handle((pipe, thrown) -> ParleyException.unwrap(thrown)), "the result of connecting");
        assertThat(failure).isInstanceOf(ParleyException.class);
        assertThat(((ParleyException) failure).code()).isEqualTo(ErrorCode.SECURITY_MISMATCH);
        assertThat(failure).hasMessageContainingAll(parts);
    }

    @Test
    void publishedSecurePipe_isFoundByPlainPipes_andIsSecure() throws Exception {
        start(inMemory("rendezvous").actAsRendezvous());
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        InputPipe in = Pipes.of(alice).secure().open("forecast");

        try (OutputPipe out = Pipes.of(bob).connect("forecast", SOON)) {
            Eventually.get(out.send(MESSAGE), "sending");

            assertThat(receive(in).message()).isEqualTo(MESSAGE);
            CompletableFuture<PipeMessage> response = out.requestAsync(MESSAGE, SOON);
            Eventually.get(receive(in).respond(MESSAGE), "responding");
            assertThat(Eventually.get(response, "the response").message()).isEqualTo(MESSAGE);
            PipeAdvertisement found = (PipeAdvertisement) bob.netGroup()
                    .discovery()
                    .findLocal(DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME), 1)
                    .get(0)
                    .advertisement();
            assertThat(found.pipeType()).isEqualTo(PipeType.UNICAST_SECURE);
        }
    }

    @Test
    void holderIsGone_nextSecureHolderTakesOver_plainOneDoesNot() throws Exception {
        start(inMemory("rendezvous").actAsRendezvous());
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        Pipes.of(alice).secure().open("forecast");
        try (OutputPipe out = Pipes.of(bob).secure().connect("forecast", SOON)) {
            Eventually.get(out.send(MESSAGE), "sending");
            InputPipe plain = Pipes.of(edge("mallory")).open("forecast");
            alice.close();
            CompletableFuture<Void> first = out.send(MESSAGE);
            InputPipe next = Pipes.of(edge("carol")).secure().open("forecast");

            Eventually.get(first.handle((done, failure) -> null), "the result of the first message");
            Eventually.get(out.send(Message.of("text", "after")), "sending to the next holder");

            PipeMessage received = receive(next);
            while (!received.text("text").equals(Optional.of("after"))) {
                received = receive(next);
            }
            assertThat(plain.receive(Duration.ZERO)).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(TransportSecurity.class)
    void oneListener_manySenders_zeroCopy(TransportSecurity security) throws Exception {
        Peer alice = startTcp(security);
        List<String> arrived = Collections.synchronizedList(new ArrayList<>());
        InputPipe in = Pipes.of(alice)
                .secure()
                .listenZeroCopy(
                        Pipes.of(alice).pipeId("forecast"),
                        message -> arrived.add(message.text("text").orElse("?")));
        for (int i = 0; i < 3; i++) {
            Peer bob = startTcp(security);
            try (OutputPipe out = Pipes.of(bob).secure().connect(in.ticket(), SOON)) {
                Eventually.get(out.send(MESSAGE), "sending");
                Eventually.get(out.send(Message.of("text", SECRET.repeat(20_000))), "sending a large message");
            }
        }
        Eventually.until(() -> arrived.size() + " messages", () -> arrived.size() == 6);
        assertThat(arrived).containsOnly(SECRET, SECRET.repeat(20_000));
    }
}
