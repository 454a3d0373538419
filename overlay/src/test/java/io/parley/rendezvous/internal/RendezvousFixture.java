package io.parley.rendezvous.internal;

import static io.parley.rendezvous.internal.Publisher.GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.codec.MessageCodec;
import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.IndexPage;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.PeerEndpoint;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.testkit.Eventually;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Rendezvous and clients on an in-memory network, which are closed with the fixture. All clocks and timers of their services
 * are in manual time; the network delivers in real time. The random numbers have the seed of the system property
 * {@code parley.test.seed}, if it is set.
 */
final class RendezvousFixture implements AutoCloseable {

    /** The step by which manual time advances while a condition is awaited. */
    private static final Duration STEP = Duration.ofMillis(200);

    /** The number of consecutive rounds that must find all threads idle before the time advances. */
    private static final int IDLE_ROUNDS = 4;

    private static final int THREADS = 4;

    static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static final EndpointAddress ANY_ADDRESS = EndpointAddress.parse("mem://any");

    private final EventExecutorGroup networkThreads =
            new DefaultEventExecutorGroup(2, new DefaultThreadFactory("network", true));
    final InMemoryNetwork network = new InMemoryNetwork(networkThreads);
    final ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));
    final ManualScheduler scheduler = new ManualScheduler(clock, new Random(seed()));
    EndpointLimits endpointLimits = EndpointLimits.DEFAULTS.toBuilder()
            .handshakeTimeout(Eventually.DEADLINE)
            .build();

    /** Whether time passes while a result is awaited, so that requests to peers that are gone end by their timeout. */
    boolean timePasses;

    final CountingExecutor executor = new CountingExecutor();
    private final List<Node> nodes = new ArrayList<>();

    /** Counts the tasks that have not ended. */
    static final class CountingExecutor extends ThreadPoolExecutor {

        private final AtomicInteger unfinished = new AtomicInteger();

        CountingExecutor() {
            super(THREADS, THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }

        @Override
        public void execute(Runnable task) {
            unfinished.incrementAndGet();
            try {
                super.execute(task);
            } catch (RejectedExecutionException e) {
                unfinished.decrementAndGet();
                throw e;
            }
        }

        @Override
        protected void afterExecute(Runnable task, @Nullable Throwable failure) {
            unfinished.decrementAndGet();
        }

        boolean isIdle() {
            return unfinished.get() == 0;
        }
    }

    /** A peer with its service. */
    record Node(PeerEndpoint endpoint, Publisher publisher, RendezvousRole service, RendezvousFixture fixture) {

        PeerId id() {
            return endpoint.peerId();
        }

        EndpointAddress address() {
            return endpoint.addresses().get(0);
        }

        long count(Counter counter) {
            return service.metrics().get(counter);
        }

        boolean isLeasedWith(Node rendezvous) {
            return service.rendezvous().equals(Set.of(rendezvous.id()))
                    && rendezvous.service.clients().contains(id());
        }

        Node joined() {
            fixture.get(service.join(GROUP), "joining the group");
            return this;
        }

        CompletableFuture<Void> publish(SignedAdvertisement... advertisements) {
            return service.index().publish(GROUP, Arrays.asList(advertisements));
        }

        SignedAdvertisement published(String name) {
            SignedAdvertisement signed = publisher.signPipe(name);
            fixture.get(publish(signed), "publishing " + name);
            return signed;
        }

        IndexPage page(DiscoveryQuery query, int offset, int limit) {
            return fixture.get(service.index().find(GROUP, query, offset, limit, TIMEOUT), "finding " + query);
        }

        /** Returns the advertisements that are found, verified. */
        List<SignedAdvertisement> find(String pattern) {
            return page(DiscoveryQuery.any().with("Name", pattern), 0, 100).documents().stream()
                    .map(document -> publisher.verifier().verify(document))
                    .toList();
        }

        /** Cuts the peer off; its connections stay open. */
        void isolate() {
            fixture.network.isolate(id());
        }
    }

    private static long seed() {
        Long seed = Long.getLong("parley.test.seed");
        return seed == null ? new Random().nextLong() : seed;
    }

    Node rendezvous(Node... seeds) {
        return rendezvous(RendezvousLimits.DEFAULTS, seeds);
    }

    Node rendezvous(RendezvousLimits limits, Node... seeds) {
        return start(limits, true, seeds);
    }

    Node client(Node... seeds) {
        return client(RendezvousLimits.DEFAULTS, seeds);
    }

    Node client(RendezvousLimits limits, Node... seeds) {
        return start(limits, false, seeds);
    }

    /** Starts a client and waits until it has its lease and is in the group. */
    Node member(Node rendezvous) {
        return member(RendezvousLimits.DEFAULTS, rendezvous);
    }

    Node member(RendezvousLimits limits, Node rendezvous) {
        Node client = client(limits, rendezvous);
        advanceUntil("a lease", () -> client.isLeasedWith(rendezvous));
        return client.joined();
    }

    private Node start(RendezvousLimits limits, boolean isRendezvous, Node... seeds) {
        return start(
                ANY_ADDRESS,
                limits,
                isRendezvous,
                Arrays.stream(seeds).map(Node::address).toArray(EndpointAddress[]::new));
    }

    /** Starts a rendezvous that listens at {@code address}. */
    Node rendezvousAt(EndpointAddress address) {
        return start(address, RendezvousLimits.DEFAULTS, true);
    }

    Node rendezvousWithSeeds(EndpointAddress... seeds) {
        return start(ANY_ADDRESS, RendezvousLimits.DEFAULTS, true, seeds);
    }

    /** Starts a client with seeds at which no rendezvous needs to listen. */
    Node clientOf(RendezvousLimits limits, EndpointAddress... seeds) {
        return start(ANY_ADDRESS, limits, false, seeds);
    }

    private Node start(
            EndpointAddress address, RendezvousLimits limits, boolean isRendezvous, EndpointAddress... seeds) {
        Publisher publisher = new Publisher(Identity.generate(), clock);
        PeerEndpoint endpoint = endpoint(publisher.identity, address);
        RendezvousBuilder builder = new RendezvousBuilder(
                        endpoint, publisher.identity, publisher.signer, publisher.verifier(), executor)
                .scheduler(scheduler)
                .limits(limits);
        Arrays.stream(seeds).forEach(builder::seed);
        Node node =
                new Node(endpoint, publisher, isRendezvous ? builder.startRendezvous() : builder.startClient(), this);
        nodes.add(node);
        return node;
    }

    /** Starts an endpoint with an address of its own. */
    PeerEndpoint endpoint(Identity identity) {
        return endpoint(identity, ANY_ADDRESS);
    }

    private PeerEndpoint endpoint(Identity identity, EndpointAddress address) {
        EndpointMetrics metrics = new EndpointMetrics();
        TransportContext context = new TransportContext(
                identity, TransportSecurity.TLS, endpointLimits.transport(), metrics, Scheduler.system());
        PeerEndpoint endpoint = new PeerEndpoint(
                identity.peerId(),
                List.of(network.transportProvider().create(context)),
                List.of(MessageCodec.binary()),
                endpointLimits,
                metrics,
                Scheduler.system());
        Eventually.get(endpoint.listen(address), "listening");
        return endpoint;
    }

    /** Starts rendezvous and waits until they know each other. */
    List<Node> overlay(int count) {
        return overlay(RendezvousLimits.DEFAULTS, count);
    }

    List<Node> overlay(RendezvousLimits limits, int count) {
        List<Node> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(i == 0 ? rendezvous(limits) : rendezvous(limits, all.get(0)));
        }
        awaitFullView(all);
        return all;
    }

    void awaitFullView(List<Node> all) {
        advanceUntil(
                "full peer views",
                () -> all.stream().allMatch(node -> node.service().rendezvous().equals(idsWithout(all, node))));
    }

    static Set<PeerId> idsWithout(List<Node> all, Node excluded) {
        return all.stream().filter(other -> other != excluded).map(Node::id).collect(Collectors.toSet());
    }

    static long sum(List<Node> all, Counter counter) {
        return all.stream().mapToLong(node -> node.count(counter)).sum();
    }

    /** Advances the time. */
    void advance(Duration time) {
        scheduler.advance(time);
    }

    /** Advances the time while no task of the executor runs, so that all that becomes due runs at the new time. */
    void advanceAtOnce(Duration time) {
        CountDownLatch advanced = new CountDownLatch(1);
        for (int i = 0; i < THREADS; i++) { // later tasks wait until all threads are released
            executor.execute(() -> Eventually.latch(advanced, "the end of the advance"));
        }
        try {
            advance(time);
        } finally {
            advanced.countDown();
        }
    }

    /**
     * Advances the time in small steps until the condition holds, and only while the executor and the network are idle: on a
     * busy machine the timeouts would otherwise pass before the work is done.
     */
    void advanceUntil(String what, BooleanSupplier condition) {
        Eventually.until(() -> what, () -> {
            if (condition.getAsBoolean()) {
                return true;
            }
            if (isIdle()) {
                advance(STEP);
            }
            return false;
        });
    }

    private boolean isIdle() {
        for (int round = 0; round < IDLE_ROUNDS; round++) {
            if (!executor.isIdle()) {
                return false;
            }
            networkThreads.forEach(thread -> Eventually.run(thread, () -> {})); // after all that is queued there
        }
        return executor.isIdle();
    }

    /** Waits for the value of a future. The time stands still unless {@link #timePasses}. */
    <T> T get(CompletableFuture<T> future, String what) {
        if (timePasses) {
            advanceUntil(what, future::isDone);
        }
        return Eventually.get(future, what);
    }

    /** Waits until the condition holds. The time stands still. */
    void await(String what, BooleanSupplier condition) {
        Eventually.until(() -> what, condition);
    }

    static ErrorCode failure(CompletableFuture<?> future) {
        Throwable failure = Eventually.failure(future, "the future");
        assertThat(failure).isInstanceOf(ParleyException.class);
        return ((ParleyException) failure).code();
    }

    /** Closes the endpoint of a peer, so that its service cannot sign off. */
    void kill(Node node) {
        Eventually.get(node.endpoint().closeAsync(), "closing " + node.id());
    }

    @Override
    public void close() {
        nodes.forEach(node -> node.endpoint().closeAsync());
        nodes.forEach(node -> Eventually.get(node.endpoint().whenClosed(), "closing " + node.id()));
        nodes.forEach(node -> Eventually.get(node.service().whenClosed(), "closing " + node.service()));
        executor.shutdown();
        Eventually.get(networkThreads.shutdownGracefully(0, 1, TimeUnit.MINUTES), "the end of the network");
        Eventually.until(() -> scheduler.pending() + " timers are left", () -> scheduler.pending() == 0);
    }
}
