package io.parley.pipes;

import io.parley.transport.Connection;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Creates transports whose connections a test intercepts, above the security of the transport.
 *
 * @param interceptor gets the calls of all connections
 */
public record InterceptedTransportProvider(TransportProvider provider, Interceptor interceptor)
        implements TransportProvider {

    /** Handles the calls of a connection. */
    public interface Interceptor {

        /** Returns the result of a method, which may be that of {@link #proceed}. */
        Object call(Connection connection, Method method, Object[] arguments) throws Throwable;
    }

    @Override
    public Set<String> schemes() {
        return provider.schemes();
    }

    @Override
    public Transport create(TransportContext context) {
        Transport transport = provider.create(context);
        return proxy(Transport.class, (method, arguments) -> switch (method.getName()) {
            case "dial" -> interceptDialed((CompletableFuture<?>) proceed(transport, method, arguments));
            case "listen" -> {
                @SuppressWarnings("unchecked")
                Consumer<Connection> onAccept = (Consumer<Connection>) arguments[1];
                Consumer<Connection> intercepting = connection -> onAccept.accept(intercepted(connection));
                yield proceed(transport, method, new Object[] {arguments[0], intercepting});
            }
            default -> proceed(transport, method, arguments);
        });
    }

    private CompletableFuture<Connection> interceptDialed(CompletableFuture<?> dialed) {
        CompletableFuture<Connection> result = dialed.thenApply(connection -> intercepted((Connection) connection));
        result.whenComplete((connection, failure) -> {
            if (result.isCancelled()) {
                dialed.cancel(false);
            }
        });
        return result;
    }

    private Connection intercepted(Connection connection) {
        return proxy(Connection.class, (method, arguments) -> interceptor.call(connection, method, arguments));
    }

    private interface Handler {

        Object handle(Method method, Object[] arguments) throws Throwable;
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) ->
                        method.getName().equals("equals") ? proxy == arguments[0] : handler.handle(method, arguments)));
    }

    /** Calls the method of the transport. */
    public static Object proceed(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
