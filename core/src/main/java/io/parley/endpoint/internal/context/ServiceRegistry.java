package io.parley.endpoint.internal.context;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.encoding.EncodingPolicy;
import io.parley.encoding.EncodingScheme;
import io.parley.endpoint.ChannelAcceptor;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.ServiceOptions;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.transport.EndpointMetrics;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The services of this peer. Thread-safe. */
public final class ServiceRegistry {

    private static final Logger log = LoggerFactory.getLogger(ServiceRegistry.class);

    /** A channel through which a remote peer sends to a service. */
    public interface ServiceChannel {

        /** Refuses further messages, and removes the channel from its binding. Thread-safe. */
        void refuse(ErrorCode code, String text);
    }

    private final Duration closeTimeout;
    private final EndpointMetrics metrics;
    private final ConcurrentMap<ServiceAddress, Binding> bindings = new ConcurrentHashMap<>();

    /** @param closeTimeout the maximum time that the close of a binding waits for its listener */
    public ServiceRegistry(Duration closeTimeout, EndpointMetrics metrics) {
        this.closeTimeout = closeTimeout;
        this.metrics = metrics;
    }

    /**
     * Binds the listeners of its channels to a service.
     *
     * @param windowBytes the window of each sender, also if the options have none
     */
    public Binding bind(ServiceAddress service, int windowBytes, ServiceOptions options, ChannelAcceptor acceptor) {
        Binding binding = new Binding(service, windowBytes, options, acceptor);
        if (bindings.putIfAbsent(service, binding) != null) {
            throw ErrorCode.ALREADY_BOUND.exception(
                    "service " + service + ": has a listener already; close that registration first");
        }
        return binding;
    }

    @Nullable
    public Binding find(ServiceAddress service) {
        return bindings.get(service);
    }

    public void close() {
        bindings.values().forEach(Binding::closeAsync);
    }

    /**
     * A service with its listener and its channels. It is closed after its channels are closed, so that no call is in
     * progress.
     */
    public final class Binding implements AsyncCloseable {

        private final ServiceAddress service;
        private final int windowBytes;
        private final ServiceOptions options;
        private final ChannelAcceptor acceptor;
        private final RateLimitedLogger failureLog = new RateLimitedLogger(log);
        private final Set<ServiceChannel> channels = ConcurrentHashMap.newKeySet();
        private final AtomicBoolean closing = new AtomicBoolean();
        private final CompletableFuture<Void> closed = new CompletableFuture<>();

        private Binding(ServiceAddress service, int windowBytes, ServiceOptions options, ChannelAcceptor acceptor) {
            this.service = service;
            this.windowBytes = windowBytes;
            this.options = options;
            this.acceptor = acceptor;
        }

        public ServiceAddress service() {
            return service;
        }

        public int windowBytes() {
            return windowBytes;
        }

        EndpointMetrics metrics() {
            return metrics;
        }

        /** Returns the log of failures of the listeners. There is one for all channels, because a remote peer can open many. */
        public RateLimitedLogger failureLog() {
            return failureLog;
        }

        /**
         * Accepts a channel of a remote peer.
         *
         * @throws io.parley.error.ParleyException if the service refuses it
         */
        public ChannelSubscription subscribe(PeerId sender) {
            return new ChannelSubscription(this, sender, acceptor.accept(sender));
        }

        /** Returns whether all channels must be secure ones; otherwise none is. */
        public boolean isSecure() {
            return options.secure();
        }

        public boolean isZeroCopy() {
            return options.zeroCopy();
        }

        /**
         * Returns the schemes of this service among those that a sender offers.
         *
         * @param acknowledged whether the messages of the channel are acknowledged, which schemes with state require
         */
        public List<EncodingScheme> select(List<String> offered, boolean acknowledged) {
            List<EncodingScheme> schemes = options.schemes();
            return offered.isEmpty() || schemes.isEmpty()
                    ? List.of()
                    : schemes.stream()
                            .filter(scheme -> acknowledged || scheme.maxStateBytes() == 0)
                            .filter(scheme -> offered.contains(scheme.name()))
                            .limit(EncodingPolicy.MAX_SCHEMES)
                            .toList();
        }

        /** Adds an open channel. Must be called before the channel delivers a message. */
        public void add(ServiceChannel channel) {
            channels.add(channel);
            if (isClosing()) {
                refuse(channel);
            }
        }

        /** Removes a closed channel. */
        public void remove(ServiceChannel channel) {
            channels.remove(channel);
            completeIfUnused();
        }

        private void refuse(ServiceChannel channel) {
            channel.refuse(ErrorCode.CLOSED, "the service is closed");
        }

        private void completeIfUnused() {
            if (isClosing() && channels.isEmpty()) {
                closed.complete(null);
            }
        }

        @Override
        public CompletableFuture<Void> closeAsync() {
            if (closing.compareAndSet(false, true)) {
                bindings.remove(service, this);
                channels.forEach(this::refuse);
                completeIfUnused();
            }
            return closed.copy();
        }

        @Override
        public CompletableFuture<Void> whenClosed() {
            return closed.copy();
        }

        @Override
        public boolean isClosing() {
            return closing.get();
        }

        @Override
        public void close() {
            Closeables.closeAndAwait(this, closeTimeout);
        }

        @Override
        public String toString() {
            return "registration of service " + service;
        }
    }
}
