package io.parley.pipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.InvalidCallException;
import io.parley.message.Message;
import io.parley.message.MessageElement;
import io.parley.transport.EndpointMetrics.Counter;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One message that is larger than the default limit, from a file, over TCP and TLS. {@code .ci/campaign-cuts} sends one of 256 MiB. */
class LargeMessageTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int MIB = 1024 * 1024;
    private static final int BYTES =
            Math.toIntExact(EndpointLimits.DEFAULTS.messages().maxMessageBytes()) + 8 * MIB;

    @TempDir
    private Path directory;

    private static PeerBuilder peer() {
        return Peer.loopback();
    }

    @Test
    void send_ifBothPeersAllowIt_arrivesIntact() throws Exception {
        assertArrivesIntact(BYTES);
    }

    @Tag("slow")
    @Test
    void send_256MiB_ifBothPeersAllowIt_arrivesIntact() throws Exception {
        assertArrivesIntact(256 * MIB);
    }

    private void assertArrivesIntact(int bytes) throws Exception {
        EndpointLimits large = EndpointLimits.DEFAULTS.toBuilder()
                .maxMessageBytes(bytes + 1000)
                .build();
        long sent = writeFile(bytes);
        try (Peer alice = peer().limits(large).start();
                Peer bob = peer().limits(large).start();
                InputPipe in = Pipes.of(alice).open("large");
                OutputPipe out = Pipes.of(bob).connect(alice.address(), "large", SOON)) {
            CompletableFuture<Void> sending = out.send(Message.of(MessageElement.ofFile("file", file())));
            PipeMessage received = in.receive(SOON).orElseThrow();
            assertThat(sending).succeedsWithin(SOON);
            CRC32C checksum = new CRC32C();
            checksum.update(received.message().element("file").orElseThrow().asByteBuffer());
            assertThat(checksum.getValue()).isEqualTo(sent);
        }
    }

    @Test
    void send_withTheDefaultLimit_failsNamingIt_andThePipeContinues() throws Exception {
        writeFile(BYTES);
        try (Peer alice = peer().start();
                Peer bob = peer().start();
                InputPipe in = Pipes.of(alice).open("large");
                OutputPipe out = Pipes.of(bob).connect(alice.address(), "large", SOON)) {
            assertThat(out.send(Message.of(MessageElement.ofFile("file", file()))))
                    .failsWithin(SOON)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(
                            InvalidCallException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.MESSAGE_TOO_LARGE))
                    .withMessageContaining(
                            Long.toString(EndpointLimits.DEFAULTS.messages().maxMessageBytes()));
            assertThat(out.send(Message.of("text", "still here"))).succeedsWithin(SOON);
            assertThat(in.receive(SOON).orElseThrow().text("text")).contains("still here");
            assertThat(bob.endpoint().metrics().get(Counter.CONNECTIONS_OPENED)).isEqualTo(1);
        }
    }

    private Path file() {
        return directory.resolve("large");
    }

    /** Writes chunks that differ in their first bytes. Returns the checksum of the file. */
    private long writeFile(int bytes) throws Exception {
        CRC32C checksum = new CRC32C();
        byte[] chunk = new byte[MIB];
        new Random(256).nextBytes(chunk);
        try (OutputStream out = Files.newOutputStream(file())) {
            for (int written = 0; written < bytes; written += chunk.length) {
                ByteBuffer.wrap(chunk).putInt(written);
                checksum.update(chunk);
                out.write(chunk);
            }
        }
        return checksum.getValue();
    }
}
