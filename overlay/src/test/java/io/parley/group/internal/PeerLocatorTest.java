package io.parley.group.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.internal.Throwables;
import io.parley.discovery.Discovery;
import io.parley.endpoint.Endpoint;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The search for a peer while the executor has no thread. */
class PeerLocatorTest {

    private final PeerId self = Identity.generate().peerId();
    private final PeerId bob = Identity.generate().peerId();
    private final CompletableFuture<Void> connection = new CompletableFuture<>();
    private final AtomicInteger threads = new AtomicInteger();
    private final PeerLocator locator = new PeerLocator(
            stub(Endpoint.class, (proxy, method, arguments) -> switch (method.getName()) {
                case "peerId" -> self;
                case "isConnected" -> false;
                case "connect" -> connection;
                default -> throw new UnsupportedOperationException(method.getName());
            }),
            stub(Discovery.class, (proxy, method, arguments) -> new CompletableFuture<>()),
            task -> {
                if (threads.getAndDecrement() <= 0) {
                    throw new InternalError("no thread (of the test)");
                }
                task.run();
            });

    private static <T> T stub(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static void assertBusy(CompletableFuture<Void> located) {
        assertThat(located).isCompletedExceptionally();
        assertThat(located.handle((done, failure) -> ((ParleyException) Throwables.unwrap(failure)).code())
                        .join())
                .isEqualTo(ErrorCode.BUSY);
    }

    @Test
    void locate_withoutAThreadForTheSearch_completesByTheConnectionOnly() {
        CompletableFuture<Void> located = locator.locate(bob);
        assertThat(located).isNotDone();
        connection.completeExceptionally(ErrorCode.UNREACHABLE.exception("test"));
        assertBusy(located);
    }

    @Test
    void locate_withoutAThreadForTheResult_fails() {
        threads.set(1);
        CompletableFuture<Void> located = locator.locate(bob);
        connection.complete(null);
        assertBusy(located);
    }
}
