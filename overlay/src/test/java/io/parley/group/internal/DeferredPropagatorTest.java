package io.parley.group.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.common.Scheduler;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.message.Message;
import io.parley.resolver.internal.GroupResolver;
import io.parley.resolver.internal.MulticastPropagator;
import io.parley.resolver.internal.PropagateOptions;
import io.parley.resolver.internal.PropagatedQuery;
import io.parley.resolver.internal.Propagator;
import io.parley.resolver.internal.ResolverBuilder;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeferredPropagatorTest {

    private static final GroupId GROUP = GroupId.ofName("weather");
    private static final Message QUERY = Message.of("text", "rain?");
    private static final PropagateOptions OPTIONS = new PropagateOptions(Duration.ofHours(1), 1);

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final CompletableFuture<Optional<Propagator>> opening = new CompletableFuture<>();
    private final Peer alice = peer();
    private final GroupResolver resolver = resolver(alice);

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    private Peer peer() {
        Peer peer = Peer.builder()
                .transport(network.transportProvider())
                .listen("mem://any")
                .multicast(false)
                .start();
        open.push(peer);
        return peer;
    }

    private GroupResolver resolver(Peer peer) {
        GroupResolver opened = new ResolverBuilder(peer.endpoint(), GROUP, peer.callbackExecutor()).open();
        open.push(opened);
        return opened;
    }

    private MulticastPropagator multicast(Peer peer) {
        TransportContext context = new TransportContext(
                peer.identity(),
                TransportSecurity.TLS,
                peer.endpoint().limits().transport(),
                peer.endpoint().metrics(),
                Scheduler.system());
        MulticastPropagator started = Eventually.get(
                MulticastPropagator.start(
                        peer.endpoint(), network.propagationProvider().create(context)),
                "the start of the propagator");
        open.push(started);
        return started;
    }

    private GroupResolver otherPeer() {
        Peer bob = peer();
        GroupResolver ofBob = resolver(bob);
        ofBob.addPropagator(multicast(bob));
        return ofBob;
    }

    @Test
    void query_beforeTheTransportIsOpen_isSentWhenItOpens() {
        otherPeer().registerHandler("forecast", query -> CompletableFuture.completedFuture(Optional.of(QUERY)));
        resolver.addPropagator(new DeferredPropagator(opening, Scheduler.system()));
        PropagatedQuery responses = resolver.propagate("forecast", QUERY, OPTIONS, response -> {});
        opening.complete(Optional.of(multicast(alice)));
        assertThat(Eventually.get(responses.whenDone(), "a response")).isEqualTo(1);
    }

    @Test
    void query_ofAnotherPeer_isReceivedAfterTheTransportOpens() {
        resolver.addPropagator(new DeferredPropagator(opening, Scheduler.system()));
        resolver.registerHandler("forecast", query -> CompletableFuture.completedFuture(Optional.of(QUERY)));
        opening.complete(Optional.of(multicast(alice)));
        assertThat(Eventually.get(
                        otherPeer()
                                .propagate("forecast", QUERY, OPTIONS, response -> {})
                                .whenDone(),
                        "a response"))
                .isEqualTo(1);
    }

    @Test
    void query_fails_ifThereIsNoTransport() {
        resolver.addPropagator(new DeferredPropagator(opening, Scheduler.system()));
        PropagatedQuery responses = resolver.propagate("forecast", QUERY, OPTIONS, response -> {});
        opening.complete(Optional.empty());
        assertThat(Eventually.failure(responses.whenDone(), "the query"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }

    @Test
    void query_fails_ifTheTransportDoesNotOpenInTime() {
        ManualScheduler scheduler = new ManualScheduler();
        CompletableFuture<Void> sent =
                new DeferredPropagator(opening, scheduler).propagate(ServiceAddress.of("resolver"), QUERY);
        scheduler.advance(DeferredPropagator.OPEN_TIMEOUT.minusNanos(1));
        assertThat(sent).isNotDone();
        scheduler.advance(Duration.ofNanos(1));
        assertThat(Eventually.failure(sent, "the query"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }

    @Test
    void closedBefore_doesNotListen() {
        DeferredPropagator deferred = new DeferredPropagator(opening, Scheduler.system());
        resolver.addPropagator(deferred).close();
        MulticastPropagator multicast = multicast(alice);
        opening.complete(Optional.of(multicast));
        resolver.addPropagator(multicast).close(); // fails if there is a listener already
    }
}
