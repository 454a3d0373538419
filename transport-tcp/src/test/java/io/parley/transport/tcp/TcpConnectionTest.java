package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.transport.ConnectionAcceptor;
import io.parley.testkit.transport.RecordingListener;
import io.parley.testkit.transport.TestTransports;
import io.parley.transport.EndpointAddress;
import io.parley.transport.TransportSecurity;
import io.parley.transport.TransportServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TcpConnectionTest {

    /** The kernel may take a little longer to deliver what was written, so a frame may miss a poll. */
    private static final int ATTEMPTS = 20;

    private static final EndpointAddress ANY = EndpointAddress.parse("tcp://127.0.0.1:0");

    private static void writeFrame(Socket socket) {
        try {
            socket.getOutputStream().write(new byte[] {0, 0, 0, 1, 'a'});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void runAfterPoll_runsTheTask_afterTheFramesThatHaveArrived() throws Exception {
        try (TestTransports transports = new TestTransports(new TcpTransportProvider(), TransportSecurity.PLAINTEXT)) {
            ConnectionAcceptor acceptor = new ConnectionAcceptor();
            TransportServer server = transports.listen(transports.open(Identity.generate()), ANY, acceptor);
            try (Socket socket =
                    new Socket(server.address().host(), server.address().port())) {
                RecordingListener accepted = acceptor.next();
                int frames = 0;
                for (int attempt = 0; attempt < ATTEMPTS && frames != 2; attempt++) {
                    frames = framesUntilTheTask(socket, accepted);
                }
                assertThat(frames).isEqualTo(2);
            }
        }
    }

    /** Writes a frame, and at the end of its read another one. Returns how many have arrived when the task runs. */
    private static int framesUntilTheTask(Socket socket, RecordingListener accepted) {
        int before = accepted.frameCount();
        CompletableFuture<Integer> frames = new CompletableFuture<>();
        accepted.onReadComplete(() -> {
            accepted.onReadComplete(() -> {});
            writeFrame(socket);
            accepted.connection().runAfterPoll(() -> frames.complete(accepted.frameCount() - before));
        });
        writeFrame(socket);
        int count = Eventually.get(frames, "the task");
        Eventually.until(() -> "a frame is missing", () -> accepted.frameCount() == before + 2);
        return count;
    }
}
