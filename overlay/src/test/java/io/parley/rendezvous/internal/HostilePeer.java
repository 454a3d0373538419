package io.parley.rendezvous.internal;

import io.parley.codec.MessageCodec;
import io.parley.common.Scheduler;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.internal.PeerEndpoint;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.resolver.internal.GroupResolver;
import io.parley.resolver.internal.MulticastPropagator;
import io.parley.resolver.internal.ResolverBuilder;
import io.parley.testkit.Eventually;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** An attacker with a regular endpoint, which sends any messages. */
final class HostilePeer implements AutoCloseable {

    /** The number of pending queries of a flood. */
    private static final int CONCURRENCY = 64;

    /** A large queue, so that the attacker itself refuses none of its messages. */
    private static final EndpointLimits LIMITS = EndpointLimits.DEFAULTS.toBuilder()
            .queueBytes(64 << 20)
            .handshakeTimeout(Eventually.DEADLINE)
            .build();

    /** Longer than any test, because a query counts as refused when it times out. */
    private static final Duration TIMEOUT = Duration.ofMinutes(30);

    final Identity identity = Identity.generate();
    final HostileDocuments documents = new HostileDocuments(identity);
    final GroupResolver net;
    private final AtomicInteger throttled = new AtomicInteger();
    private final PeerEndpoint endpoint;
    private final GroupResolver overlayResolver;
    private final MulticastPropagator multicast;
    private final PeerId victim;

    /** Connects to the victim. */
    HostilePeer(InMemoryNetwork network, EndpointAddress address) {
        EndpointMetrics metrics = new EndpointMetrics();
        TransportContext context =
                new TransportContext(identity, TransportSecurity.TLS, LIMITS.transport(), metrics, Scheduler.system());
        this.endpoint = new PeerEndpoint(
                identity.peerId(),
                List.of(network.transportProvider().create(context)),
                List.of(MessageCodec.binary()),
                LIMITS,
                metrics,
                Scheduler.system());
        this.multicast = Eventually.get(
                MulticastPropagator.start(
                        endpoint, network.propagationProvider().create(context)),
                "propagation");
        this.victim = Eventually.get(endpoint.connect(address), "the victim's id");
        this.overlayResolver = new ResolverBuilder(endpoint, RendezvousContext.GROUP, Runnable::run).open();
        this.net = new ResolverBuilder(endpoint, GroupId.NET, Runnable::run).open();
        net.addPropagator(multicast);
    }

    PeerId id() {
        return identity.peerId();
    }

    PeerEndpoint endpoint() {
        return endpoint;
    }

    /** Becomes a client of the victim. */
    HostilePeer leased() {
        LeaseRequest request = new LeaseRequest(Duration.ofMinutes(10), Set.of(GroupId.NET), 0);
        LeaseResponse response =
                LeaseResponse.read(Eventually.get(queryOverlay(RendezvousContext.LEASE, request.write()), "a lease"));
        if (!response.isGranted()) {
            throw new AssertionError("no lease");
        }
        return this;
    }

    CompletableFuture<Message> queryOverlay(String name, Message request) {
        return overlayResolver.query(victim, name, request, TIMEOUT);
    }

    CompletableFuture<Message> queryNet(String name, Message request) {
        return net.query(victim, name, request, TIMEOUT);
    }

    CompletableFuture<PublishResponse> publish(List<byte[]> batch) {
        return queryOverlay(RendezvousContext.PUBLISH, PublishResponse.request(batch))
                .thenApply(PublishResponse::read);
    }

    CompletableFuture<Void> send(SignedGroupMessage message) {
        return endpoint.send(
                victim, RendezvousContext.SERVICE, GroupMessageRouter.encode(message, GroupMessageRouter.MAX_TTL));
    }

    /** Publishes {@code count} advertisements as fast as possible; returns after all responses and failures. */
    void floodWithAdvertisements(int from, int count) {
        int batch = PublishResponse.MAX_DOCUMENTS;
        flood((count + batch - 1) / batch, number -> {
            List<byte[]> advertisements = new ArrayList<>();
            for (int i = number * batch; i < Math.min(count, (number + 1) * batch); i++) {
                advertisements.add(documents.pipe("spam " + (from + i)));
            }
            return publish(advertisements).whenComplete((response, failure) -> {
                if (failure != null) {
                    throttled.addAndGet(advertisements.size());
                }
            });
        });
    }

    /** Returns the number of advertisements in the messages that the victim has refused as a whole. */
    int throttled() {
        return throttled.get();
    }

    /** Sends {@code count} queries as fast as possible; returns after all responses and failures. */
    static void flood(int count, IntFunction<CompletableFuture<?>> query) {
        Semaphore permits = new Semaphore(CONCURRENCY);
        for (int i = 0; i < count; i++) {
            acquire(permits, 1);
            query.apply(i).whenComplete((response, failure) -> permits.release());
        }
        acquire(permits, CONCURRENCY);
    }

    private static void acquire(Semaphore permits, int count) {
        try {
            if (!permits.tryAcquire(count, 60, TimeUnit.SECONDS)) {
                throw new AssertionError("the victim does not respond");
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        multicast.close();
        endpoint.close();
    }
}
