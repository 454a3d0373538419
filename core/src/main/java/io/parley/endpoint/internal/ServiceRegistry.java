package io.parley.endpoint.internal;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.EndpointListener;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The services of this peer. Safe from any thread. */
final class ServiceRegistry {

    private final ConcurrentMap<ServiceAddress, Binding> bindings = new ConcurrentHashMap<>();

    /** @param windowBytes what each sender may have in flight */
    Binding bind(ServiceAddress service, int windowBytes, EndpointListener listener, boolean lending) {
        Binding binding = new Binding(service, windowBytes, listener, lending);
        if (bindings.putIfAbsent(service, binding) != null) {
            throw ErrorCode.ALREADY_BOUND.exception(
                    "service " + service + " has a listener already; close that one first");
        }
        return binding;
    }

    @Nullable
    Binding find(ServiceAddress service) {
        return bindings.get(service);
    }

    void close() {
        bindings.values().forEach(Binding::closeAsync);
    }

    /** One service: its listener, and the channels through which other peers send to it. */
    final class Binding implements AsyncCloseable {

        private final ServiceAddress service;
        private final int windowBytes;
        private final EndpointListener listener;
        private final boolean lending;
        private final Set<InboundChannel> channels = ConcurrentHashMap.newKeySet();
        private final CompletableFuture<Void> closed = new CompletableFuture<>();

        private Binding(ServiceAddress service, int windowBytes, EndpointListener listener, boolean lending) {
            this.service = service;
            this.windowBytes = windowBytes;
            this.listener = listener;
            this.lending = lending;
        }

        ServiceAddress service() {
            return service;
        }

        int windowBytes() {
            return windowBytes;
        }

        EndpointListener listener() {
            return listener;
        }

        /** Whether messages are lent to the listener until it returns. */
        boolean isLending() {
            return lending;
        }

        void add(InboundChannel channel) {
            channels.add(channel);
            if (isClosing()) {
                channel.refuse(ErrorCode.CLOSED, "service " + service + " is closed");
            }
        }

        void remove(InboundChannel channel) {
            channels.remove(channel);
        }

        @Override
        public CompletableFuture<Void> closeAsync() {
            if (bindings.remove(service, this)) {
                closed.complete(null);
                channels.forEach(channel -> channel.refuse(ErrorCode.CLOSED, "service " + service + " is closed"));
            }
            return closed.copy();
        }

        @Override
        public CompletableFuture<Void> whenClosed() {
            return closed.copy();
        }

        @Override
        public boolean isClosing() {
            return closed.isDone();
        }

        @Override
        public void close() {
            closeAsync();
        }
    }
}
