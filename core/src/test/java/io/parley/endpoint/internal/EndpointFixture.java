package io.parley.endpoint.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.handler.ssl.SslProvider;
import io.parley.codec.MessageCodec;
import io.parley.codec.internal.BinaryMessageCodec;
import io.parley.common.Scheduler;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.testkit.ManualEventLoops;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.transport.TestTransports;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import io.parley.transport.tls.TlsHandlerFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** An in-memory network and the endpoints on it, which are closed with it. */
final class EndpointFixture implements AutoCloseable {

    static final Duration SOON = Duration.ofSeconds(Long.getLong("parley.test.soon", 20));
    static final ServiceAddress SERVICE = ServiceAddress.of("service");

    /** Longer than a test waits. */
    private static final Duration NEVER = SOON.multipliedBy(2);

    final InMemoryNetwork network;
    private final List<PeerEndpoint> endpoints = new ArrayList<>();
    private final List<Transport> transports = new ArrayList<>();

    EndpointFixture() {
        this(2);
    }

    /** @param threads the number of event loops of the network */
    EndpointFixture(int threads) {
        network = new InMemoryNetwork(threads);
    }

    /** Starts an endpoint that listens on an address of its own. */
    PeerEndpoint start(EndpointLimits limits) {
        PeerEndpoint endpoint = start(Identity.generate(), limits);
        join(endpoint.listen(EndpointAddress.parse("mem://any")));
        return endpoint;
    }

    PeerEndpoint start() {
        return start(EndpointLimits.DEFAULTS);
    }

    /** Starts an endpoint without servers, with further transports besides the in-memory one. */
    PeerEndpoint start(Identity identity, EndpointLimits limits, Transport... furtherTransports) {
        return start(identity, limits, TransportSecurity.TLS, furtherTransports);
    }

    PeerEndpoint start(
            Identity identity, EndpointLimits limits, TransportSecurity security, Transport... furtherTransports) {
        return start(identity, limits, security, List.of(new BinaryMessageCodec()), furtherTransports);
    }

    /** Starts an endpoint that listens on an address of its own and has these codecs. */
    PeerEndpoint start(EndpointLimits limits, MessageCodec... codecs) {
        PeerEndpoint endpoint = start(Identity.generate(), limits, TransportSecurity.TLS, List.of(codecs));
        join(endpoint.listen(EndpointAddress.parse("mem://any")));
        return endpoint;
    }

    /** Starts an endpoint that listens on an address of its own, and decodes large messages on {@code decoding}. */
    PeerEndpoint start(EndpointLimits requested, Executor decoding, MessageCodec codec) {
        EndpointLimits limits = withPatience(requested, Scheduler.system());
        Identity identity = Identity.generate();
        EndpointMetrics metrics = new EndpointMetrics();
        PeerEndpoint endpoint = new PeerEndpoint(
                identity.peerId(),
                List.of(network.transportProvider()
                        .create(new TransportContext(
                                identity, TransportSecurity.TLS, limits.transport(), metrics, Scheduler.system()))),
                List.of(codec),
                limits,
                metrics,
                Scheduler.system(),
                PeerEndpoint.newExecutor(false),
                decoding);
        endpoints.add(endpoint);
        join(endpoint.listen(EndpointAddress.parse("mem://any")));
        return endpoint;
    }

    /** Starts an endpoint without servers, all of whose threads and timers are in manual time. The caller must close it. */
    static PeerEndpoint startInManualTime(
            Identity identity,
            EndpointLimits limits,
            MessageCodec codec,
            InMemoryNetwork network,
            ManualScheduler scheduler,
            Transport... furtherTransports) {
        EndpointMetrics metrics = new EndpointMetrics();
        List<Transport> all = new ArrayList<>(Arrays.asList(furtherTransports));
        all.add(network.transportProvider()
                .create(new TransportContext(identity, TransportSecurity.TLS, limits.transport(), metrics, scheduler)));
        return new PeerEndpoint(
                identity.peerId(),
                all,
                List.of(codec),
                limits,
                metrics,
                scheduler,
                new ManualEventLoops(scheduler, 1).next(),
                new ManualEventLoops(scheduler, 1).next());
    }

    private PeerEndpoint start(
            Identity identity,
            EndpointLimits limits,
            TransportSecurity security,
            List<MessageCodec> codecs,
            Transport... furtherTransports) {
        return start(identity, limits, security, codecs, Scheduler.system(), furtherTransports);
    }

    /**
     * Starts an endpoint without servers whose timers are in the time of {@code scheduler}. Its transports are in system
     * time.
     */
    PeerEndpoint start(Identity identity, EndpointLimits limits, Scheduler scheduler, Transport... furtherTransports) {
        List<MessageCodec> codecs = List.of(new BinaryMessageCodec());
        return start(identity, limits, TransportSecurity.TLS, codecs, scheduler, furtherTransports);
    }

    private PeerEndpoint start(
            Identity identity,
            EndpointLimits requested,
            TransportSecurity security,
            List<MessageCodec> codecs,
            Scheduler scheduler,
            Transport... furtherTransports) {
        EndpointLimits limits = withPatience(requested, scheduler);
        EndpointMetrics metrics = new EndpointMetrics();
        List<Transport> all = new ArrayList<>(Arrays.asList(furtherTransports));
        all.add(network.transportProvider()
                .create(new TransportContext(identity, security, limits.transport(), metrics, Scheduler.system())));
        PeerEndpoint endpoint = new PeerEndpoint(identity.peerId(), all, codecs, limits, metrics, scheduler);
        endpoints.add(endpoint);
        return endpoint;
    }

    /** Starts an endpoint with secure channels that listens on an address of its own. */
    PeerEndpoint startSecure(
            Identity identity,
            EndpointLimits requested,
            TransportSecurity security,
            SslProvider provider,
            UnaryOperator<Transport> wrapper) {
        EndpointLimits limits = withPatience(requested, Scheduler.system());
        EndpointMetrics metrics = new EndpointMetrics();
        TransportContext context =
                new TransportContext(identity, security, limits.transport(), metrics, Scheduler.system());
        PeerEndpoint endpoint = new PeerEndpoint(
                identity.peerId(),
                new TlsHandlerFactory(context, () -> provider),
                List.of(wrapper.apply(network.transportProvider().create(context))),
                List.of(new BinaryMessageCodec()),
                limits,
                metrics,
                Scheduler.system(),
                PeerEndpoint.newExecutor(false),
                PeerEndpoint.newDecodingThreads());
        endpoints.add(endpoint);
        join(endpoint.listen(EndpointAddress.parse("mem://any")));
        return endpoint;
    }

    /**
     * Raises the default timeout of handshakes, and that of closes in system time, which a machine that stalls for seconds exceeds. The
     * handshakes of the transports are always in system time.
     */
    private static EndpointLimits withPatience(EndpointLimits limits, Scheduler scheduler) {
        TransportLimits timeouts = limits.transport();
        EndpointLimits.Builder patient = limits.toBuilder();
        if (timeouts.handshakeTimeout().equals(TransportLimits.DEFAULTS.handshakeTimeout())) {
            patient.handshakeTimeout(NEVER);
        }
        if (scheduler == Scheduler.system()
                && timeouts.closeTimeout().equals(TransportLimits.DEFAULTS.closeTimeout())) {
            patient.closeTimeout(NEVER);
        }
        return patient.build();
    }

    /** Returns a transport without an endpoint, for a test that writes the frames of a peer itself. */
    Transport transport(Identity identity) {
        return transport(identity, TransportSecurity.TLS);
    }

    Transport transport(Identity identity, TransportSecurity security) {
        Transport transport = network.transportProvider()
                .create(new TransportContext(
                        identity, security, TestTransports.PATIENT_LIMITS, new EndpointMetrics(), Scheduler.system()));
        transports.add(transport);
        return transport;
    }

    /** Closes a transport before the fixture is closed. */
    void close(Transport transport) {
        transports.remove(transport);
        join(transport.closeAsync());
    }

    /** Returns identities in the order of their peer ids, which decides about simultaneous dials. */
    static List<Identity> identities(int count) {
        List<Identity> identities = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            identities.add(Identity.generate());
        }
        identities.sort(Comparator.comparing(Identity::peerId));
        return identities;
    }

    /** Adds the addresses of each endpoint to all others. */
    static void exchangeAddresses(PeerEndpoint... endpoints) {
        for (PeerEndpoint endpoint : endpoints) {
            for (PeerEndpoint other : endpoints) {
                if (other != endpoint) {
                    endpoint.addPeerAddress(other.peerAddress());
                }
            }
        }
    }

    static PeerAddress at(PeerEndpoint endpoint, String... addresses) {
        return new PeerAddress(
                endpoint.peerId(),
                Arrays.stream(addresses).map(EndpointAddress::parse).toList());
    }

    static Message text(String text) {
        return Message.of("text", text);
    }

    static Message bytes(int size) {
        return Message.of("data", new byte[size]);
    }

    /** Returns the value of the future. The timeout only ends a test that hangs. */
    static <T> T join(CompletableFuture<T> future) {
        try {
            return future.get(SOON.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new AssertionError(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } catch (TimeoutException e) {
            throw new AssertionError("the future did not complete: " + future, e);
        }
    }

    static ParleyException failure(CompletableFuture<?> future) {
        Throwable thrown = catchThrowable(() -> join(future));
        assertThat(thrown).isInstanceOf(ParleyException.class);
        return (ParleyException) thrown;
    }

    static void assertFails(CompletableFuture<?> future, ErrorCode code, String... parts) {
        ParleyException failure = failure(future);
        assertThat(failure.code()).as("%s", failure).isEqualTo(code);
        for (String part : parts) {
            assertThat(failure.getMessage()).contains(part);
        }
    }

    static void until(String description, Callable<Boolean> condition) {
        Awaitility.await(description)
                .atMost(SOON)
                .pollInterval(Duration.ofMillis(2))
                .until(condition);
    }

    /** Sends as soon as the messenger is writable. */
    static CompletableFuture<Void> sendWhenWritable(PeerMessenger messenger, Message message) {
        while (true) {
            join(messenger.whenWritable());
            CompletableFuture<Void> sent = messenger.send(message);
            if (!sent.isCompletedExceptionally() || failure(sent).code() != ErrorCode.QUEUE_FULL) {
                return sent; // otherwise another thread has filled the queue
            }
        }
    }

    static long count(PeerEndpoint endpoint, Counter counter) {
        return endpoint.metrics().get(counter);
    }

    /** Waits for the active link to another endpoint, and returns it. */
    static Link link(PeerEndpoint from, PeerEndpoint to) {
        AtomicReference<@Nullable Link> found = new AtomicReference<>();
        until("a link from " + from + " to " + to, () -> {
            found.set(activeLink(from, to));
            return found.get() != null;
        });
        return Objects.requireNonNull(found.get());
    }

    static @Nullable Link activeLink(PeerEndpoint from, PeerEndpoint to) {
        Association association = from.association(to.peerId());
        return association == null ? null : association.activeLink();
    }

    /** Asserts that there is no state of remote peers: no association, no reserved memory, no open connection. */
    static void assertNothingLeft(PeerEndpoint endpoint) {
        until("the associations of " + endpoint + " to be removed", () -> endpoint.associationCount() == 0);
        assertNothingReserved(endpoint);
    }

    /** Asserts that there is no reserved memory and no open connection. */
    static void assertNothingReserved(PeerEndpoint endpoint) {
        until("the memory of " + endpoint + " to be released", () -> endpoint.reservedBytes() == 0);
        until(
                "the connections of " + endpoint + " to be closed",
                () -> count(endpoint, Counter.CONNECTIONS_OPENED) == count(endpoint, Counter.CONNECTIONS_CLOSED));
    }

    @Override
    public void close() {
        endpoints.forEach(PeerEndpoint::closeAsync);
        transports.forEach(Transport::closeAsync); // the peers of tests do not respond to GOODBYE
        endpoints.forEach(endpoint -> join(endpoint.whenClosed()));
        endpoints.forEach(EndpointFixture::assertNothingLeft);
        transports.forEach(transport -> join(transport.closeAsync()));
    }
}
