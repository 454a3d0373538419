package io.parley.endpoint.internal;

import static io.parley.endpoint.internal.EndpointFixture.SERVICE;
import static io.parley.endpoint.internal.EndpointFixture.count;
import static io.parley.endpoint.internal.EndpointFixture.join;
import static io.parley.endpoint.internal.EndpointFixture.text;
import static io.parley.endpoint.internal.EndpointFixture.until;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslProvider;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ServiceOptions;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.testkit.CapturedLog;
import io.parley.testkit.Eventually;
import io.parley.transport.Connection;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.Transport;
import io.parley.transport.TransportSecurity;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The log of listeners that fail on what remote peers send, as often as those want. */
@Timeout(120)
class ListenerFailureLogTest {

    private static final int MESSAGES = 50;

    private final EndpointFixture fixture = new EndpointFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void messagesOfManyChannels_makeOneLine() {
        PeerEndpoint alice = fixture.start();
        alice.listen(SERVICE, received -> {
            throw new IllegalStateException("on \u001b[2J" + received.from());
        });
        try (CapturedLog log = new CapturedLog()) {
            for (int sender = 1; sender <= 3; sender++) {
                PeerEndpoint bob = fixture.start();
                bob.addPeerAddress(alice.peerAddress());
                PeerMessenger messenger = bob.messenger(alice.peerId(), SERVICE);
                List<CompletableFuture<Void>> sent = new ArrayList<>();
                for (int i = 0; i < MESSAGES; i++) {
                    sent.add(messenger.send(text("x")));
                }
                sent.forEach(EndpointFixture::join);
                int failures = sender * MESSAGES;
                until("the failures", () -> count(alice, Counter.LISTENER_FAILURES) == failures);
            }
            assertThat(log.lines("Listener of service")).hasSize(1);
            assertThat(log.lines("\u001b")).isEmpty();
        }
    }

    @Test
    void channelsThatTheAcceptorFails_makeOneLine() {
        PeerEndpoint alice = fixture.start();
        alice.listenToChannels(SERVICE, ServiceOptions.DEFAULTS, peer -> {
            throw new IllegalStateException("failed");
        });
        try (CapturedLog log = new CapturedLog()) {
            for (int sender = 1; sender <= 3; sender++) {
                PeerEndpoint bob = fixture.start();
                bob.addPeerAddress(alice.peerAddress());
                assertThat(bob.messenger(alice.peerId(), SERVICE).send(text("x")))
                        .failsWithin(Eventually.DEADLINE);
            }
            assertThat(count(alice, Counter.LISTENER_FAILURES)).isEqualTo(3);
            assertThat(log.lines("Acceptor of service")).hasSize(1);
        }
    }

    @Test
    void connectsOfManyPeers_makeOneLine() {
        PeerEndpoint alice = fixture.start();
        alice.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onConnected(PeerId peer) {
                throw new IllegalStateException("failed");
            }
        });
        try (CapturedLog log = new CapturedLog()) {
            for (int peer = 1; peer <= 3; peer++) {
                PeerEndpoint bob = fixture.start();
                bob.addPeerAddress(alice.peerAddress());
                join(bob.connect(alice.peerId()));
                int failures = peer;
                until("the failures", () -> count(alice, Counter.LISTENER_FAILURES) == failures);
            }
            assertThat(log.lines("Connection listener failed")).hasSize(1);
        }
    }

    @Test
    void connectionsThatFailUnexpectedly_makeOneLine() {
        List<Connection> dialed = new CopyOnWriteArrayList<>();
        PeerEndpoint alice = fixture.start();
        PeerEndpoint bob = fixture.startSecure(
                Identity.generate(),
                EndpointLimits.DEFAULTS,
                TransportSecurity.TLS,
                SslProvider.JDK,
                transport -> recordingDials(transport, dialed));
        bob.addPeerAddress(alice.peerAddress());
        try (CapturedLog log = new CapturedLog()) {
            // A connect may dial twice, or give the connection that is about to end: each attempt ends all.
            until("three ends", () -> {
                join(bob.connect(alice.peerId()));
                dialed.forEach(connection -> connection.abort(new IllegalStateException("on \u001b[2J")));
                return count(bob, Counter.CONNECTIONS_CLOSED) >= 3;
            });
            assertThat(log.lines("Lost ")).hasSizeLessThanOrEqualTo(1); // another test may have made it
            assertThat(log.lines("\u001b")).isEmpty();
        }
    }

    private static Transport recordingDials(Transport transport, List<Connection> dialed) {
        return (Transport) Proxy.newProxyInstance(
                Transport.class.getClassLoader(), new Class<?>[] {Transport.class}, (proxy, method, arguments) -> {
                    Object result = method.invoke(transport, arguments);
                    return method.getName().equals("dial")
                            ? ((CompletableFuture<?>) result).thenApply(connection -> {
                                dialed.add((Connection) connection);
                                return connection;
                            })
                            : result;
                });
    }
}
