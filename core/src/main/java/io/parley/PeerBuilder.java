package io.parley;

import io.parley.codec.MessageCodec;
import io.parley.codec.MessageCodecs;
import io.parley.endpoint.EndpointAddress;
import io.parley.endpoint.EndpointMetrics;
import io.parley.endpoint.Limits;
import io.parley.endpoint.Security;
import io.parley.endpoint.Transport;
import io.parley.endpoint.TransportContext;
import io.parley.endpoint.TransportProvider;
import io.parley.endpoint.link.PeerEndpoint;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.identity.IdentityStore;
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
    private Security security = Security.TLS;
    private Limits limits = Limits.DEFAULTS;
    private final List<EndpointAddress> listen = new ArrayList<>();
    private final List<TransportProvider> transports = new ArrayList<>();
    private final List<MessageCodec> codecs = new ArrayList<>();
    private List<String> codecNames = List.of();

    PeerBuilder() {}

    /** The name people see; by default the start of the peer's id. */
    public PeerBuilder name(String value) {
        this.name = value;
        return this;
    }

    /** Where the identity is kept: made on the first start, loaded afterwards. Without a home it is forgotten. */
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

    /** How connections are protected; {@link Security#TLS} unless said otherwise. */
    public PeerBuilder security(Security value) {
        this.security = value;
        return this;
    }

    /** The bounds on what other peers can make this one hold. */
    public PeerBuilder limits(Limits value) {
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
     * Starts the peer: reads or makes its identity and listens.
     *
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#NO_TRANSPORT},
     *     {@link io.parley.error.ErrorCode#NO_COMMON_CODEC} when one of {@link #codecs} is not there,
     *     {@link io.parley.error.ErrorCode#CANNOT_LISTEN} or {@link io.parley.error.ErrorCode#IDENTITY_UNREADABLE};
     *     nothing is left running then
     */
    public Peer start() {
        List<MessageCodec> spoken = spokenCodecs();
        Identity self = identity();
        EndpointMetrics metrics = new EndpointMetrics();
        TransportContext context = new TransportContext(self, security, limits, metrics, Clock.systemUTC());
        PeerEndpoint endpoint = new PeerEndpoint(self.peerId(), transports(context), spoken, limits, metrics);
        String shownName = name.isEmpty() ? self.peerId().shortText() : name;
        Peer peer = new Peer(shownName, self, endpoint, new CallbackExecutor(shownName));
        try {
            for (EndpointAddress address : listen) {
                endpoint.listen(address).join();
            }
            return peer;
        } catch (CompletionException e) {
            peer.close();
            throw e.getCause() instanceof ParleyException failure ? failure : e;
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
        MessageCodecs installed = MessageCodecs.installed();
        installed.names().forEach(name -> found.computeIfAbsent(name, installed::get));
        MessageCodecs all = MessageCodecs.of(found.values().toArray(MessageCodec[]::new));
        List<String> spoken = codecNames.isEmpty() ? List.copyOf(all.names()) : codecNames;
        return spoken.stream().distinct().map(all::get).toList();
    }

    private List<Transport> transports(TransportContext context) {
        List<TransportProvider> providers = new ArrayList<>(transports);
        ServiceLoader.load(TransportProvider.class, PeerBuilder.class.getClassLoader())
                .forEach(providers::add);
        Set<String> served = new HashSet<>();
        List<Transport> created = new ArrayList<>();
        for (TransportProvider provider : providers) {
            if (served.addAll(provider.schemes())) {
                created.add(provider.create(context));
            }
        }
        return created;
    }
}
