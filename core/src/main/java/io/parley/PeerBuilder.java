package io.parley;

import io.parley.advertisement.store.StoreLimits;
import io.parley.codec.MessageCodec;
import io.parley.codec.MessageCodecRegistry;
import io.parley.endpoint.EndpointAddress;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.EndpointMetrics;
import io.parley.endpoint.PeerAddress;
import io.parley.endpoint.PropagationTransportProvider;
import io.parley.endpoint.TransportContext;
import io.parley.endpoint.TransportProvider;
import io.parley.endpoint.TransportSecurity;
import io.parley.endpoint.link.PeerEndpoint;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.identity.IdentityStore;
import io.parley.rendezvous.RendezvousLimits;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Collects a peer's settings; {@link #start()} checks them and starts the peer. Not thread-safe. */
public final class PeerBuilder {

    private String name = "";
    private @Nullable Path home;
    private @Nullable Identity identity;
    private TransportSecurity security = TransportSecurity.TLS;
    private EndpointLimits limits = EndpointLimits.DEFAULTS;
    private final List<EndpointAddress> listen = new ArrayList<>();
    private final List<TransportProvider> transports = new ArrayList<>();
    private final List<MessageCodec> codecs = new ArrayList<>();
    private List<String> codecNames = List.of();
    private final PeerOverlayBuilder overlay = new PeerOverlayBuilder();

    PeerBuilder() {}

    /** The name people see; by default the start of the peer's id. */
    public PeerBuilder name(String value) {
        this.name = value;
        return this;
    }

    /**
     * Where the identity and what this peer has heard of others are kept: made on the first start, loaded afterwards.
     * Without a home they are forgotten.
     */
    public PeerBuilder home(Path value) {
        this.home = value;
        return this;
    }

    /** The identity to use instead of one from a home directory. */
    public PeerBuilder identity(Identity value) {
        this.identity = value;
        return this;
    }

    /**
     * Listens there as well. Port 0 stands for any free port.
     *
     * @param address such as {@code tcp://0.0.0.0:9701} or {@code mem://alice}
     * @throws IllegalArgumentException when it is no address
     */
    public PeerBuilder listen(String address) {
        listen.add(EndpointAddress.parse(address));
        return this;
    }

    /** How connections are protected; {@link TransportSecurity#TLS} unless said otherwise. */
    public PeerBuilder security(TransportSecurity value) {
        this.security = value;
        return this;
    }

    /** The bounds on what other peers can make this one hold. */
    public PeerBuilder limits(EndpointLimits value) {
        this.limits = value;
        return this;
    }

    /** Uses this transport before those on the class path. */
    public PeerBuilder transport(TransportProvider value) {
        transports.add(value);
        return this;
    }

    /** Uses this message codec before those on the class path. */
    public PeerBuilder codec(MessageCodec value) {
        codecs.add(value);
        return this;
    }

    /**
     * The message codecs that the peer speaks, in order of preference, and no others. Where two peers have several in
     * common, the one that dials has the choice. Unless said otherwise all that are found, the binary one first.
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
     * Looks for a rendezvous there, beside those named before: a peer that tells this one what others publish, wherever they
     * are. This peer has a lease with one of them at a time, and turns to another when that is lost.
     *
     * @param address such as {@code tcp://rendezvous.example.org:9701}, where whoever answers is taken for it, or with the
     *     id that it has to prove, as in {@link PeerAddress#parse}
     * @throws IllegalArgumentException when it is no address
     */
    public PeerBuilder rendezvous(String address) {
        overlay.addSeed(address);
        return this;
    }

    /**
     * Serves others as a rendezvous: keeps an index of what they publish, and passes on what they say to a group. Those
     * named with {@link #rendezvous(String)} are then others of its kind. It should listen on an address that does not change.
     */
    public PeerBuilder actAsRendezvous() {
        overlay.actAsRendezvous(true);
        return this;
    }

    /** The bounds on what a rendezvous takes, and how often what is done. */
    public PeerBuilder rendezvousLimits(RendezvousLimits value) {
        overlay.rendezvousLimits(value);
        return this;
    }

    /** The bounds on what is kept of what others publish. */
    public PeerBuilder storeLimits(StoreLimits value) {
        overlay.storeLimits(value);
        return this;
    }

    /**
     * Whether peers on the local network find this one and are found by it, without anything being said about addresses.
     * They do unless told otherwise, where a transport for it is on the class path ({@code parley-transport-udp}).
     */
    public PeerBuilder multicast(boolean value) {
        overlay.multicast(value);
        return this;
    }

    /** Uses this transport to find peers nearby instead of one on the class path. */
    public PeerBuilder propagation(PropagationTransportProvider value) {
        overlay.propagation(value);
        return this;
    }

    /**
     * Starts the peer: reads or makes its identity, listens, and joins the net group. What takes the network's time, such as
     * finding a rendezvous, goes on when this has returned.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#NO_TRANSPORT},
     *     {@link io.parley.error.ErrorCode#NO_COMMON_CODEC} when one of {@link #codecs} is not there,
     *     {@link io.parley.error.ErrorCode#CANNOT_LISTEN} or {@link io.parley.error.ErrorCode#IDENTITY_UNREADABLE};
     *     nothing is left running then
     */
    public Peer start() {
        List<TransportProvider> providers = providers();
        providers.forEach(provider -> provider.prepare(security));
        List<MessageCodec> spoken = spokenCodecs();
        Identity self = identity();
        EndpointMetrics metrics = new EndpointMetrics();
        TransportContext context = new TransportContext(self, security, limits, metrics, Clock.systemUTC());
        PeerEndpoint endpoint = new PeerEndpoint(
                self.peerId(),
                providers.stream().map(provider -> provider.create(context)).toList(),
                spoken,
                limits,
                metrics);
        String shownName = name.isEmpty() ? self.peerId().shortText() : name;
        CallbackExecutor callbacks = new CallbackExecutor();
        try {
            for (EndpointAddress address : listen) {
                endpoint.listen(address).join();
            }
            PeerOverlay started = overlay.start(endpoint, context, shownName, home, callbacks);
            return new Peer(shownName, self, endpoint, started, callbacks);
        } catch (RuntimeException e) {
            endpoint.close();
            callbacks.shutdown();
            throw e instanceof CompletionException && e.getCause() instanceof ParleyException failure ? failure : e;
        }
    }

    private Identity identity() {
        Identity given = identity;
        if (given != null) {
            return given;
        }
        Path directory = home;
        return directory != null ? IdentityStore.loadOrCreate(directory) : Identity.generate();
    }

    private List<MessageCodec> spokenCodecs() {
        Map<String, MessageCodec> found = new LinkedHashMap<>();
        codecs.forEach(codec -> found.putIfAbsent(codec.name(), codec));
        MessageCodecRegistry installed = MessageCodecRegistry.installed();
        installed.names().forEach(name -> found.computeIfAbsent(name, installed::get));
        MessageCodecRegistry all = MessageCodecRegistry.of(found.values().toArray(MessageCodec[]::new));
        List<String> spoken = codecNames.isEmpty() ? List.copyOf(all.names()) : codecNames;
        return spoken.stream().distinct().map(all::get).toList();
    }

    /** Those that were given, then those on the class path that serve something else. */
    private List<TransportProvider> providers() {
        List<TransportProvider> all = new ArrayList<>(transports);
        ServiceLoader.load(TransportProvider.class, PeerBuilder.class.getClassLoader())
                .forEach(all::add);
        Set<String> served = new HashSet<>();
        all.removeIf(provider -> !served.addAll(provider.schemes()));
        return all;
    }
}
