package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.message.Message;
import io.parley.testkit.ConfirmationProcess;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The process of the receiver is killed with SIGKILL while it receives. */
@Tag("extended")
class PipeKillTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    /** The lost peer is dialed for this time. */
    private static final Duration RECONNECT_TIMEOUT = Duration.ofMillis(500);

    private static final int ACKNOWLEDGED = 200;
    private static final int MESSAGE_BYTES = 4_000;

    /**
     * Messages that may have arrived fail with LOST, those that were not sent with UNREACHABLE, all of them after the reconnect
     * timeout.
     */
    @Test
    void killedReceiver_eachUnacknowledgedFutureFails_noneHangs_noneLies() throws Exception {
        EndpointLimits limits = EndpointLimits.DEFAULTS.toBuilder()
                .handshakeTimeout(SOON)
                .reconnectTimeout(RECONNECT_TIMEOUT)
                .build();
        List<CompletableFuture<Void>> sends = new ArrayList<>();
        AtomicInteger confirmed = new AtomicInteger();
        CompletableFuture<Throwable> firstFailure = new CompletableFuture<>();
        int received;
        try (Peer peer = Peer.loopback().limits(limits).start();
                InputPipe tickets = Pipes.of(peer).open("tickets");
                ConfirmationProcess receiver = PipeReceiverProcess.start(peer.address())) {
            String ticket = tickets.receive(SOON).orElseThrow().text("ticket").orElseThrow();
            OutputPipe pipe = Pipes.of(peer).connect(PipeTicket.parse(ticket), SOON);
            Message message =
                    Message.builder().add("content", new byte[MESSAGE_BYTES]).build();
            boolean killed = false;
            while (!firstFailure.isDone()) {
                Eventually.get(pipe.whenWritable(), "room in the queue");
                CompletableFuture<Void> sent = pipe.send(message);
                if (sent.isCompletedExceptionally() && code(sent) == ErrorCode.QUEUE_FULL) {
                    continue; // the messages of the lost link have returned to the queue
                }
                sent.thenRun(confirmed::incrementAndGet);
                sent.exceptionally(failure -> {
                    firstFailure.complete(failure);
                    return null;
                });
                sends.add(sent);
                if (confirmed.get() >= ACKNOWLEDGED && !killed) {
                    receiver.close();
                    killed = true;
                }
            }
            received = receiver.confirmed();
            Eventually.until(
                    () -> sends.stream().filter(sent -> !sent.isDone()).count() + " futures hang",
                    () -> sends.stream().allMatch(CompletableFuture::isDone));
        }
        int succeeded = Math.toIntExact(
                sends.stream().filter(sent -> !sent.isCompletedExceptionally()).count());
        assertThat(succeeded).as("messages that were acknowledged").isBetween(ACKNOWLEDGED, received);
        assertThat(sends.subList(0, succeeded)).noneMatch(CompletableFuture::isCompletedExceptionally);
        List<ErrorCode> failures =
                sends.stream().skip(succeeded).map(PipeKillTest::code).toList();
        assertThat(failures).as("failures").containsOnly(ErrorCode.LOST, ErrorCode.UNREACHABLE);
        assertThat(failures)
                .as("messages that were sent, and behind them those that were not")
                .isSortedAccordingTo(Comparator.comparing(code -> code != ErrorCode.LOST));
    }

    private static ErrorCode code(CompletableFuture<Void> failed) {
        return failed.handle((done, failure) -> ((ParleyException) failure).code())
                .join();
    }
}
