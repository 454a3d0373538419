package io.parley;

import io.parley.codec.MessageCodec;
import io.parley.common.Scheduler;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointBuilder;
import io.parley.endpoint.EndpointLimits;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.store.StoreLimits;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import io.parley.transport.PropagationTransportProvider;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects a peer's settings; {@link #start()} checks them and starts the peer. Not thread-safe. */
public final class PeerBuilder {

    private String name = "";
    private @Nullable Path home;
    private @Nullable Identity identity;
    private TransportSecurity security = TransportSecurity.TLS;
    private EndpointLimits limits = EndpointLimits.DEFAULTS;
    private Scheduler scheduler = Scheduler.system();
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

    /** Sets the source of time, timers and randomness, for tests. Default: {@link Scheduler#system()}. */
    public PeerBuilder scheduler(Scheduler value) {
        this.scheduler = value;
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
    public PeerBuilder propagationTransport(PropagationTransportProvider value) {
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
        EndpointBuilder builder =
                Endpoint.builder().security(security).limits(limits).scheduler(scheduler);
        listen.forEach(builder::listen);
        transports.forEach(builder::transport);
        codecs.forEach(builder::codec);
        if (!codecNames.isEmpty()) {
            builder.codecs(codecNames);
        }
        builder.preload();
        Identity self = identity();
        Endpoint endpoint = builder.identity(self).start();
        String shownName = name.isEmpty() ? self.peerId().shortText() : name;
        CallbackExecutor callbacks = new CallbackExecutor();
        try {
            TransportContext context =
                    new TransportContext(self, security, limits.transport(), endpoint.metrics(), scheduler);
            PeerOverlay started = overlay.start(endpoint, context, shownName, home, callbacks);
            return new Peer(shownName, self, endpoint, started, callbacks);
        } catch (RuntimeException e) {
            endpoint.close();
            callbacks.shutdown();
            throw e;
        }
    }

    private Identity identity() {
        Identity given = identity;
        if (given != null) {
            return given;
        }
        Path directory = home;
        return directory != null ? Identity.loadOrCreate(directory) : Identity.generate();
    }
}
