package io.parley.endpoint.internal;

import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import io.parley.transport.Transport;
import io.parley.transport.TransportServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Connections in memory. Those at {@code relay+mem://name} have relayed addresses, and are in fact at {@code mem://name}. */
record RelayedMemoryTransport(Transport memory) implements Transport {

    @Override
    public Set<String> schemes() {
        return Set.of("relay+mem", "mem");
    }

    @Override
    public CompletableFuture<Connection> dial(EndpointAddress address, @Nullable PeerId expected) {
        if (!address.isRelayed()) {
            return memory.dial(address, expected);
        }
        CompletableFuture<Connection> dialed = memory.dial(address.relay(), expected);
        CompletableFuture<Connection> result = dialed.thenApply(RelayedMemoryTransport::relayed);
        result.whenComplete((connection, failure) -> dialed.cancel(false)); // if the dial is cancelled
        return result;
    }

    @Override
    public CompletableFuture<TransportServer> listen(EndpointAddress address, Consumer<Connection> onAccept) {
        if (!address.isRelayed()) {
            return memory.listen(address, onAccept);
        }
        return memory.listen(address.relay(), connection -> onAccept.accept(relayed(connection)))
                .thenApply(server -> (TransportServer) Proxy.newProxyInstance(
                        TransportServer.class.getClassLoader(),
                        new Class<?>[] {TransportServer.class},
                        (proxy, method, arguments) ->
                                method.getName().equals("address") ? address : invoke(method, server, arguments)));
    }

    private static Connection relayed(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> method.getName().equals("remoteAddress")
                        ? connection.remoteAddress().relayed()
                        : invoke(method, connection, arguments));
    }

    private static @Nullable Object invoke(Method method, Object target, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return memory.closeAsync();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return memory.whenClosed();
    }

    @Override
    public boolean isClosing() {
        return memory.isClosing();
    }

    @Override
    public void close() {
        memory.close();
    }
}
