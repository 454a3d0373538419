package io.parley.group.internal;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Registration;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.message.Message;
import io.parley.resolver.internal.PropagatedMessageListener;
import io.parley.resolver.internal.PropagationScope;
import io.parley.resolver.internal.Propagator;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A way to those nearby that is being opened, which may take most of a second in a process that has just begun. What is said
 * before waits for it, instead of being heard by nobody.
 */
final class DeferredPropagator implements Propagator {

    /** Less than whoever announces itself waits for answers: it has to learn that nobody has heard it. */
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    private final CompletableFuture<Propagator> way;

    /** @param opening gives nothing when there is no such way after all */
    DeferredPropagator(CompletableFuture<Optional<Propagator>> opening) {
        this.way = opening.thenApply(
                opened -> opened.orElseThrow(() -> ErrorCode.UNREACHABLE.exception("there is no way to peers nearby")));
    }

    @Override
    public PropagationScope scope() {
        return PropagationScope.LOCAL_NETWORK;
    }

    @Override
    public CompletableFuture<Void> propagate(ServiceAddress service, Message message) {
        CompletableFuture<Propagator> soon = way.copy();
        if (!soon.isDone()) {
            CompletableFuture.delayedExecutor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(() -> soon.completeExceptionally(
                            ErrorCode.UNREACHABLE.exception("the way to peers nearby is not open yet")));
        }
        return soon.thenCompose(opened -> opened.propagate(service, message));
    }

    @Override
    public AsyncCloseable listen(ServiceAddress service, PropagatedMessageListener listener) {
        CompletableFuture<AsyncCloseable> hearing = way.thenApply(opened -> opened.listen(service, listener));
        return new Registration(() -> hearing.thenAccept(AsyncCloseable::closeAsync));
    }

    @Override
    public String toString() {
        return "the way to peers nearby";
    }
}
