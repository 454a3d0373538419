package io.parley.resolver.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.common.Scheduler;
import io.parley.endpoint.EndpointLimits;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.message.Message;
import io.parley.resolver.ResolverLimits;
import io.parley.resolver.internal.ResolverMetrics.Counter;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.transport.BreakableTransportProvider;
import io.parley.transport.PropagationTransport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** An in-memory network with peers that query each other. Tests advance the time of the resolvers. Closes all peers. */
final class ResolverFixture implements AutoCloseable {

    static final GroupId GROUP = GroupId.ofName("weather");
    static final String NAME = "forecast";

    /** A timeout that never expires, because only tests advance the clock. */
    static final Duration LONG = Duration.ofHours(1);

    /** The default limits except for handshakes, whose time passes on a busy machine, too. */
    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS.toBuilder()
            .handshakeTimeout(Eventually.DEADLINE)
            .build();

    final InMemoryNetwork network = new InMemoryNetwork(2);
    final BreakableTransportProvider transports = new BreakableTransportProvider(network.transportProvider());
    final ManualScheduler scheduler = new ManualScheduler();
    private final List<Peer> peers = new ArrayList<>();
    private final List<MulticastPropagator> propagators = new ArrayList<>();
    private final List<GroupResolver> resolvers = new ArrayList<>();

    /** A peer with its resolver and its multicast propagator. */
    record TestPeer(Peer peer, GroupResolver resolver, MulticastPropagator multicast) {

        long count(Counter counter) {
            return resolver.metrics().get(counter);
        }

        void awaitCount(Counter counter, long expected) {
            Eventually.until(
                    () -> peer + ": " + counter + " is " + count(counter) + ", not " + expected,
                    () -> count(counter) == expected);
        }

        CompletableFuture<Message> query(TestPeer other, String text) {
            return resolver.query(other.peer().id(), NAME, Message.of("text", text), LONG);
        }
    }

    TestPeer start() {
        return start(ResolverLimits.DEFAULTS);
    }

    TestPeer start(ResolverLimits limits) {
        return start(limits, LIMITS);
    }

    TestPeer start(ResolverLimits limits, EndpointLimits endpointLimits) {
        TestPeer testPeer = startUnknown(limits, endpointLimits);
        peers.forEach(other -> {
            other.endpoint().addPeerAddress(testPeer.peer().address());
            testPeer.peer().endpoint().addPeerAddress(other.address());
        });
        return testPeer;
    }

    /** Starts a peer without exchanging addresses with the existing peers. */
    TestPeer startUnknown(ResolverLimits limits) {
        return startUnknown(limits, LIMITS);
    }

    private TestPeer startUnknown(ResolverLimits limits, EndpointLimits endpointLimits) {
        Peer peer = Peer.builder()
                .transport(transports)
                .limits(endpointLimits)
                .listen("mem://any")
                .start();
        peers.add(peer);
        return testPeer(peer, GROUP, limits, multicast(peer));
    }

    /** Opens a resolver of another group at the same peer. */
    TestPeer inGroup(TestPeer testPeer, GroupId group) {
        return testPeer(testPeer.peer(), group, ResolverLimits.DEFAULTS, testPeer.multicast());
    }

    private TestPeer testPeer(Peer peer, GroupId group, ResolverLimits limits, MulticastPropagator multicast) {
        GroupResolver resolver = GroupResolver.open(
                peer.endpoint(), group, peer.callbackExecutor(), limits, new ResolverMetrics(), scheduler);
        resolvers.add(resolver);
        resolver.addPropagator(multicast);
        return new TestPeer(peer, resolver, multicast);
    }

    private MulticastPropagator multicast(Peer peer) {
        MulticastPropagator propagator = Eventually.get(
                MulticastPropagator.start(peer.endpoint(), propagation(peer)), "start of the propagator");
        propagators.add(propagator);
        return propagator;
    }

    /** Returns a new multicast transport of a peer. */
    PropagationTransport propagation(Peer peer) {
        return network.propagationProvider()
                .create(new TransportContext(
                        peer.identity(),
                        TransportSecurity.TLS,
                        peer.endpoint().limits().transport(),
                        peer.endpoint().metrics(),
                        Scheduler.system()));
    }

    /** Returns a handler that responds with the text of the query after a prefix. */
    static QueryHandler echo(String prefix) {
        return query -> CompletableFuture.completedFuture(Optional.of(
                Message.of("text", prefix + query.body().text("text").orElseThrow())));
    }

    static String text(CompletableFuture<Message> response) {
        return Eventually.get(response, "response").text("text").orElseThrow();
    }

    static void assertFails(CompletableFuture<?> future, ErrorCode code, String... parts) {
        Throwable failure = Eventually.failure(future, "failure of the query");
        assertThat(failure).isInstanceOf(ParleyException.class);
        assertThat(((ParleyException) failure).code()).as("%s", failure).isEqualTo(code);
        for (String part : parts) {
            assertThat(failure).hasMessageContaining(part);
        }
    }

    /** Closes all, and checks that no query and no timer remains. */
    @Override
    public void close() {
        resolvers.forEach(GroupResolver::close);
        propagators.forEach(MulticastPropagator::close);
        peers.forEach(Peer::closeAsync);
        peers.forEach(peer -> Eventually.get(peer.whenClosed(), "close of " + peer));
        for (GroupResolver resolver : resolvers) {
            Eventually.until(
                    () -> resolver + " has pending queries: " + resolver.pendingQueries(),
                    () -> resolver.pendingQueries() == 0);
            Eventually.until(
                    () -> resolver + " has unsent responses to " + resolver.pendingPeers() + " peers",
                    () -> resolver.pendingPeers() == 0);
        }
        Eventually.until(() -> "pending timers: " + scheduler.pending(), () -> scheduler.pending() == 0);
    }
}
