package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.encoding.AesGcmEncodingScheme;
import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.KeyRing;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.testkit.encoding.ChainedEncodingScheme;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Encoded elements together with requests, sender events and asynchronous reception. */
@Timeout(180)
class PipeEncodingInterplayTest {

    private static final Duration SOON = Eventually.DEADLINE;

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();
    private final KeyRing keys = KeyRing.of("summer", new byte[KeyRing.KEY_BYTES]);
    private Peer alice;
    private Peer bob;

    @BeforeEach
    void startPeers() {
        alice = start();
        bob = start();
    }

    @AfterEach
    void closePeers() {
        peers.forEach(Peer::close);
        peers.forEach(peer -> Eventually.get(peer.whenClosed(), "closing a peer"));
    }

    private Peer start() {
        Peer peer = Peer.builder()
                .transport(network.transportProvider())
                .listen("mem://any")
                .start();
        peers.add(peer);
        return peer;
    }

    private Pipes decoding() {
        return Pipes.of(alice).withDecoding(new AesGcmEncodingScheme(keys));
    }

    private Pipes encoding(KeyRing ring) {
        return Pipes.of(bob).withEncoding(EncodingPolicy.of(new AesGcmEncodingScheme(ring)));
    }

    @Test
    void encodedMessages_areDeliveredBetweenTheEventsOfTheirSender() throws Exception {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        SenderListener senders = new SenderListener() {
            @Override
            public void onOpened(PeerId sender) {
                events.add("opened");
            }

            @Override
            public void onEnded(PeerId sender) {
                events.add("ended");
            }
        };
        Pipes pipes = decoding().withSenderListener(senders);
        try (InputPipe in = pipes.listen(
                pipes.pipeId("p"), message -> events.add(message.text("a").orElse("none")))) {
            try (OutputPipe out = encoding(keys).connect(in.ticket(), SOON)) {
                out.send(Message.of("a", "1"), SOON);
                out.send(Message.of("a", "2"), SOON);
            }
            for (String expected : List.of("opened", "1", "2", "ended")) {
                assertThat(events.poll(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(expected);
            }
        }
    }

    @Test
    void requestWithEncodedElements_getsItsResponse() throws Exception {
        try (InputPipe service = decoding()
                        .serve(
                                "service",
                                request -> Message.of("b", request.text("a").orElse("none")));
                InputPipe in = decoding().listen("p", request -> request.respond(Message.of("b", "p")));
                OutputPipe toService = encoding(keys).connect(service.ticket(), SOON);
                OutputPipe toListener = encoding(keys).connect(in.ticket(), SOON)) {
            assertThat(toService.request(Message.of("a", "1"), SOON).text("b")).contains("1");
            assertThat(toListener.request(Message.of("a", "1"), SOON).text("b")).contains("p");
        }
    }

    @Test
    void serviceWithoutPassedSchemes_refusesARequiredOne() {
        try (InputPipe service = Pipes.of(alice).serve("service", request -> request.message())) {
            assertThatThrownBy(() -> encoding(keys).connect(service.ticket(), SOON))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_COMMON_CODEC));
        }
    }

    @Test
    void callsThatDoNotEncode_refuseAPolicyThatRequiresAScheme() {
        Pipes encrypting = encoding(keys);
        Pipes requiring = Pipes.of(bob)
                .withEncoding(
                        EncodingPolicy.of(new ChainedEncodingScheme("chained")).withRequiredSchemes());
        assertRefused(
                () -> encrypting.request("balance", Message.EMPTY, SOON), "request to service balance: ", "aes-gcm");
        assertRefused(() -> encrypting.requestAsync("balance", Message.EMPTY, SOON), "OutputPipe.request", "aes-gcm");
        ServiceDirectory services = encrypting.services();
        assertRefused(
                () -> services.requestAsync(services.spec("bank", "balance"), Message.EMPTY, SOON),
                "request to service balance: ",
                "aes-gcm");
        assertRefused(() -> encrypting.topic("prices"), "topic prices: ", "aes-gcm");
        assertRefused(encrypting::bidirectional, "bidirectional pipes: ", "aes-gcm");
        assertRefused(() -> requiring.topic("prices"), "use Pipes without withEncoding", "chained");
    }

    private static void assertRefused(ThrowingCallable call, String part, String scheme) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(part)
                .hasMessageContaining(
                        "does not encode elements, but the encoding policy requires the scheme " + scheme);
    }

    @Test
    void callsThatDoNotEncode_sendElementsAsTheyAreIfNoSchemeIsRequired() throws Exception {
        Pipes optional = Pipes.of(bob).withEncoding(EncodingPolicy.of(new ChainedEncodingScheme("chained")));
        assertThat(optional.topic("prices").name()).isEqualTo("prices");
        try (InputPipe service =
                        Pipes.of(alice).serve(optional.pipeId("service"), request -> request.message(), Runnable::run);
                PipeAcceptor acceptor = Pipes.of(alice)
                        .bidirectional()
                        .accept(
                                optional.pipeId("desk"),
                                request -> request.accept().send(Message.of("a", "1")));
                OutputPipe out = optional.connect(service.ticket(), SOON);
                BidirectionalPipe pipe = optional.bidirectional().connect(acceptor.ticket(), SOON)) {
            assertThat(out.request(Message.of("a", "2"), SOON).text("a")).contains("2");
            assertThat(pipe.receive(SOON).orElseThrow().text("a")).contains("1");
        }
    }

    @Test
    void requestThatCannotBeDecoded_isDroppedByTheService() throws Exception {
        KeyRing others = KeyRing.of("winter", new byte[KeyRing.KEY_BYTES]);
        try (InputPipe service = decoding()
                        .serve(
                                "service",
                                request -> Message.of("b", request.text("a").orElse("none")));
                OutputPipe wrong = encoding(others).connect(service.ticket(), SOON);
                OutputPipe right = encoding(keys).connect(service.ticket(), SOON)) {
            CompletableFuture<PipeMessage> lost = wrong.requestAsync(Message.of("a", "1"), SOON);
            Eventually.until(
                    () -> "the message is counted",
                    () -> alice.metrics().get("parley.endpoint.messages.undecodable") == 1);
            assertThat(right.request(Message.of("a", "2"), SOON).text("b")).contains("2");
            lost.cancel(false);
        }
    }

    @Test
    void callThatWaits_skipsAMessageThatCannotBeDecoded() throws Exception {
        KeyRing others = KeyRing.of("winter", new byte[KeyRing.KEY_BYTES]);
        try (InputPipe in = decoding().open("p");
                OutputPipe wrong = encoding(others).connect(in.ticket(), SOON);
                OutputPipe right = encoding(keys).connect(in.ticket(), SOON)) {
            CompletableFuture<PipeMessage> first = in.receiveAsync();
            CompletableFuture<PipeMessage> second = in.receiveAsync();
            wrong.send(Message.of("a", "dropped"), SOON);
            Eventually.until(
                    () -> "the message is counted",
                    () -> alice.metrics().get("parley.endpoint.messages.undecodable") == 1);
            right.send(Message.of("a", "1"), SOON);
            right.send(Message.of("a", "2"), SOON);
            assertThat(Eventually.get(first, "first call").text("a")).contains("1");
            assertThat(Eventually.get(second, "second call").text("a")).contains("2");
        }
    }

    @Test
    void callThatFindsAMessageThatCannotBeDecoded_waitsForTheNext() throws Exception {
        KeyRing others = KeyRing.of("winter", new byte[KeyRing.KEY_BYTES]);
        try (InputPipe in = decoding().open("p");
                OutputPipe wrong = encoding(others).connect(in.ticket(), SOON);
                OutputPipe right = encoding(keys).connect(in.ticket(), SOON)) {
            wrong.send(Message.of("a", "dropped"), SOON); // acknowledged: it is in the queue
            CompletableFuture<PipeMessage> call = in.receiveAsync();
            right.send(Message.of("a", "1"), SOON);
            assertThat(Eventually.get(call, "call").text("a")).contains("1");
        }
    }
}
