package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.codec.MessageLimits;
import io.parley.endpoint.Limits;
import io.parley.message.Message;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A message of 256 MiB, which takes about a gigabyte of heap on the two sides together. */
@Tag("slow")
class LargeMessageTest {

    private static final int SIZE = 256 * 1024 * 1024;
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Limits LARGE = Limits.DEFAULTS
            .withMessages(MessageLimits.DEFAULTS.withMaxElementBytes(SIZE).withMaxMessageBytes(SIZE + 1024L))
            .withPeerMemoryBytes(2L * SIZE)
            .withTotalMemoryBytes(2L * SIZE);

    @Test
    void quarterOfAGigabyte_passes_whereBothSidesAllowIt() throws Exception {
        try (Peer alice = Peer.loopback().limits(LARGE).start();
                Peer bob = Peer.loopback().limits(LARGE).start();
                InputPipe in = Pipes.of(alice).open("large");
                OutputPipe out = Pipes.of(bob).connect(alice.address(), "large", SOON)) {
            byte[] payload = new byte[SIZE];
            for (int i = 0; i < SIZE; i += 4096) {
                payload[i] = (byte) (i >> 12);
            }
            CompletableFuture<Void> sent = out.send(Message.of("data", payload), SOON);
            PipeMessage received = in.receive(SOON).orElseThrow();
            assertThat(sent).succeedsWithin(SOON);
            assertThat(received.message().bytes("data").orElseThrow()).isEqualTo(payload);
        }
    }
}
