package io.parley.pipes;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.parley.transport.Connection;
import io.parley.transport.Transport;
import io.parley.transport.TransportContext;
import io.parley.transport.TransportProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Creates transports that record the frames that endpoints pass to their connections, above the security of the transport.
 *
 * @param frames gets all frames of all connections
 */
record FrameRecordingTransportProvider(TransportProvider provider, Queue<byte[]> frames) implements TransportProvider {

    @Override
    public Set<String> schemes() {
        return provider.schemes();
    }

    @Override
    public Transport create(TransportContext context) {
        Transport transport = provider.create(context);
        return proxy(Transport.class, (method, arguments) -> switch (method.getName()) {
            case "dial" -> recordDialed((CompletableFuture<?>) invoke(transport, method, arguments));
            case "listen" -> {
                @SuppressWarnings("unchecked")
                Consumer<Connection> onAccept = (Consumer<Connection>) arguments[1];
                Consumer<Connection> recording = connection -> onAccept.accept(recorded(connection));
                yield invoke(transport, method, new Object[] {arguments[0], recording});
            }
            default -> invoke(transport, method, arguments);
        });
    }

    private CompletableFuture<Connection> recordDialed(CompletableFuture<?> dialed) {
        CompletableFuture<Connection> result = dialed.thenApply(connection -> recorded((Connection) connection));
        result.whenComplete((connection, failure) -> {
            if (result.isCancelled()) {
                dialed.cancel(false);
            }
        });
        return result;
    }

    private Connection recorded(Connection connection) {
        return proxy(Connection.class, (method, arguments) -> switch (method.getName()) {
            case "write" -> {
                frames.add(ByteBufUtil.getBytes((ByteBuf) arguments[0]));
                yield invoke(connection, method, arguments);
            }
            case "tryAppend" -> false; // so that all frames are written
            default -> invoke(connection, method, arguments);
        });
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

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
