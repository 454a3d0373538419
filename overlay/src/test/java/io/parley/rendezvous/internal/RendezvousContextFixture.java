package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.endpoint.Endpoint;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.resolver.internal.Resolver;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The context of one component in manual time, without a network: the test is the network. The executor runs tasks in the
 * calling thread, so a test is deterministic. The random numbers have the seed of the system property
 * {@code parley.test.seed}, if it is set.
 */
final class RendezvousContextFixture {

    /** A query that waits for its response, which the test completes. */
    record PendingQuery(PeerId to, String name, Message body, Duration timeout, CompletableFuture<Message> response) {

        void respond(Message message) {
            response.complete(message);
        }

        void fail(ErrorCode code) {
            response.completeExceptionally(code.exception("test"));
        }
    }

    static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

    final ManualClock clock = new ManualClock(START);
    final ManualScheduler scheduler = new ManualScheduler(clock, new Random(Long.getLong("parley.test.seed", 1)));
    final Publisher publisher = new Publisher(Identity.generate(), clock);
    final RendezvousMetrics metrics = new RendezvousMetrics();

    /** The queries that the component has sent and the test has not yet taken. */
    final Deque<PendingQuery> queries = new ArrayDeque<>();

    /** The addresses to which the component has connected, in order. */
    final List<EndpointAddress> connects = new ArrayList<>();

    /** The peers at addresses; a connect to another address fails. */
    final Map<EndpointAddress, CompletableFuture<PeerId>> peers = new HashMap<>();

    final Set<PeerId> connected = new HashSet<>();

    boolean resolverClosed;
    final RendezvousContext context;
    private final RendezvousLimits limits;

    RendezvousContextFixture(RendezvousLimits limits) {
        this(limits, RendezvousAdmission.OPEN);
    }

    RendezvousContextFixture(RendezvousLimits limits, RendezvousAdmission admission) {
        this.limits = limits;
        this.context = new RendezvousContext(
                stub(Endpoint.class, (proxy, method, arguments) -> switch (method.getName()) {
                    case "peerAddress" -> PeerAddress.of(publisher.id(), EndpointAddress.parse("mem://self"));
                    case "addresses" -> List.of(EndpointAddress.parse("mem://self"));
                    case "isConnected" -> connected.contains((PeerId) arguments[0]);
                    case "peerId" -> publisher.id();
                    case "remoteAddress" ->
                        connected.contains((PeerId) arguments[0])
                                ? Optional.of(new EndpointAddress("mem", ((PeerId) arguments[0]).shortText(), -1))
                                : Optional.empty();
                    case "connect" -> connect((EndpointAddress) arguments[0]);
                    case "addPeerAddress" -> null;
                    default -> throw new UnsupportedOperationException(method.getName());
                }),
                publisher.identity,
                publisher.signer,
                publisher.verifier(),
                stub(Resolver.class, (proxy, method, arguments) -> {
                    if (method.getName().equals("closeAsync")) {
                        resolverClosed = true;
                        return CompletableFuture.completedFuture(null);
                    }
                    if (!method.getName().equals("query")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    return query((PeerId) arguments[0], (String) arguments[1], (Message) arguments[2], (Duration)
                            arguments[3]);
                }),
                Runnable::run,
                scheduler,
                limits,
                admission,
                metrics);
    }

    /** Returns the context with another executor. */
    RendezvousContext contextOn(Executor executor) {
        return new RendezvousContext(
                context.endpoint(),
                context.identity(),
                context.signer(),
                context.verifier(),
                context.resolver(),
                executor,
                scheduler,
                limits,
                context.admission(),
                metrics);
    }

    LeaseRegistry newLeases() {
        return new LeaseRegistry(limits.lease(), scheduler, context::hostOf);
    }

    PeerView newView() {
        return new PeerView(context.self(), limits.peerView(), scheduler, metrics);
    }

    /** Returns an index, which the test must close if it leaves timers. */
    AdvertisementIndex newIndex() {
        return new AdvertisementIndex(
                limits.index(), Duration.ofMinutes(5), scheduler, Runnable::run, context::hostOf, metrics);
    }

    private static <T> T stub(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private CompletableFuture<PeerId> connect(EndpointAddress address) {
        connects.add(address);
        CompletableFuture<PeerId> peer = peers.get(address);
        return peer != null
                ? peer
                : CompletableFuture.failedFuture(ErrorCode.UNREACHABLE.exception(address.toString()));
    }

    private CompletableFuture<Message> query(PeerId to, String name, Message body, Duration timeout) {
        PendingQuery query = new PendingQuery(to, name, body, timeout, new CompletableFuture<>());
        queries.add(query);
        return query.response();
    }

    /** Adds a peer that can be connected at {@code address}. */
    PeerId addPeer(EndpointAddress address) {
        PeerId peer = Identity.generate().peerId();
        peers.put(address, CompletableFuture.completedFuture(peer));
        connected.add(peer);
        return peer;
    }

    /** Returns the oldest query, which must be the only one. */
    PendingQuery onlyQuery() {
        assertThat(queries).hasSize(1);
        return Objects.requireNonNull(queries.poll());
    }

    /** Requires that no query is sent within {@code time} and that one is sent at its end; returns it. */
    PendingQuery queryAfter(Duration time) {
        scheduler.advance(time.minusNanos(1));
        assertThat(queries).isEmpty();
        scheduler.advance(Duration.ofNanos(1));
        return onlyQuery();
    }
}
