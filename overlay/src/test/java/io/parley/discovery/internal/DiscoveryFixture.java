package io.parley.discovery.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryLimits;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Publication;
import io.parley.discovery.SearchOptions;
import io.parley.discovery.SearchOptions.Scope;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import io.parley.resolver.internal.GroupResolver;
import io.parley.resolver.internal.MulticastPropagator;
import io.parley.resolver.internal.TestResolvers;
import io.parley.store.StoreLimits;
import io.parley.store.internal.AdvertisementStore;
import io.parley.testkit.ClockScheduler;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PropagationTransport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** A network in memory with peers that publish and search; all ends with it. Time moves when the test says so. */
final class DiscoveryFixture implements AutoCloseable {

    static final GroupId GROUP = GroupId.ofName("weather");

    /** Long enough never to pass, as nobody moves the clock so far. */
    static final Duration LONG = Duration.ofHours(24);

    static final AdvertisementCodec DOCUMENTS = AdvertisementCodec.builtIn(AdvertisementLimits.DEFAULTS);

    final InMemoryNetwork network = new InMemoryNetwork(2);
    final ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));
    final ManualScheduler scheduler = new ManualScheduler(clock, new MiddleRandom());
    final TestIndex index = new TestIndex(clock, new AdvertisementVerifier(DOCUMENTS, clock));
    private final ScheduledExecutorService background = Executors.newSingleThreadScheduledExecutor();
    private final List<Node> nodes = new ArrayList<>();
    private DiscoveryLimits limits = DiscoveryLimits.DEFAULTS;

    /** A peer with all that its discovery stands on. */
    record Node(
            Peer peer,
            GroupResolver resolver,
            MulticastPropagator nearby,
            AdvertisementStore store,
            AdvertisementSigner signer,
            GroupDiscovery discovery) {

        long count(Counter counter) {
            return discovery.metrics().get(counter);
        }

        void awaitCount(Counter counter, long expected) {
            Eventually.until(
                    () -> peer + ": " + counter + " is " + count(counter) + ", not " + expected,
                    () -> count(counter) == expected);
        }

        Publication publish(String pipeName) {
            return discovery.publish(pipe(pipeName));
        }

        /** Publishes where the peer is, and so announces it. */
        Publication publishSelf() {
            return discovery.publish(self());
        }

        PeerAdvertisement self() {
            List<String> addresses = peer.endpoint().addresses().stream()
                    .map(EndpointAddress::toString)
                    .toList();
            return PeerAdvertisement.of(peer.id(), discovery.group(), peer.name())
                    .withRoute(RouteAdvertisement.of(peer.id(), addresses));
        }

        List<String> localNames(String pattern) {
            return names(discovery.findLocal(pipes(pattern), 1000));
        }

        CompletableFuture<List<SignedAdvertisement>> find(String pattern, int maxResults, Scope scope) {
            return discovery.find(
                    pipes(pattern), SearchOptions.of(LONG, maxResults).withScope(scope));
        }

        List<String> findNames(String pattern, int maxResults) {
            return names(Eventually.get(find(pattern, maxResults, Scope.LOCAL_FIRST), "finding " + pattern));
        }
    }

    static DiscoveryQuery pipes(String pattern) {
        return DiscoveryQuery.of("jxta:PipeAdvertisement").with("Name", pattern);
    }

    static PipeAdvertisement pipe(String name) {
        return PipeAdvertisement.of(PipeId.random(GROUP), PipeType.UNICAST, name);
    }

    static List<String> names(Collection<SignedAdvertisement> found) {
        return found.stream().map(DiscoveryFixture::nameOf).sorted().toList();
    }

    static String nameOf(SignedAdvertisement found) {
        return String.valueOf(((PipeAdvertisement) found.advertisement()).name());
    }

    /** Those that are started from now on have these limits. */
    DiscoveryFixture limits(DiscoveryLimits value) {
        this.limits = value;
        return this;
    }

    /** A peer that hears the others nearby, and uses no index. */
    Node startNearby() {
        return start(true, null);
    }

    /** A peer that is alone but for the index. */
    Node startIndexed() {
        return start(false, index.connect());
    }

    Node start(boolean hasNeighbours, @Nullable RemoteIndex remoteIndex) {
        Peer peer = Peer.builder()
                .transport(network.transportProvider())
                .listen("mem://any")
                .start();
        MulticastPropagator nearby =
                Eventually.get(MulticastPropagator.start(peer.endpoint(), propagation(peer)), "starting to propagate");
        GroupResolver resolver = TestResolvers.open(peer.endpoint(), GROUP, peer.callbackExecutor(), scheduler);
        if (hasNeighbours) {
            resolver.addPropagator(nearby);
        }
        AdvertisementStore store =
                AdvertisementStore.inMemory(StoreLimits.DEFAULTS, new ClockScheduler(clock), background);
        AdvertisementSigner signer = new AdvertisementSigner(peer.identity(), DOCUMENTS, clock);
        Node node = new Node(peer, resolver, nearby, store, signer, open(peer, resolver, store, signer, remoteIndex));
        nodes.add(node);
        return node;
    }

    private GroupDiscovery open(
            Peer peer,
            GroupResolver resolver,
            AdvertisementStore store,
            AdvertisementSigner signer,
            @Nullable RemoteIndex remoteIndex) {
        AdvertisementVerifier verifier = new AdvertisementVerifier(DOCUMENTS, clock);
        DiscoveryBuilder builder = new DiscoveryBuilder(
                        resolver, peer.endpoint(), store, signer, verifier, peer.callbackExecutor())
                .limits(limits)
                .scheduler(scheduler);
        return (remoteIndex == null ? builder : builder.index(remoteIndex)).open();
    }

    /** Jitter that neither shortens nor lengthens. */
    private static final class MiddleRandom extends Random {
        private static final long serialVersionUID = 1L;

        @Override
        public double nextDouble() {
            return 0.5;
        }
    }

    private PropagationTransport propagation(Peer peer) {
        return network.propagationProvider()
                .create(new TransportContext(
                        peer.identity(),
                        TransportSecurity.TLS,
                        peer.endpoint().limits().transport(),
                        peer.endpoint().metrics(),
                        Scheduler.system()));
    }

    /** Moves the clock, and runs what is due by then. */
    void advance(Duration by) {
        scheduler.advance(by);
    }

    /** Waits until something is due within that time, and moves the clock so far. */
    void advanceWhenDue(Duration by) {
        Eventually.until(() -> "nothing is due within " + by, () -> scheduler.pendingWithin(by) > 0);
        advance(by);
    }

    static void assertFails(CompletableFuture<?> future, ErrorCode code, String... parts) {
        Throwable failure = Eventually.failure(future, "the call");
        assertThat(failure).isInstanceOf(ParleyException.class);
        assertThat(((ParleyException) failure).code()).as("%s", failure).isEqualTo(code);
        for (String part : parts) {
            assertThat(failure).hasMessageContaining(part);
        }
    }

    /** Closes all; nothing may be left that waits for its time. */
    @Override
    public void close() {
        nodes.forEach(node -> node.discovery().closeAsync());
        nodes.forEach(node -> Eventually.get(node.discovery().whenClosed(), "the end of " + node.discovery()));
        nodes.forEach(node -> node.resolver().close());
        nodes.forEach(node -> node.nearby().close());
        nodes.forEach(node -> node.peer().closeAsync());
        nodes.forEach(node -> Eventually.get(node.peer().whenClosed(), "the end of " + node.peer()));
        nodes.forEach(node -> node.store().close());
        index.close();
        background.shutdown();
        Eventually.until(() -> scheduler.pending() + " timers are left", () -> scheduler.pending() == 0);
    }
}
