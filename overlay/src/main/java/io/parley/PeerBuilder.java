package io.parley;

import io.parley.advertisement.AdvertisementLimits;
import io.parley.codec.MessageCodec;
import io.parley.common.Scheduler;
import io.parley.common.internal.BoundedExecutor;
import io.parley.discovery.DiscoveryLimits;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointBuilder;
import io.parley.endpoint.EndpointLimits;
import io.parley.group.MemberViewLimits;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.resolver.ResolverLimits;
import io.parley.store.StoreLimits;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.RelayLimits;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link Peer}. {@link #start()} checks the settings and starts the peer. Not thread-safe.
 *
 * <p>Limits are changed by a function of the present ones, so that a change keeps the values of a preset and the defaults:
 *
 * <pre>{@code
 * Peer.wan().limits(limits -> limits.toBuilder().maxConnections(100).build())
 * }</pre>
 */
public final class PeerBuilder {

    /** The default limit of an attribute in the stores of other peers. No search would find a peer with a longer name. */
    private static final int MAX_NAME_BYTES = StoreLimits.DEFAULTS.maxAttributeValueBytes();

    private String name = "";
    private @Nullable Path home;
    private @Nullable Identity identity;
    private @Nullable Executor callbackExecutor;
    private TransportSecurity security = TransportSecurity.TLS;
    private EndpointLimits limits = EndpointLimits.DEFAULTS;
    private Scheduler scheduler = Scheduler.system();
    private boolean ownEventLoops;
    private List<EndpointAddress> presetListen = List.of();
    private final List<EndpointAddress> listen = new ArrayList<>();
    private final List<EndpointAddress> publicAddresses = new ArrayList<>();
    private final List<EndpointAddress> relays = new ArrayList<>();
    private @Nullable RelayLimits relayLimits;
    private final List<TransportProvider> transports = new ArrayList<>();
    private final List<MessageCodec> codecs = new ArrayList<>();
    private List<String> codecNames = List.of();
    private final PeerOverlayBuilder overlay = new PeerOverlayBuilder();

    PeerBuilder() {}

    /**
     * Sets the name that is displayed to users, and by which searches find the peer. Default: the first characters of the peer id.
     *
     * @param value at most 1,024 bytes in UTF-8; empty for the default
     * @throws IllegalArgumentException if the name is longer
     */
    public PeerBuilder name(String value) {
        int bytes = Objects.requireNonNull(value, "name").getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_NAME_BYTES) {
            throw new IllegalArgumentException(
                    "name: " + bytes + " bytes in UTF-8 (expected: <= " + MAX_NAME_BYTES + ")");
        }
        this.name = value;
        return this;
    }

    /**
     * Sets the home directory. It holds the identity and the cached advertisements of other peers. They are created by the first
     * start and loaded by later ones. Only one running peer can use a home. Default: none; identity and cache are lost when
     * the peer closes.
     */
    public PeerBuilder home(Path value) {
        this.home = value;
        return this;
    }

    /** Sets the identity. Default: that of the home directory. */
    public PeerBuilder identity(Identity value) {
        this.identity = value;
        return this;
    }

    /**
     * Listens on this address. The first call replaces the address of a preset such as {@link Peer#wan()}, further calls add
     * addresses. Port 0 means any free port.
     *
     * @param address such as {@code tcp://0.0.0.0:9701} or {@code mem://alice}
     * @throws IllegalArgumentException if {@code address} is not an address
     */
    public PeerBuilder listen(String address) {
        listen.add(EndpointAddress.parse(address));
        return this;
    }

    /**
     * Adds an address at which a router or a reverse proxy passes connections on to this peer. Other peers learn it, and try it before
     * those on which the peer listens.
     *
     * @param address such as {@code https://peer.example.org:443}
     * @throws IllegalArgumentException if {@code address} is not an address, its host is a wildcard, or its port is 0
     */
    public PeerBuilder publicAddress(String address) {
        EndpointAddress parsed = EndpointAddress.parse(address);
        Endpoint.builder().publicAddress(parsed); // fails here, and not at the start
        publicAddresses.add(parsed);
        return this;
    }

    /**
     * Adds the address of a relay at which this peer listens too, so that peers reach it that cannot connect to it. Other peers try it
     * after the other addresses of this peer. The relay passes on what the two peers have encrypted, and can read nothing of it. A peer without relays
     * reaches one that has some.
     *
     * @param address such as {@code tcp://relay.example.org:9701} or {@code https://relay.example.org:443}
     * @throws IllegalArgumentException if {@code address} is not an address, or its port is 0
     * @see #actAsRelay()
     */
    public PeerBuilder relay(String address) {
        EndpointAddress parsed = EndpointAddress.parse(address);
        if (parsed.port() < 1) {
            throw new IllegalArgumentException(
                    "relay: " + parsed + " (expected: an address with the port of the relay)");
        }
        relays.add(parsed.isRelayed() ? parsed : parsed.relayed());
        return this;
    }

    /**
     * Makes the peer a relay with {@link RelayLimits#DEFAULTS}: peers that cannot be dialed listen at it ({@link #relay}). It should
     * listen on an address, of TCP or HTTP, that does not change and that all peers can reach.
     */
    public PeerBuilder actAsRelay() {
        return actAsRelay(RelayLimits.DEFAULTS);
    }

    /** Makes the peer a relay with other limits. */
    public PeerBuilder actAsRelay(RelayLimits limits) {
        relayLimits = limits;
        return this;
    }

    /** Sets the address of a preset, which applies unless {@link #listen} is called. */
    PeerBuilder presetListen(String address) {
        presetListen = List.of(EndpointAddress.parse(address));
        return this;
    }

    /** Sets how connections are protected. Default: {@link TransportSecurity#TLS}. */
    public PeerBuilder security(TransportSecurity value) {
        this.security = value;
        return this;
    }

    /** Sets the limits of the endpoint. Replaces the values of a preset such as {@link Peer#wan()}. */
    public PeerBuilder limits(EndpointLimits value) {
        return limits(replaced -> value);
    }

    /** Changes the limits of the endpoint. The function gets those of the preset or the defaults. */
    public PeerBuilder limits(UnaryOperator<EndpointLimits> change) {
        this.limits = change.apply(limits);
        return this;
    }

    /**
     * Makes the threads that serve the network poll for 50 µs before they sleep, which is the default, and for up to 200 µs while
     * that makes responses come sooner. A message that arrives within that time is read without the wake-up of a thread: a round
     * trip between two processes of one machine, or on a network of the same speed, takes a fraction of the time. A thread that
     * polls in vain polls less often. Polling costs most in a stream of messages that arrive every 20 to 50 µs, because the thread
     * then never sleeps: at 30,000 messages of 1 KB per second, a receiver used 62 % of a processor instead of 33 %, for a median
     * latency of 58 instead of 74 µs. At 1,000 messages per second it cost nothing. A process with one processor never polls.
     *
     * @see #preferEconomy()
     */
    public PeerBuilder preferLatency() {
        return limits(limits ->
                limits.toBuilder().maxSpin(TransportLimits.DEFAULTS.maxSpin()).build());
    }

    /**
     * Makes the threads that serve the network sleep as soon as they have nothing to do. Each message that finds them asleep pays
     * for a wake-up. Use it if processor time matters more than latency, or if the network is slower than 50 µs in any case.
     *
     * @see #preferLatency()
     */
    public PeerBuilder preferEconomy() {
        return limits(limits -> limits.toBuilder().maxSpin(Duration.ZERO).build());
    }

    /** Sets the source of time, timers and randomness, for tests. Default: {@link Scheduler#system()}. */
    public PeerBuilder scheduler(Scheduler value) {
        this.scheduler = value;
        return this;
    }

    /**
     * Sets the executor of user callbacks, such as the listeners of pipes and searches. It may be any executor, such as one that
     * starts a virtual thread for each task. Each listener has at most one task at a time; handlers of requests and acceptors of bidirectional
     * pipes have several. The peer never shuts the executor down, and runs nothing else on it. If it runs tasks in the calling thread, callbacks must not block. Default: daemon
     * threads named {@code parley-callback-N}, a bounded number at a time; idle threads end.
     */
    public PeerBuilder callbackExecutor(Executor value) {
        this.callbackExecutor = value;
        return this;
    }

    /**
     * Gives the peer event loops of its own. Default: all peers of this JVM share event loops, so that the number of threads does
     * not grow with the number of peers. Code that blocks an event loop then delays all of them. Threads for callbacks, and the
     * sockets of the local network, are shared in any case.
     */
    public PeerBuilder ownEventLoops() {
        ownEventLoops = true;
        return this;
    }

    /** Uses this transport in preference to those on the class path. */
    public PeerBuilder transport(TransportProvider value) {
        transports.add(value);
        return this;
    }

    /** Uses this message codec in preference to those on the class path. */
    public PeerBuilder codec(MessageCodec value) {
        codecs.add(value);
        return this;
    }

    /**
     * Sets the names of the message codecs to use, in order of preference. If two peers have several in common, the dialing
     * peer selects one. Default: all codecs that are found, {@code binary} first.
     *
     * @param names at least one, such as {@code fastinfoset}
     */
    public PeerBuilder codecs(String... names) {
        if (names.length == 0) {
            throw new IllegalArgumentException("codecs: none (expected: at least one name)");
        }
        this.codecNames = List.of(names);
        return this;
    }

    /**
     * Adds the address of a rendezvous: a peer through which this one publishes and searches beyond the local network. The
     * peer has a lease with one rendezvous at a time, and requests one from another if the lease is lost.
     *
     * @param address such as {@code tcp://rendezvous.example.org:9701}, or a peer address as in {@link PeerAddress#parse}
     * @throws IllegalArgumentException if {@code address} is neither
     * @see #rendezvous(EndpointAddress)
     * @see #rendezvous(PeerAddress)
     */
    public PeerBuilder rendezvous(String address) {
        return address.indexOf('@') >= 0
                ? rendezvous(PeerAddress.parse(address))
                : rendezvous(EndpointAddress.parse(address));
    }

    /** Adds the address of a rendezvous, whose peer id is not known: any peer that responds there is accepted. */
    public PeerBuilder rendezvous(EndpointAddress address) {
        overlay.addSeed(address);
        return this;
    }

    /** Adds the address of a rendezvous, which must authenticate with that peer id. */
    public PeerBuilder rendezvous(PeerAddress address) {
        overlay.addSeed(address);
        return this;
    }

    /**
     * Makes the peer a rendezvous: it grants leases, keeps an index of advertisements, and forwards group messages. Addresses
     * passed to {@link #rendezvous(String)} are then those of other rendezvous. The peer should listen on an address that
     * does not change.
     */
    public PeerBuilder actAsRendezvous() {
        overlay.actAsRendezvous(true);
        return this;
    }

    /**
     * Makes the peer a rendezvous as {@link #actAsRendezvous()} does, which serves only some peers. The predicates are
     * evaluated again at each renewal of a lease and each exchange with another rendezvous. They must be thread-safe and must
     * not block.
     *
     * @param clients whether a peer may be a client
     * @param fellows whether another rendezvous may store replicas, search here and forward group messages
     */
    public PeerBuilder actAsRendezvous(Predicate<PeerId> clients, Predicate<PeerId> fellows) {
        overlay.rendezvousAdmission(clients, fellows);
        return actAsRendezvous();
    }

    /** Sets the limits and intervals of a rendezvous and its clients. */
    public PeerBuilder rendezvousLimits(RendezvousLimits value) {
        return rendezvousLimits(replaced -> value);
    }

    /** Changes the limits and intervals of a rendezvous and its clients. */
    public PeerBuilder rendezvousLimits(UnaryOperator<RendezvousLimits> change) {
        overlay.rendezvousLimits(change);
        return this;
    }

    /** Sets the limits of the cache of other peers' advertisements. */
    public PeerBuilder storeLimits(StoreLimits value) {
        return storeLimits(replaced -> value);
    }

    /** Changes the limits of the cache of other peers' advertisements. */
    public PeerBuilder storeLimits(UnaryOperator<StoreLimits> change) {
        overlay.storeLimits(change);
        return this;
    }

    /** Sets the limits of publications and searches, for each group. */
    public PeerBuilder discoveryLimits(DiscoveryLimits value) {
        return discoveryLimits(replaced -> value);
    }

    /** Changes the limits of publications and searches, for each group. */
    public PeerBuilder discoveryLimits(UnaryOperator<DiscoveryLimits> change) {
        overlay.discoveryLimits(change);
        return this;
    }

    /** Changes the limits of the {@linkplain io.parley.group.PeerGroup#members views} of groups. */
    public PeerBuilder memberViewLimits(UnaryOperator<MemberViewLimits> change) {
        overlay.memberViewLimits(change);
        return this;
    }

    /** Sets the limits of queries, for each group. */
    public PeerBuilder resolverLimits(ResolverLimits value) {
        return resolverLimits(replaced -> value);
    }

    /** Changes the limits of queries, for each group. */
    public PeerBuilder resolverLimits(UnaryOperator<ResolverLimits> change) {
        overlay.resolverLimits(change);
        return this;
    }

    /** Sets the limits of the size and the structure of one advertisement. */
    public PeerBuilder advertisementLimits(AdvertisementLimits value) {
        return advertisementLimits(replaced -> value);
    }

    /** Changes the limits of the size and the structure of one advertisement. */
    public PeerBuilder advertisementLimits(UnaryOperator<AdvertisementLimits> change) {
        overlay.advertisementLimits(change);
        return this;
    }

    /**
     * Sets whether the peer discovers others, and is discovered, on the local network without any configured address. Requires
     * a transport for it on the class path ({@code parley-transport-udp}). Default: true.
     */
    public PeerBuilder multicast(boolean value) {
        overlay.multicast(value);
        return this;
    }

    /** Uses this transport on the local network, instead of one on the class path. */
    public PeerBuilder propagationTransport(PropagationTransportProvider value) {
        overlay.propagation(value);
        return this;
    }

    /**
     * Starts the peer: locks the home directory, loads or creates the identity, listens, and joins the net group. Work that
     * takes the network's time, such as finding a rendezvous, continues after this method has returned.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#HOME_IN_USE},
     *     {@link io.parley.error.ErrorCode#NO_TRANSPORT}, {@link io.parley.error.ErrorCode#NO_COMMON_CODEC} if one of
     *     {@link #codecs} is not found, {@link io.parley.error.ErrorCode#CANNOT_LISTEN} or
     *     {@link io.parley.error.ErrorCode#IDENTITY_UNREADABLE}; nothing keeps running then
     */
    public Peer start() {
        EndpointBuilder builder =
                Endpoint.builder().security(security).limits(limits).scheduler(scheduler);
        if (ownEventLoops) {
            builder.ownEventLoops();
        }
        (listen.isEmpty() ? presetListen : listen).forEach(builder::listen);
        relays.forEach(builder::listen);
        publicAddresses.forEach(builder::publicAddress);
        if (relayLimits != null) {
            builder.actAsRelay(relayLimits);
        }
        transports.forEach(builder::transport);
        codecs.forEach(builder::codec);
        if (!codecNames.isEmpty()) {
            builder.codecs(codecNames);
        }
        builder.preload();
        HomeLock homeLock = home == null ? HomeLock.none() : HomeLock.acquire(home);
        try {
            return start(builder, homeLock);
        } catch (RuntimeException | Error e) {
            homeLock.close();
            throw e;
        }
    }

    private Peer start(EndpointBuilder builder, HomeLock homeLock) {
        Identity self = identity();
        Endpoint endpoint = builder.identity(self).start();
        String displayName = name.isEmpty() ? self.peerId().shortText() : name;
        BoundedExecutor ownCallbacks = PeerExecutors.forCallbacks();
        BoundedExecutor work = PeerExecutors.forWork();
        Executor callbacks = callbackExecutor == null ? ownCallbacks : callbackExecutor;
        try {
            TransportContext context = new TransportContext(
                    self, security, limits.transport(), endpoint.metrics(), scheduler, ownEventLoops);
            PeerOverlay started = overlay.start(endpoint, context, displayName, home, callbacks, work);
            return new Peer(displayName, self, endpoint, started, callbacks, () -> {
                ownCallbacks.shutdown();
                work.shutdown();
                homeLock.close();
            });
        } catch (RuntimeException | Error e) {
            endpoint.close();
            ownCallbacks.shutdown();
            work.shutdown();
            throw e;
        }
    }

    private Identity identity() {
        if (identity != null) {
            return identity;
        }
        return home != null ? Identity.loadOrCreate(home) : Identity.generate();
    }
}
