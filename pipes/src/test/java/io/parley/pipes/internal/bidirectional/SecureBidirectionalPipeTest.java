package io.parley.pipes.internal.bidirectional;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipes;
import io.parley.pipes.PipeAcceptor;
import io.parley.pipes.Pipes;
import io.parley.pipes.RecordedPeersFixture;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.testkit.Eventually;
import io.parley.transport.TransportSecurity;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bidirectional pipes that are secure in both directions, or do not connect. */
@Timeout(180)
class SecureBidirectionalPipeTest {

    private static final Duration SOON = Eventually.DEADLINE;

    private final BlockingQueue<BidirectionalPipe> accepted = new LinkedBlockingQueue<>();

    private static Message text(String text) {
        return Message.of("text", text);
    }

    private static BidirectionalPipes secure(Peer peer) {
        return Pipes.of(peer).secure().bidirectional();
    }

    private BidirectionalPipe accepted() throws InterruptedException {
        BidirectionalPipe pipe = accepted.poll(SOON.toMillis(), TimeUnit.MILLISECONDS);
        assertThat(pipe).as("accepted pipe").isNotNull();
        return pipe;
    }

    private static void assertReceives(BidirectionalPipe pipe, String text) throws InterruptedException {
        assertThat(pipe.receive(SOON).orElseThrow().text("text")).contains(text);
    }

    private static ErrorCode failureCode(CompletableFuture<?> future) {
        return ((ParleyException) ParleyException.unwrap(Eventually.failure(future, "connecting"))).code();
    }

    @ParameterizedTest
    @EnumSource(TransportSecurity.class)
    void bothDirections_overTcp_arrive_andNothingIsReadable(TransportSecurity security) throws Exception {
        try (RecordedPeersFixture fixture = new RecordedPeersFixture(security);
                PipeAcceptor acceptor = secure(fixture.alice)
                        .withHello(text("greeting of the acceptor"))
                        .accept("oracle", request -> accepted.add(request.accept()))) {
            BidirectionalPipe near =
                    secure(fixture.bob).withHello(text("greeting of the guest")).connect("oracle", SOON);
            BidirectionalPipe far = accepted();
            near.send(text("first request"), SOON);
            far.send(text("first response"), SOON);

            assertReceives(far, "first request");
            assertReceives(near, "first response");
            assertThat(far.hello().text("text")).contains("greeting of the guest");
            assertThat(near.hello().text("text")).contains("greeting of the acceptor");
            Eventually.get(near.closeOutput(), "the end of a direction");
            assertThat(far.receive(SOON)).isEmpty();
            far.fail(ErrorCode.BUSY.exception("confidential reason"));
            ParleyException reason = (ParleyException)
                    ParleyException.unwrap(Eventually.failure(near.receiveAsync(), "the other direction"));
            assertThat(reason).hasMessageContaining("confidential reason");

            for (String text : new String[] {
                "first request",
                "first response",
                "greeting of the guest",
                "greeting of the acceptor",
                "confidential reason",
                acceptor.id().text()
            }) {
                assertThat(fixture.proxy.contains(text)).as(text).isFalse();
            }
            near.close();
            far.close();
        }
    }

    @Test
    void refusal_isNotReadable() throws Exception {
        try (RecordedPeersFixture fixture = new RecordedPeersFixture(TransportSecurity.PLAINTEXT);
                PipeAcceptor acceptor = secure(fixture.alice)
                        .accept("oracle", request -> request.refuse(ErrorCode.BUSY.exception("confidential reason")))) {
            assertThat(failureCode(secure(fixture.bob).connectAsync("oracle", SOON)))
                    .as("connecting to %s", acceptor)
                    .isEqualTo(ErrorCode.BUSY);
            assertThat(fixture.proxy.contains("confidential reason")).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(TransportSecurity.class)
    void securityDiffers_connectFails(TransportSecurity security) throws Exception {
        try (RecordedPeersFixture fixture = new RecordedPeersFixture(security);
                PipeAcceptor secure =
                        secure(fixture.alice).accept("secure", request -> accepted.add(request.accept()));
                PipeAcceptor plain = Pipes.of(fixture.alice)
                        .bidirectional()
                        .accept("plain", request -> accepted.add(request.accept()))) {
            Peer bob = fixture.bob;
            assertThat(failureCode(Pipes.of(bob).bidirectional().connectAsync(fixture.alice.id(), secure.id(), SOON)))
                    .isEqualTo(ErrorCode.SECURITY_MISMATCH);
            assertThat(failureCode(secure(bob).connectAsync(fixture.alice.id(), plain.id(), SOON)))
                    .isEqualTo(ErrorCode.SECURITY_MISMATCH);
            Eventually.until(() -> "the acceptor was not found", () -> {
                ErrorCode code =
                        failureCode(Pipes.of(bob).bidirectional().connectAsync("secure", Duration.ofMillis(250)));
                assertThat(code).isIn(ErrorCode.SECURITY_MISMATCH, ErrorCode.UNREACHABLE);
                return code == ErrorCode.SECURITY_MISMATCH;
            });
            assertThat(accepted).isEmpty();
        }
    }

    @Test
    void plainChannelOfThePeer_intoAnEnd_isRefused() throws Exception {
        try (RecordedPeersFixture fixture = new RecordedPeersFixture(TransportSecurity.PLAINTEXT);
                PipeAcceptor acceptor = secure(fixture.alice).accept("oracle", request -> {})) {
            MessengerBidirectionalPipe end = new MessengerBidirectionalPipe(
                    fixture.alice.netGroup(),
                    fixture.bob.id(),
                    PipeOptions.DEFAULTS.withSecurity(PipeSecurity.SECURE),
                    null,
                    null);
            try (Messenger messenger =
                    fixture.bob.endpoint().messenger(fixture.alice.id(), PipeProtocol.endService(end.end()))) {
                assertThat(failureCode(messenger.send(text("forged"))))
                        .as("an end beside %s", acceptor)
                        .isEqualTo(ErrorCode.SECURITY_MISMATCH);
            }
            end.abort();
        }
    }
}
