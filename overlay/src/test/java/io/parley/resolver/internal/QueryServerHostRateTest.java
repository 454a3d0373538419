package io.parley.resolver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rate of the queries of one host, whose peers cost nothing. Time stands still unless the test advances it. */
class QueryServerHostRateTest {

    private static final int RATE = 5;
    private static final int PROPAGATED_RATE = 3;

    /** A full bucket has the tokens of two seconds. */
    private static final int BURST_SECONDS = 2;

    private static final int PEERS_OF_A_HOST = 4;
    private static final String ATTACKING_HOST = "192.0.2.1";

    private final ManualScheduler scheduler = new ManualScheduler();
    private final ResolverMetrics metrics = new ResolverMetrics();
    private final PeerId self = Identity.generate().peerId();
    private final Map<PeerId, String> hosts = new HashMap<>();
    private final List<ResolverMessage> sent = new ArrayList<>();
    private final AtomicLong ids = new AtomicLong();

    private final Endpoint endpoint = (Endpoint) Proxy.newProxyInstance(
            Endpoint.class.getClassLoader(),
            new Class<?>[] {Endpoint.class},
            (proxy, method, arguments) -> switch (method.getName()) {
                case "peerId" -> self;
                case "limits" -> EndpointLimits.DEFAULTS;
                case "remoteAddress" ->
                    Optional.ofNullable(hosts.get((PeerId) arguments[0]))
                            .map(host -> new EndpointAddress("tcp", host, 9701));
                case "send" -> {
                    sent.add(ResolverMessageFormat.read((Message) arguments[2]));
                    yield CompletableFuture.completedFuture(null);
                }
                default -> throw new UnsupportedOperationException(method.getName());
            });
    private final QueryServer server = new QueryServer(
            endpoint,
            new ResolverMessageSender(endpoint, ServiceAddress.of("resolver")),
            Runnable::run,
            ResolverLimits.DEFAULTS.toBuilder()
                    .queriesPerSecond(RATE)
                    .propagatedQueriesPerSecond(PROPAGATED_RATE)
                    .build(),
            metrics,
            scheduler);

    @BeforeEach
    void registerHandler() {
        server.registerHandler("forecast", query -> CompletableFuture.completedFuture(Optional.empty()));
    }

    private PeerId peerAt(String host) {
        PeerId peer = Identity.generate().peerId();
        hosts.put(peer, host);
        return peer;
    }

    private ResolverMessage.QueryMessage query(boolean propagated) {
        return new ResolverMessage.QueryMessage(
                propagated, ids.incrementAndGet(), "forecast", 0, Duration.ofMinutes(1), Message.EMPTY);
    }

    /** Sends queries of one peer. Returns the number that a handler got. */
    private long send(PeerId from, int count) {
        long before = metrics.get(Counter.QUERIES_HANDLED);
        for (int i = 0; i < count; i++) {
            server.onQuery(from, query(false), 100);
        }
        return metrics.get(Counter.QUERIES_HANDLED) - before;
    }

    private long propagate(PeerId from, int count) {
        long before = metrics.get(Counter.QUERIES_HANDLED);
        for (int i = 0; i < count; i++) {
            server.onPropagated(new PeerAddress(from, List.of()), query(true), 100);
        }
        return metrics.get(Counter.QUERIES_HANDLED) - before;
    }

    private String lastError() {
        ResolverMessage.ErrorMessage error = (ResolverMessage.ErrorMessage) sent.get(sent.size() - 1);
        assertThat(error.status().code()).isEqualTo(ErrorCode.BUSY);
        return error.status().text();
    }

    @Test
    void hostWithManyPeers_hasTheRateOfFour_andDoesNotReduceTheRateOfOtherHosts() {
        long served = 0;
        for (int peer = 0; peer < 100; peer++) {
            served += send(peerAt(ATTACKING_HOST), RATE);
        }
        assertThat(served).isEqualTo(BURST_SECONDS * RATE * PEERS_OF_A_HOST);
        assertThat(lastError())
                .isEqualTo("queries of one host: rate exceeded (expected: <= 20 per second, 4 times queriesPerSecond;"
                        + " <= 50 of all hosts)");
        assertThat(metrics.get(Counter.HOST_QUERIES_THROTTLED)).isEqualTo(500 - served);
        assertThat(metrics.get(Counter.QUERIES_THROTTLED)).isEqualTo(500 - served);

        PeerId alice = peerAt("198.51.100.1");
        assertThat(send(alice, BURST_SECONDS * RATE)).isEqualTo(BURST_SECONDS * RATE);
    }

    @Test
    void peerAboveItsRate_doesNotReduceTheRateOfItsHost() {
        PeerId mallory = peerAt(ATTACKING_HOST);
        assertThat(send(mallory, 1000)).isEqualTo(BURST_SECONDS * RATE);
        assertThat(lastError())
                .isEqualTo("queries of one peer: rate exceeded (expected: <= 5 per second, queriesPerSecond)");
        assertThat(metrics.get(Counter.HOST_QUERIES_THROTTLED)).isZero();
        assertThat(send(peerAt(ATTACKING_HOST), BURST_SECONDS * RATE)).isEqualTo(BURST_SECONDS * RATE);
    }

    @Test
    void hostAboveItsRate_isServedAgain_whenTimePasses() {
        List<PeerId> peers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            peers.add(peerAt(ATTACKING_HOST));
            send(peers.get(i), BURST_SECONDS * RATE);
        }
        assertThat(send(peerAt(ATTACKING_HOST), 1)).isZero();
        scheduler.advance(Duration.ofSeconds(1));
        long served = peers.stream().mapToLong(peer -> send(peer, RATE)).sum();
        assertThat(served).isEqualTo((long) RATE * PEERS_OF_A_HOST);
    }

    @Test
    void allHosts_haveTheRateOfTenPeers() {
        long served = 0;
        for (int host = 0; host < 20; host++) {
            served += send(peerAt("203.0.113." + host), BURST_SECONDS * RATE);
        }
        assertThat(served).isEqualTo(BURST_SECONDS * RATE * 10);
    }

    @Test
    void peersWithoutAConnection_areOneHost_forPropagatedQueries() {
        long served = 0;
        for (int peer = 0; peer < 100; peer++) {
            served += propagate(Identity.generate().peerId(), PROPAGATED_RATE);
        }
        assertThat(served).isEqualTo(BURST_SECONDS * PROPAGATED_RATE * PEERS_OF_A_HOST);
        assertThat(metrics.get(Counter.HOST_QUERIES_THROTTLED)).isEqualTo(100 * PROPAGATED_RATE - served);
        assertThat(propagate(peerAt("198.51.100.1"), PROPAGATED_RATE)).isEqualTo(PROPAGATED_RATE);
    }
}
