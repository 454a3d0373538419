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
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An in-memory network with peers that publish and search. Tests advance the time. Closes all peers. */
final class DiscoveryFixture implements AutoCloseable {

    static final GroupId GROUP = GroupId.ofName("weather");

    /** A timeout that never expires, because tests do not advance the clock that far. */
    static final Duration LONG = Duration.ofHours(24);

    static final AdvertisementCodec DOCUMENTS = AdvertisementCodec.builtIn(AdvertisementLimits.DEFAULTS);

    final InMemoryNetwork network = new InMemoryNetwork(2);
    final ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));
    private final MiddleRandom random = new MiddleRandom();
    final ManualScheduler scheduler = new ManualScheduler(clock, random);
    final TestIndex index = new TestIndex(clock, new AdvertisementVerifier(DOCUMENTS, clock));
    private final ScheduledExecutorService background = Executors.newSingleThreadScheduledExecutor();
    private final List<TestPeer> testPeers = new ArrayList<>();
    private DiscoveryLimits limits = DiscoveryLimits.DEFAULTS;
    private StoreLimits storeLimits = StoreLimits.DEFAULTS;
    private Duration expiration = AdvertisementSigner.DEFAULT_EXPIRATION;
    private AdvertisementCodec codec = DOCUMENTS;

    /** The number of the next tasks of the discoveries for which there is no thread. */
    final AtomicInteger missingThreads = new AtomicInteger();

    /** A peer with the dependencies of its discovery. */
    record TestPeer(
            Peer peer,
            GroupResolver resolver,
            MulticastPropagator multicast,
            DocumentCountingStore store,
            AdvertisementSigner signer,
            GroupDiscovery discovery) {

        long count(Counter counter) {
            return discovery.metrics().get(counter);
        }

        void awaitCount(Counter counter, long expected) {
            Eventually.until(
                    () -> peer + ": " + counter + " is " + count(counter) + " (expected: " + expected + ")",
                    () -> count(counter) == expected);
        }

        Publication publish(String pipeName) {
            return discovery.publish(pipe(pipeName));
        }

        /** Publishes the peer advertisement, which also announces the peer. */
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
            return names(Eventually.get(find(pattern, maxResults, Scope.LOCAL_FIRST), "search for " + pattern));
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

    /** Sets the limits of peers started later. */
    DiscoveryFixture limits(DiscoveryLimits value) {
        this.limits = value;
        return this;
    }

    /** Sets the limits of the stores of peers started later. */
    DiscoveryFixture storeLimits(StoreLimits value) {
        this.storeLimits = value;
        return this;
    }

    /** Sets the default expiration of peers started later. */
    DiscoveryFixture expiration(Duration value) {
        this.expiration = value;
        return this;
    }

    /** Sets the codec of the advertisements of peers started later. */
    DiscoveryFixture codec(AdvertisementCodec value) {
        this.codec = value;
        return this;
    }

    /** Starts a peer on the local network without an index. */
    TestPeer startOnLocalNetwork() {
        return start(true, null);
    }

    /** Starts a peer with an index but no local network. */
    TestPeer startIndexed() {
        return start(false, index.connect());
    }

    TestPeer start(boolean hasLocalNetwork, @Nullable RemoteIndex remoteIndex) {
        Peer peer = Peer.builder()
                .transport(network.transportProvider())
                .limits(limits -> limits.toBuilder()
                        .handshakeTimeout(Eventually.DEADLINE)
                        .closeTimeout(Eventually.DEADLINE)
                        .build())
                .listen("mem://any")
                .start();
        MulticastPropagator multicast = Eventually.get(
                MulticastPropagator.start(peer.endpoint(), propagation(peer)), "start of the propagator");
        GroupResolver resolver = TestResolvers.open(peer.endpoint(), GROUP, peer.callbackExecutor(), scheduler);
        if (hasLocalNetwork) {
            resolver.addPropagator(multicast);
        }
        DocumentCountingStore store = new DocumentCountingStore(
                AdvertisementStore.inMemory(storeLimits, new ClockScheduler(clock), background));
        AdvertisementSigner signer = new AdvertisementSigner(peer.identity(), codec, clock);
        TestPeer testPeer = new TestPeer(
                peer, resolver, multicast, store, signer, open(peer, resolver, store, signer, remoteIndex));
        testPeers.add(testPeer);
        return testPeer;
    }

    private GroupDiscovery open(
            Peer peer,
            GroupResolver resolver,
            AdvertisementStore store,
            AdvertisementSigner signer,
            @Nullable RemoteIndex remoteIndex) {
        AdvertisementVerifier verifier = new AdvertisementVerifier(DOCUMENTS, clock);
        DiscoveryBuilder builder = new DiscoveryBuilder(
                        resolver, peer.endpoint(), store, signer, verifier, task -> execute(peer, task))
                .limits(limits)
                .storeLimits(storeLimits)
                .expiration(expiration)
                .scheduler(scheduler);
        return (remoteIndex == null ? builder : builder.index(remoteIndex)).open();
    }

    private void execute(Peer peer, Runnable task) {
        if (missingThreads.getAndUpdate(missing -> Math.max(0, missing - 1)) > 0) {
            throw new InternalError("no thread (of the test)");
        }
        peer.callbackExecutor().execute(task);
    }

    /** A source of randomness without jitter, unless a test asks for it. */
    private static final class MiddleRandom extends Random {
        private static final long serialVersionUID = 1L;

        private volatile boolean jitter;

        @Override
        public double nextDouble() {
            return jitter ? super.nextDouble() : 0.5;
        }
    }

    /** Makes times random within their ranges, as they are outside of tests. */
    void withJitter() {
        random.jitter = true;
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

    /** Advances the clock and runs the expired timers. */
    void advance(Duration by) {
        scheduler.advance(by);
    }

    /** Waits until a timer expires within that time, and advances the clock. */
    void advanceWhenDue(Duration by) {
        Eventually.until(() -> "nothing is due within " + by, () -> scheduler.pendingWithin(by) > 0);
        advance(by);
    }

    static void assertFails(CompletableFuture<?> future, ErrorCode code, String... parts) {
        Throwable failure = Eventually.failure(future, "failure of the operation");
        assertThat(failure).isInstanceOf(ParleyException.class);
        assertThat(((ParleyException) failure).code()).as("%s", failure).isEqualTo(code);
        for (String part : parts) {
            assertThat(failure).hasMessageContaining(part);
        }
    }

    /** Closes all, and checks that no timer remains. */
    @Override
    public void close() {
        testPeers.forEach(testPeer -> testPeer.discovery().closeAsync());
        testPeers.forEach(
                testPeer -> Eventually.get(testPeer.discovery().whenClosed(), "close of " + testPeer.discovery()));
        testPeers.forEach(testPeer -> testPeer.resolver().close());
        testPeers.forEach(testPeer -> testPeer.multicast().close());
        testPeers.forEach(testPeer -> testPeer.peer().closeAsync());
        testPeers.forEach(testPeer -> Eventually.get(testPeer.peer().whenClosed(), "close of " + testPeer.peer()));
        testPeers.forEach(testPeer -> testPeer.store().close());
        index.close();
        background.shutdown();
        Eventually.until(() -> "pending timers: " + scheduler.pending(), () -> scheduler.pending() == 0);
    }
}
