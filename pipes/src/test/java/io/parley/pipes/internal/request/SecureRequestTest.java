package io.parley.pipes.internal.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.endpoint.Messenger;
import io.parley.error.ApplicationException;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.pipes.InputPipe;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipePeers;
import io.parley.pipes.Pipes;
import io.parley.pipes.RecordedPeersFixture;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.pipes.internal.RequestCounters.Counter;
import io.parley.testkit.Eventually;
import io.parley.transport.TransportSecurity;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests through secure pipes: what is on the wire, which services are used, and which responses are accepted. */
@Timeout(180)
class SecureRequestTest {

    private static final Duration SOON = Eventually.DEADLINE;
    private static final String REQUEST = "will it rain in Halifax";
    private static final String RESPONSE = "from three on it will";

    private final PipePeers peers = new PipePeers();

    @AfterEach
    void close() {
        peers.close();
    }

    private static Message text(String text) {
        return Message.of("text", text);
    }

    private static Pipes secure(Peer peer) {
        return Pipes.of(peer).secure();
    }

    private static String responseText(CompletableFuture<PipeMessage> response) {
        return Eventually.get(response, "the response").text("text").orElseThrow();
    }

    private static long count(Peer peer, Counter counter) {
        return PipePeers.count(peer, counter);
    }

    @ParameterizedTest
    @EnumSource(TransportSecurity.class)
    void requestByName_overTcp_hasAResponse_andNeitherIsReadable(TransportSecurity security) throws Exception {
        try (RecordedPeersFixture fixture = new RecordedPeersFixture(security)) {
            secure(fixture.alice).serve("forecast", request -> {
                if (request.text("text").equals(Optional.of(REQUEST))) {
                    assertThat(request.from()).isEqualTo(fixture.bob.id());
                    return text(RESPONSE);
                }
                throw new ApplicationException(7, "confidential reason");
            });
            Pipes.of(fixture.alice).serve("control", request -> text("readable response"));

            PipeMessage response = secure(fixture.bob).request("forecast", text(REQUEST), SOON);
            assertThat(response.text("text")).contains(RESPONSE);
            assertThat(response.from()).isEqualTo(fixture.alice.id());
            assertThatThrownBy(() -> secure(fixture.bob).request("forecast", text("fail"), SOON))
                    .isInstanceOf(ApplicationException.class)
                    .hasMessageContaining("confidential reason");
            Pipes.of(fixture.bob).request("control", text("readable request"), SOON);

            boolean plaintext = security == TransportSecurity.PLAINTEXT;
            assertThat(fixture.proxy.contains("readable request")).isEqualTo(plaintext);
            assertThat(fixture.proxy.contains("readable response")).isEqualTo(plaintext);
            assertThat(fixture.proxy.contains(REQUEST)).isFalse();
            assertThat(fixture.proxy.contains(RESPONSE)).isFalse();
            assertThat(fixture.proxy.contains("confidential reason")).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(TransportSecurity.class)
    void requestThroughAPipe_respondIsSecure(TransportSecurity security) throws Exception {
        try (RecordedPeersFixture fixture = new RecordedPeersFixture(security);
                InputPipe in = secure(fixture.alice).open("forecast");
                OutputPipe out = secure(fixture.bob).connect(fixture.proxy.address(), "forecast", SOON)) {
            CompletableFuture<PipeMessage> response = out.requestAsync(text(REQUEST), SOON);
            PipeMessage request = in.receive(SOON).orElseThrow();
            assertThat(request.expectsResponse()).isTrue();
            assertThat(request.message()).isEqualTo(text(REQUEST));

            Eventually.get(request.respond(text(RESPONSE)), "responding");

            assertThat(responseText(response)).isEqualTo(RESPONSE);
            assertThat(fixture.proxy.contains(REQUEST)).isFalse();
            assertThat(fixture.proxy.contains(RESPONSE)).isFalse();
        }
    }

    @Test
    void securityDiffers_requestByName_fails_withAdvice() {
        peers.rendezvous();
        Peer alice = peers.edge("alice");
        Peer bob = peers.edge("bob");
        secure(alice).serve("secure", request -> text("unexpected"));
        Pipes.of(alice).serve("plain", request -> text("unexpected"));

        assertMismatch(Pipes.of(bob), "secure", "make the sender secure");
        assertMismatch(secure(bob), "plain", "make the receiver secure");
    }

    /** Requests until the holder was found within the timeout, which is as long as the test takes. */
    private static void assertMismatch(Pipes pipes, String name, String advice) {
        Eventually.until(() -> "the service was not found", () -> {
            Throwable failure =
                    Eventually.failure(pipes.requestAsync(name, text(REQUEST), Duration.ofMillis(250)), "the request");
            ParleyException known = (ParleyException) ParleyException.unwrap(failure);
            assertThat(known.code()).isIn(ErrorCode.SECURITY_MISMATCH, ErrorCode.UNREACHABLE);
            if (known.code() == ErrorCode.SECURITY_MISMATCH) {
                assertThat(known).hasMessageContainingAll(advice, "Pipes.secure()", "was not executed");
            }
            return known.code() == ErrorCode.SECURITY_MISMATCH;
        });
    }

    @Test
    void holdersOfBothKinds_areNotMixed() {
        peers.rendezvous();
        secure(peers.edge("alice")).serve("calc", request -> text("secure"));
        Pipes.of(peers.edge("carol")).serve("calc", request -> text("plain"));
        Peer bob = peers.edge("bob");

        for (int round = 0; round < 10; round++) {
            List<CompletableFuture<PipeMessage>> toSecure = requestTen(secure(bob));
            List<CompletableFuture<PipeMessage>> toPlain = requestTen(Pipes.of(bob));
            assertThat(toSecure).allMatch(response -> responseText(response).equals("secure"));
            assertThat(toPlain).allMatch(response -> responseText(response).equals("plain"));
        }
    }

    private static List<CompletableFuture<PipeMessage>> requestTen(Pipes pipes) {
        return IntStream.range(0, 10)
                .mapToObj(i -> pipes.requestAsync("calc", text(REQUEST), SOON))
                .toList();
    }

    @Test
    void holderIsGone_nextSecureHolderTakesOver_plainOneDoesNot() {
        peers.rendezvous();
        InputPipe first = secure(peers.edge("alice")).serve("calc", request -> text("alice"));
        Peer bob = peers.edge("bob");
        assertThat(responseText(secure(bob).requestAsync("calc", text(REQUEST), SOON)))
                .isEqualTo("alice");
        Pipes.of(peers.edge("mallory")).serve("calc", request -> text("mallory"));
        first.close();
        CompletableFuture<PipeMessage> next = secure(bob).requestAsync("calc", text(REQUEST), SOON);
        secure(peers.edge("carol")).serve("calc", request -> text("carol"));

        assertThat(responseText(next)).isEqualTo("carol");
    }

    @Test
    void holderServesAgainAsPlain_requestGoesToASecureOne() {
        peers.rendezvous();
        Peer alice = peers.edge("alice");
        InputPipe first = secure(alice).serve("calc", request -> text("alice"));
        Peer bob = peers.edge("bob");
        assertThat(responseText(secure(bob).requestAsync("calc", text(REQUEST), SOON)))
                .isEqualTo("alice");
        first.close();
        Pipes.of(alice).serve("calc", request -> text("plain"));
        secure(peers.edge("carol")).serve("calc", request -> text("carol"));

        assertThat(responseText(secure(bob).requestAsync("calc", text(REQUEST), SOON)))
                .isEqualTo("carol");
    }

    @Test
    void responsesToAnotherInbox_orOfAnotherPeer_completeNothing() throws Exception {
        peers.rendezvous();
        Peer alice = peers.edge("alice");
        Peer bob = peers.edge("bob");
        Peer mallory = peers.edge("mallory");
        BlockingQueue<PipeMessage> requests = new LinkedBlockingQueue<>();
        Pipes.of(alice).serve("control", request -> text("control"));
        secure(alice).listen("forecast", requests::add);
        responseText(Pipes.of(bob).requestAsync("control", text(REQUEST), SOON)); // opens the inbox 0
        CompletableFuture<PipeMessage> response = secure(bob).requestAsync("forecast", text(REQUEST), SOON);
        PipeMessage request = requests.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
        Message forged = RequestFormat.response(text("forged"), 1);
        mallory.endpoint().addPeerAddress(bob.address());

        Eventually.get(alice.endpoint().send(bob.id(), RequestFormat.responseService(0), forged), "the plain inbox");
        Eventually.until(() -> "no response was ignored", () -> count(bob, Counter.RESPONSES_UNSOLICITED) == 1);
        ParleyException refused = (ParleyException) ParleyException.unwrap(Eventually.failure(
                alice.endpoint().send(bob.id(), RequestFormat.responseService(1), forged), "the secure inbox"));
        assertThat(refused.code()).isEqualTo(ErrorCode.SECURITY_MISMATCH);
        try (Messenger messenger =
                PipeSecurity.SECURE.newMessenger(mallory.endpoint(), bob.id(), RequestFormat.responseService(1))) {
            Eventually.get(messenger.send(forged), "the response of another peer");
        }
        Eventually.until(() -> "no response was rejected", () -> count(bob, Counter.RESPONSES_REJECTED) == 1);

        assertThat(response).isNotDone();
        assertThat(request).isNotNull();
        request.respond(text(RESPONSE));
        assertThat(responseText(response)).isEqualTo(RESPONSE);
    }

    @Test
    void groupCloses_secureRequestsFail() {
        peers.rendezvous();
        Peer bob = peers.edge("bob");
        CompletableFuture<PipeMessage> response = secure(bob).requestAsync("forecast", text(REQUEST), SOON);
        bob.closeAsync();
        assertThat(((ParleyException) ParleyException.unwrap(Eventually.failure(response, "the request"))).code())
                .isEqualTo(ErrorCode.CLOSED);
    }
}
