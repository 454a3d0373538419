package io.parley.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.common.Scheduler;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.PeerEndpoint;
import io.parley.identity.Identity;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.PeerAddress;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** An address at which a socket accepts connections and never responds. The timers of the endpoint are in manual time. */
class TcpSilentAddressTest {

    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS.toBuilder()
            .connectTimeout(Duration.ofMinutes(2))
            .handshakeTimeout(Duration.ofMinutes(2))
            .build();

    private static PeerEndpoint start(Identity identity, Scheduler scheduler) {
        EndpointMetrics metrics = new EndpointMetrics();
        TransportContext context =
                new TransportContext(identity, TransportSecurity.TLS, LIMITS.transport(), metrics, Scheduler.system());
        return new PeerEndpoint(
                identity.peerId(),
                List.of(new TcpTransportProvider().create(context)),
                List.of(new BinaryMessageCodec()),
                LIMITS,
                metrics,
                scheduler);
    }

    @Test
    void addressWithoutResponseToTls_doesNotHoldUpTheNextOne_andIsAbandoned() throws Exception {
        ManualScheduler time = new ManualScheduler();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                PeerEndpoint alice = start(Identity.generate(), Scheduler.system());
                PeerEndpoint bob = start(Identity.generate(), time)) {
            Eventually.get(alice.listen(EndpointAddress.parse("tcp://127.0.0.1:0")), "the server");
            EndpointAddress first = new EndpointAddress("tcp", "127.0.0.1", silent.getLocalPort());
            bob.addPeerAddress(new PeerAddress(
                    alice.peerId(), List.of(first, alice.addresses().get(0))));
            CompletableFuture<Void> connecting = bob.connect(alice.peerId());
            try (Socket accepted = silent.accept()) {
                accepted.setSoTimeout(60_000); // which only ends a test that hangs
                InputStream received = accepted.getInputStream();
                assertThat(received.read()).as("the first byte of TLS").isNotNegative();
                Eventually.until(() -> "no timer for the next dial", () -> time.pending() == 1);
                assertThat(connecting).isNotDone();
                time.advance(Duration.ofMillis(250));
                Eventually.get(connecting, "the connection to the second address");
                assertThat(received.readAllBytes())
                        .as("the rest, up to the end")
                        .isNotEmpty();
            }
            assertThat(bob.remoteAddress(alice.peerId()))
                    .contains(alice.addresses().get(0));
        }
    }
}
