package io.parley.rendezvous.internal;

import io.parley.codec.BinaryMessageCodec;
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

/** A peer of which only the endpoint is as it should be; it says whatever a test likes. */
final class HostilePeer implements AutoCloseable {

    /** Questions of a flood that wait for their answer at a time. */
    private static final int AT_A_TIME = 64;

    /** Nothing it says is refused before it has left. */
    private static final EndpointLimits LIMITS =
            EndpointLimits.DEFAULTS.toBuilder().queueBytes(64 << 20).build();

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    final Identity identity = Identity.generate();
    final HostileDocuments documents = new HostileDocuments(identity);
    final GroupResolver net;
    private final AtomicInteger turnedAway = new AtomicInteger();
    private final PeerEndpoint endpoint;
    private final GroupResolver overlay;
    private final MulticastPropagator nearby;
    private final PeerId victim;

    /** Knows that victim. */
    HostilePeer(InMemoryNetwork network, EndpointAddress address) {
        EndpointMetrics metrics = new EndpointMetrics();
        TransportContext context =
                new TransportContext(identity, TransportSecurity.TLS, LIMITS.transport(), metrics, Scheduler.system());
        this.endpoint = new PeerEndpoint(
                identity.peerId(),
                List.of(network.transportProvider().create(context)),
                List.of(new BinaryMessageCodec()),
                LIMITS,
                metrics,
                Scheduler.system());
        this.nearby = Eventually.get(
                MulticastPropagator.start(
                        endpoint, network.propagationProvider().create(context)),
                "propagation");
        this.victim = Eventually.get(endpoint.connect(address), "the victim's id");
        this.overlay = new ResolverBuilder(endpoint, RendezvousContext.GROUP, Runnable::run).open();
        this.net = new ResolverBuilder(endpoint, GroupId.NET, Runnable::run).open();
        net.addPropagator(nearby);
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
        LeaseResponse reply =
                LeaseResponse.read(Eventually.get(askOverlay(RendezvousContext.LEASE, request.write()), "a lease"));
        if (!reply.isGranted()) {
            throw new AssertionError("no lease");
        }
        return this;
    }

    CompletableFuture<Message> askOverlay(String name, Message question) {
        return overlay.query(victim, name, question, TIMEOUT);
    }

    CompletableFuture<Message> askNet(String name, Message question) {
        return net.query(victim, name, question, TIMEOUT);
    }

    CompletableFuture<PublishResponse> publish(List<byte[]> batch) {
        return askOverlay(RendezvousContext.PUBLISH, PublishResponse.request(batch))
                .thenApply(PublishResponse::read);
    }

    CompletableFuture<Void> say(SignedGroupMessage said) {
        return endpoint.send(
                victim, RendezvousContext.SERVICE, GroupMessageRouter.encode(said, GroupMessageRouter.MAX_TTL));
    }

    /** Publishes that many advertisements with all it has; returns when all were answered, whatever the answer. */
    void floodWithAdvertisements(int from, int count) {
        int batch = PublishResponse.MAX_DOCUMENTS;
        flood((count + batch - 1) / batch, number -> {
            List<byte[]> advertisements = new ArrayList<>();
            for (int i = number * batch; i < Math.min(count, (number + 1) * batch); i++) {
                advertisements.add(documents.pipe("spam " + (from + i)));
            }
            return publish(advertisements).whenComplete((reply, failure) -> {
                if (failure != null) {
                    turnedAway.addAndGet(advertisements.size());
                }
            });
        });
    }

    /** How many advertisements nobody has looked at, as the victim had too much to do. */
    int turnedAway() {
        return turnedAway.get();
    }

    /** Asks that many times; returns when all were answered, whatever the answer. */
    static void flood(int count, IntFunction<CompletableFuture<?>> asking) {
        Semaphore free = new Semaphore(AT_A_TIME);
        for (int i = 0; i < count; i++) {
            take(free, 1);
            asking.apply(i).whenComplete((answer, failure) -> free.release());
        }
        take(free, AT_A_TIME);
    }

    private static void take(Semaphore free, int permits) {
        try {
            if (!free.tryAcquire(permits, 60, TimeUnit.SECONDS)) {
                throw new AssertionError("the victim does not answer");
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        nearby.close();
        endpoint.close();
    }
}
