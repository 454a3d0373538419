package io.parley.endpoint.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.parley.codec.BinaryMessageCodec;
import io.parley.codec.MessageCodec;
import io.parley.common.Scheduler;
import io.parley.endpoint.EndpointLimits;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.transport.EndpointAddress;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import io.parley.transport.PeerAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportLimits;
import io.parley.transport.TransportSecurity;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A network in memory and the endpoints on it, which end with it. */
final class EndpointFixture implements AutoCloseable {

    static final Duration SOON = Duration.ofSeconds(Long.getLong("parley.test.soon", 20));
    static final ServiceAddress SERVICE = ServiceAddress.of("service");

    final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<PeerEndpoint> endpoints = new ArrayList<>();
    private final List<Transport> transports = new ArrayList<>();

    /** An endpoint that listens on an address of its own. */
    PeerEndpoint start(EndpointLimits limits) {
        PeerEndpoint endpoint = start(Identity.generate(), limits);
        join(endpoint.listen(EndpointAddress.parse("mem://any")));
        return endpoint;
    }

    PeerEndpoint start() {
        return start(EndpointLimits.DEFAULTS);
    }

    /** An endpoint that listens nowhere, with further transports beside the one in memory. */
    PeerEndpoint start(Identity identity, EndpointLimits limits, Transport... further) {
        return start(identity, limits, TransportSecurity.TLS, further);
    }

    PeerEndpoint start(Identity identity, EndpointLimits limits, TransportSecurity security, Transport... further) {
        return start(identity, limits, security, List.of(new BinaryMessageCodec()), further);
    }

    /** An endpoint that listens on an address of its own and speaks these codecs. */
    PeerEndpoint start(EndpointLimits limits, MessageCodec... codecs) {
        PeerEndpoint endpoint = start(Identity.generate(), limits, TransportSecurity.TLS, List.of(codecs));
        join(endpoint.listen(EndpointAddress.parse("mem://any")));
        return endpoint;
    }

    private PeerEndpoint start(
            Identity identity,
            EndpointLimits limits,
            TransportSecurity security,
            List<MessageCodec> codecs,
            Transport... further) {
        return start(identity, limits, security, codecs, new DefaultEventExecutor(), further);
    }

    /** An endpoint that listens nowhere, never gets to do what it puts off, and has that further transport. */
    PeerEndpoint startWithoutPatience(Identity identity, Transport further) {
        List<MessageCodec> codecs = List.of(new BinaryMessageCodec());
        return start(identity, EndpointLimits.DEFAULTS, TransportSecurity.TLS, codecs, new StandingTimer(), further);
    }

    /** For which every delay is a year. */
    private static final class StandingTimer extends SingleThreadEventExecutor {

        private StandingTimer() {
            super(null, new DefaultThreadFactory("standing-timer"), true);
        }

        @Override
        protected void run() {
            do {
                Runnable task = takeTask();
                if (task != null) {
                    task.run();
                    updateLastExecutionTime();
                }
            } while (!confirmShutdown());
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            return super.schedule(task, delay == 0 ? 0 : 365, TimeUnit.DAYS);
        }
    }

    private PeerEndpoint start(
            Identity identity,
            EndpointLimits limits,
            TransportSecurity security,
            List<MessageCodec> codecs,
            EventExecutor timer,
            Transport... further) {
        EndpointMetrics metrics = new EndpointMetrics();
        List<Transport> all = new ArrayList<>(Arrays.asList(further));
        all.add(network.transportProvider()
                .create(new TransportContext(identity, security, limits.transport(), metrics, Scheduler.system())));
        PeerEndpoint endpoint = new PeerEndpoint(identity.peerId(), all, codecs, limits, metrics, timer);
        endpoints.add(endpoint);
        return endpoint;
    }

    /** A transport without an endpoint, to play a peer by hand. */
    Transport transport(Identity identity) {
        Transport transport = network.transportProvider()
                .create(new TransportContext(
                        identity,
                        TransportSecurity.TLS,
                        TransportLimits.DEFAULTS,
                        new EndpointMetrics(),
                        Scheduler.system()));
        transports.add(transport);
        return transport;
    }

    /** Identities in the order of their peer ids, which decides about simultaneous dials. */
    static List<Identity> identities(int count) {
        List<Identity> identities = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            identities.add(Identity.generate());
        }
        identities.sort(Comparator.comparing(Identity::peerId));
        return identities;
    }

    static void introduce(PeerEndpoint... endpoints) {
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

    /** The value, within a time that only has to end what hangs. */
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

    static void until(String what, Callable<Boolean> condition) {
        Awaitility.await(what).atMost(SOON).pollInterval(Duration.ofMillis(2)).until(condition);
    }

    static long count(PeerEndpoint endpoint, Counter counter) {
        return endpoint.metrics().get(counter);
    }

    /** The live link to another endpoint, which may still be about to open. */
    static Link link(PeerEndpoint from, PeerEndpoint to) {
        AtomicReference<@Nullable Link> found = new AtomicReference<>();
        until("a link from " + from + " to " + to, () -> {
            found.set(liveLink(from, to));
            return found.get() != null;
        });
        return Objects.requireNonNull(found.get());
    }

    static @Nullable Link liveLink(PeerEndpoint from, PeerEndpoint to) {
        Association association = from.association(to.peerId());
        return association == null ? null : association.activeLink();
    }

    /** Nothing of other peers is left: no association, no memory claimed, no connection counted as open. */
    static void assertNothingLeft(PeerEndpoint endpoint) {
        until("associations of " + endpoint + " to go: " + endpoint.associationCount(), () -> {
            return endpoint.associationCount() == 0;
        });
        until("claimed memory of " + endpoint + " to be given back", () -> endpoint.claimedBytes() == 0);
        assertThat(count(endpoint, Counter.CONNECTIONS_OPENED)).isEqualTo(count(endpoint, Counter.CONNECTIONS_CLOSED));
    }

    @Override
    public void close() {
        endpoints.forEach(PeerEndpoint::closeAsync);
        endpoints.forEach(endpoint -> join(endpoint.whenClosed()));
        endpoints.forEach(EndpointFixture::assertNothingLeft);
        transports.forEach(transport -> join(transport.closeAsync()));
    }
}
