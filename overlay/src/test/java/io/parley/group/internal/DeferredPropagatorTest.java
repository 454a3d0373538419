package io.parley.group.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.common.Scheduler;
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
    private static final Message QUESTION = Message.of("text", "rain?");
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

    private MulticastPropagator nearby(Peer peer) {
        TransportContext context = new TransportContext(
                peer.identity(),
                TransportSecurity.TLS,
                peer.endpoint().limits().transport(),
                peer.endpoint().metrics(),
                Scheduler.system());
        MulticastPropagator started = Eventually.get(
                MulticastPropagator.start(
                        peer.endpoint(), network.propagationProvider().create(context)),
                "starting to propagate");
        open.push(started);
        return started;
    }

    private GroupResolver neighbour() {
        Peer bob = peer();
        GroupResolver ofBob = resolver(bob);
        ofBob.addPropagator(nearby(bob));
        return ofBob;
    }

    @Test
    void question_askedBefore_isHeard_whenTheWayIsOpen() {
        neighbour().registerHandler("forecast", query -> CompletableFuture.completedFuture(Optional.of(QUESTION)));
        resolver.addPropagator(new DeferredPropagator(opening, Scheduler.system()));
        PropagatedQuery answers = resolver.propagate("forecast", QUESTION, OPTIONS, answer -> {});
        opening.complete(Optional.of(nearby(alice)));
        assertThat(Eventually.get(answers.whenDone(), "an answer")).isEqualTo(1);
    }

    @Test
    void question_ofOthers_isHeard_whenTheWayIsOpen() {
        resolver.addPropagator(new DeferredPropagator(opening, Scheduler.system()));
        resolver.registerHandler("forecast", query -> CompletableFuture.completedFuture(Optional.of(QUESTION)));
        opening.complete(Optional.of(nearby(alice)));
        assertThat(Eventually.get(
                        neighbour()
                                .propagate("forecast", QUESTION, OPTIONS, answer -> {})
                                .whenDone(),
                        "an answer"))
                .isEqualTo(1);
    }

    @Test
    void question_fails_whenThereIsNoWayAfterAll() {
        resolver.addPropagator(new DeferredPropagator(opening, Scheduler.system()));
        PropagatedQuery answers = resolver.propagate("forecast", QUESTION, OPTIONS, answer -> {});
        opening.complete(Optional.empty());
        assertThat(Eventually.failure(answers.whenDone(), "the question"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    }

    @Test
    void closedBefore_doesNotHear() {
        DeferredPropagator way = new DeferredPropagator(opening, Scheduler.system());
        resolver.addPropagator(way).close();
        MulticastPropagator nearby = nearby(alice);
        opening.complete(Optional.of(nearby));
        resolver.addPropagator(nearby).close(); // which is refused where there is a listener already
    }
}
