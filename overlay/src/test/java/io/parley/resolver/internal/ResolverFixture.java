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

/** A network in memory with peers that ask each other; all ends with it. Their time-outs come when the test says so. */
final class ResolverFixture implements AutoCloseable {

    static final GroupId GROUP = GroupId.ofName("weather");
    static final String NAME = "forecast";

    /** Long enough never to pass, as nobody moves the clock by itself. */
    static final Duration LONG = Duration.ofHours(1);

    final InMemoryNetwork network = new InMemoryNetwork(2);
    final BreakableTransportProvider transports = new BreakableTransportProvider(network.transportProvider());
    final ManualScheduler scheduler = new ManualScheduler();
    private final List<Peer> peers = new ArrayList<>();
    private final List<MulticastPropagator> propagators = new ArrayList<>();
    private final List<GroupResolver> resolvers = new ArrayList<>();

    /** A peer, its resolver and its way to propagate. */
    record Node(Peer peer, GroupResolver resolver, MulticastPropagator nearby) {

        long count(Counter counter) {
            return resolver.metrics().get(counter);
        }

        void awaitCount(Counter counter, long expected) {
            Eventually.until(
                    () -> peer + ": " + counter + " is " + count(counter) + ", not " + expected,
                    () -> count(counter) == expected);
        }

        CompletableFuture<Message> ask(Node other, String text) {
            return resolver.query(other.peer().id(), NAME, Message.of("text", text), LONG);
        }
    }

    Node start() {
        return start(ResolverLimits.DEFAULTS);
    }

    Node start(ResolverLimits limits) {
        return start(limits, EndpointLimits.DEFAULTS);
    }

    Node start(ResolverLimits limits, EndpointLimits endpointLimits) {
        Node node = startStranger(limits, endpointLimits);
        peers.forEach(other -> {
            other.endpoint().addPeerAddress(node.peer().address());
            node.peer().endpoint().addPeerAddress(other.address());
        });
        return node;
    }

    /** A peer that knows no other's address, and whose address no other knows that was there before. */
    Node startStranger(ResolverLimits limits) {
        return startStranger(limits, EndpointLimits.DEFAULTS);
    }

    private Node startStranger(ResolverLimits limits, EndpointLimits endpointLimits) {
        Peer peer = Peer.builder()
                .transport(transports)
                .limits(endpointLimits)
                .listen("mem://any")
                .start();
        peers.add(peer);
        return node(peer, GROUP, limits, nearby(peer));
    }

    /** A resolver of another group at the same peer. */
    Node inGroup(Node node, GroupId group) {
        return node(node.peer(), group, ResolverLimits.DEFAULTS, node.nearby());
    }

    private Node node(Peer peer, GroupId group, ResolverLimits limits, MulticastPropagator nearby) {
        GroupResolver resolver = GroupResolver.open(peer.endpoint(), group, peer.callbackExecutor(), limits, new ResolverMetrics(), scheduler);
        resolvers.add(resolver);
        resolver.addPropagator(nearby);
        return new Node(peer, resolver, nearby);
    }

    private MulticastPropagator nearby(Peer peer) {
        MulticastPropagator propagator =
                Eventually.get(MulticastPropagator.start(peer.endpoint(), propagation(peer)), "starting to propagate");
        propagators.add(propagator);
        return propagator;
    }

    /** A bare transport of that peer. */
    PropagationTransport propagation(Peer peer) {
        return network.propagationProvider()
                .create(new TransportContext(
                        peer.identity(),
                        TransportSecurity.TLS,
                        peer.endpoint().limits().transport(),
                        peer.endpoint().metrics(),
                        Scheduler.system()));
    }

    /** Says the same text again, behind a word of its own. */
    static QueryHandler echo(String word) {
        return query -> CompletableFuture.completedFuture(
                Optional.of(Message.of("text", word + query.body().text("text").orElseThrow())));
    }

    static String text(CompletableFuture<Message> answer) {
        return Eventually.get(answer, "an answer").text("text").orElseThrow();
    }

    static void assertFails(CompletableFuture<?> future, ErrorCode code, String... parts) {
        Throwable failure = Eventually.failure(future, "the question");
        assertThat(failure).isInstanceOf(ParleyException.class);
        assertThat(((ParleyException) failure).code()).as("%s", failure).isEqualTo(code);
        for (String part : parts) {
            assertThat(failure).hasMessageContaining(part);
        }
    }

    /** Closes all; nothing may be left to do then, and no time-out to come. */
    @Override
    public void close() {
        resolvers.forEach(GroupResolver::close);
        propagators.forEach(MulticastPropagator::close);
        peers.forEach(Peer::closeAsync);
        peers.forEach(peer -> Eventually.get(peer.whenClosed(), "the end of " + peer));
        for (GroupResolver resolver : resolvers) {
            Eventually.until(
                    () -> resolver + " is still busy with " + resolver.busyWith(), () -> resolver.busyWith() == 0);
        }
        Eventually.until(() -> scheduler.pending() + " timers are left", () -> scheduler.pending() == 0);
    }
}
