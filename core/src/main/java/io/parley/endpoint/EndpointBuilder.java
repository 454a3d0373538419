package io.parley.endpoint;

import io.netty.util.concurrent.EventExecutor;
import io.parley.codec.MessageCodec;
import io.parley.codec.internal.MessageCodecRegistry;
import io.parley.common.Scheduler;
import io.parley.endpoint.internal.PeerEndpoint;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.RelayLimits;
import io.parley.transport.RelayTransport;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import io.parley.transport.TransportSecurity;
import io.parley.transport.tls.TlsHandlerFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Builds an {@link Endpoint}. Not thread-safe. */
public final class EndpointBuilder {

    private @Nullable Identity identity;
    private TransportSecurity security = TransportSecurity.TLS;
    private EndpointLimits limits = EndpointLimits.DEFAULTS;
    private Scheduler scheduler = Scheduler.system();
    private final List<EndpointAddress> addresses = new ArrayList<>();
    private final List<EndpointAddress> publicAddresses = new ArrayList<>();
    private final List<TransportProvider> transports = new ArrayList<>();
    private final List<MessageCodec> codecs = new ArrayList<>();
    private List<String> codecNames = List.of();
    private boolean ownEventLoops;
    private @Nullable Supplier<EventExecutor> executor;
    private @Nullable RelayLimits relay;

    EndpointBuilder() {}

    /** Sets the identity. Required. */
    public EndpointBuilder identity(Identity value) {
        this.identity = value;
        return this;
    }

    /** Adds an address to listen on. Port 0 means any free port. */
    public EndpointBuilder listen(EndpointAddress address) {
        addresses.add(address);
        return this;
    }

    /**
     * Adds an address at which a router or a reverse proxy passes connections on to this endpoint. It comes before those on which the
     * endpoint listens in {@link Endpoint#addresses()}, which other peers get.
     *
     * @throws IllegalArgumentException if the host is a wildcard, or the port is 0
     */
    public EndpointBuilder publicAddress(EndpointAddress address) {
        PeerEndpoint.requirePublicAddress(address);
        publicAddresses.add(address);
        return this;
    }

    /**
     * Makes the endpoint a relay on all addresses on which it listens, if their transports can serve one: other endpoints listen at it, at
     * {@code relay+tcp://host:port} instead of {@code tcp://host:port}, and are reached through it.
     */
    public EndpointBuilder actAsRelay(RelayLimits value) {
        relay = value;
        return this;
    }

    /** Sets the protection of connections. Default: {@link TransportSecurity#TLS}. */
    public EndpointBuilder security(TransportSecurity value) {
        this.security = value;
        return this;
    }

    /** Sets the limits. Default: {@link EndpointLimits#DEFAULTS}. */
    public EndpointBuilder limits(EndpointLimits value) {
        this.limits = value;
        return this;
    }

    /** Sets the source of time, timers and randomness. Default: {@link Scheduler#system()}. */
    public EndpointBuilder scheduler(Scheduler value) {
        this.scheduler = value;
        return this;
    }

    /**
     * Gives the endpoint event loops of its own. Default: all endpoints of this JVM share event loops, so that the number of
     * threads does not grow with the number of peers. A listener that blocks an event loop then delays all of them. The network
     * of {@code mem://} addresses has event loops of its own in any case.
     */
    public EndpointBuilder ownEventLoops() {
        ownEventLoops = true;
        return this;
    }

    /**
     * Sets the source of the executor that runs dialers and decodes large messages. The endpoint then owns it. For tests in manual
     * time.
     */
    EndpointBuilder executor(Supplier<EventExecutor> value) {
        this.executor = value;
        return this;
    }

    /** Adds a transport, which takes precedence over transports on the class path. */
    public EndpointBuilder transport(TransportProvider value) {
        transports.add(value);
        return this;
    }

    /** Adds a message codec, which takes precedence over codecs on the class path. */
    public EndpointBuilder codec(MessageCodec value) {
        codecs.add(value);
        return this;
    }

    /**
     * Sets the names of the message codecs, in order of preference. If two peers have several codecs in common, the dialer
     * selects one. Default: all codecs on the class path, {@code binary} first.
     *
     * @param names at least one name, such as {@code fastinfoset}
     */
    public EndpointBuilder codecs(List<String> names) {
        if (names.isEmpty()) {
            throw new IllegalArgumentException("codecs: [] (expected: at least one name)");
        }
        this.codecNames = List.copyOf(names);
        return this;
    }

    /**
     * Starts to load the native libraries and TLS contexts of the transports in the background. Optional. Shortens a cold start if
     * other work, such as reading an identity, happens between this call and {@link #start}.
     *
     * @throws ParleyException {@link io.parley.error.ErrorCode#NO_COMMON_CODEC} if one of {@link #codecs} is not found
     */
    public EndpointBuilder preload() {
        selectedCodecs(); // fails before work that leaves traces, such as the creation of an identity
        providers().forEach(provider -> provider.preload(security));
        return this;
    }

    /**
     * Starts the endpoint and listens on all addresses. Waits until all servers are bound.
     *
     * @throws IllegalStateException if no identity is set
     * @throws ParleyException {@link io.parley.error.ErrorCode#NO_TRANSPORT}, also if none can serve a {@linkplain #actAsRelay relay},
     *     {@link io.parley.error.ErrorCode#NO_COMMON_CODEC} if one of {@link #codecs} is not found, or
     *     {@link io.parley.error.ErrorCode#CANNOT_LISTEN}; all resources are released then
     */
    public Endpoint start() {
        Identity self = identity;
        if (self == null) {
            throw new IllegalStateException(
                    "identity: not set (expected: EndpointBuilder.identity(...) before start())");
        }
        List<MessageCodec> selected = selectedCodecs();
        EndpointMetrics metrics = new EndpointMetrics();
        TransportContext context =
                new TransportContext(self, security, limits.transport(), metrics, scheduler, ownEventLoops);
        List<Transport> created = new ArrayList<>();
        PeerEndpoint endpoint;
        try {
            providers().forEach(provider -> created.add(provider.create(context)));
            if (relay != null) {
                serve(relay, created);
            }
            EventExecutor dialing = executor == null ? PeerEndpoint.newExecutor(ownEventLoops) : executor.get();
            Executor decoding = executor == null ? PeerEndpoint.newDecodingThreads() : dialing;
            endpoint = new PeerEndpoint(
                    self.peerId(),
                    new TlsHandlerFactory(context),
                    created,
                    selected,
                    limits,
                    metrics,
                    scheduler,
                    dialing,
                    decoding);
        } catch (RuntimeException | Error e) {
            created.forEach(Transport::close);
            throw e;
        }
        try {
            publicAddresses.forEach(endpoint::addPublicAddress);
            for (EndpointAddress address : addresses) {
                endpoint.listen(address).join();
            }
            return endpoint;
        } catch (RuntimeException e) {
            endpoint.close();
            throw ParleyException.unchecked(e);
        } catch (Error e) {
            endpoint.close();
            throw e;
        }
    }

    private static void serve(RelayLimits limits, List<Transport> transports) {
        List<RelayTransport> serving = transports.stream()
                .filter(RelayTransport.class::isInstance)
                .map(RelayTransport.class::cast)
                .toList();
        if (serving.isEmpty()) {
            throw ErrorCode.NO_TRANSPORT.exception("relay: no transport can serve one; add the artifact"
                    + " io.parley:parley-transport-tcp or io.parley:parley-transport-http to the class path");
        }
        serving.forEach(transport -> transport.serve(limits));
    }

    private List<MessageCodec> selectedCodecs() {
        Map<String, MessageCodec> found = new LinkedHashMap<>();
        codecs.forEach(codec -> found.putIfAbsent(codec.name(), codec));
        MessageCodecRegistry installed = MessageCodecRegistry.installed();
        installed.names().forEach(name -> found.computeIfAbsent(name, installed::get));
        MessageCodecRegistry all = MessageCodecRegistry.of(found.values().toArray(MessageCodec[]::new));
        List<String> names = codecNames.isEmpty() ? List.copyOf(all.names()) : codecNames;
        return names.stream().distinct().map(all::get).toList();
    }

    /** Returns the added providers, then the providers on the class path that serve other schemes. */
    private List<TransportProvider> providers() {
        List<TransportProvider> all = new ArrayList<>(transports);
        ServiceLoader.load(TransportProvider.class, EndpointBuilder.class.getClassLoader())
                .forEach(all::add);
        Set<String> served = new HashSet<>();
        all.removeIf(provider -> !served.addAll(provider.schemes()));
        return all;
    }
}
