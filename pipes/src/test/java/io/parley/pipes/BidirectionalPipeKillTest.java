package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.testkit.ConfirmationProcess;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The process at the other end of a bidirectional pipe is killed, over TCP with TLS. */
@Timeout(120)
@Tag("extended")
class BidirectionalPipeKillTest {

    private static final Duration SOON = Eventually.DEADLINE;

    @Test
    void killedPeer_receiveAndSendFail_withoutAMessageOfThisPeer() throws Exception {
        EndpointLimits limits = EndpointLimits.DEFAULTS.toBuilder()
                .reconnectTimeout(Duration.ofMillis(500))
                .build();
        BlockingQueue<BidirectionalPipe> accepted = new LinkedBlockingQueue<>();
        try (Peer peer = Peer.loopback().limits(limits).start();
                PipeAcceptor acceptor = BidirectionalPipes.of(peer)
                        .accept(PipeId.random(GroupId.NET), request -> accepted.add(request.accept()));
                ConfirmationProcess child = BidirectionalPipeProcess.start(acceptor.ticket())) {
            BidirectionalPipe pipe = accepted.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(pipe).isNotNull();
            pipe.send(Message.of("text", "1"), SOON);
            assertThat(pipe.receive(SOON).orElseThrow().text("text")).contains("1");
            CompletableFuture<Optional<Message>> waiting = pipe.receiveAsync();
            child.close();
            assertDisconnected(Eventually.failure(waiting, "the loss of the killed process"));
            assertDisconnected(Eventually.failure(pipe.send(Message.of("text", "2")), "the failure of a send"));
            Eventually.get(pipe.whenClosed(), "the close");
        }
    }

    private static void assertDisconnected(Throwable failure) {
        assertThat(((ParleyException) ParleyException.unwrap(failure)).code()).isEqualTo(ErrorCode.DISCONNECTED);
    }
}
