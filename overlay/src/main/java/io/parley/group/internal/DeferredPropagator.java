package io.parley.group.internal;

import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
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

/**
 * The propagator of the local network before it is open, which may take most of a second in a new process. Messages that are
 * propagated before wait for it. Thread-safe.
 */
final class DeferredPropagator implements Propagator {

    /**
     * The maximum time that a message waits. It is shorter than the time that an announcement waits for responses, because the
     * announcer must be notified if its message was not sent.
     */
    static final Duration OPEN_TIMEOUT = Duration.ofSeconds(4);

    private final CompletableFuture<Propagator> propagator;
    private final Scheduler scheduler;

    /** @param opening completes with empty if there is no local network to propagate on */
    DeferredPropagator(CompletableFuture<Optional<Propagator>> opening, Scheduler scheduler) {
        this.propagator = opening.thenApply(opened -> opened.orElseThrow(
                () -> ErrorCode.UNREACHABLE.exception("local network: no multicast transport is open")));
        this.scheduler = scheduler;
    }

    @Override
    public PropagationScope scope() {
        return PropagationScope.LOCAL_NETWORK;
    }

    @Override
    public CompletableFuture<Void> propagate(ServiceAddress service, Message message) {
        CompletableFuture<Propagator> opened = propagator.copy();
        if (!opened.isDone()) {
            Scheduler.Timer timer = scheduler.schedule(
                    OPEN_TIMEOUT,
                    () -> opened.completeExceptionally(ErrorCode.UNREACHABLE.exception(
                            "local network: the multicast transport did not open within " + OPEN_TIMEOUT)));
            opened.whenComplete((ready, failure) -> timer.cancel());
        }
        return opened.thenCompose(ready -> ready.propagate(service, message));
    }

    @Override
    public AsyncCloseable listen(ServiceAddress service, PropagatedMessageListener listener) {
        CompletableFuture<AsyncCloseable> registering =
                propagator.thenApply(opened -> opened.listen(service, listener));
        return new Registration(() -> registering.thenAccept(AsyncCloseable::closeAsync));
    }

    @Override
    public String toString() {
        return "propagator of the local network";
    }
}
