package io.parley.pipes.internal.unicast;

import io.parley.common.Scheduler;
import io.parley.common.internal.Arguments;
import io.parley.common.internal.DurationFormatter;
import io.parley.endpoint.Messenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.PipeResolver;
import io.parley.pipes.internal.PipeSecurity;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Connects output pipes: to any holder, which is replaced when it is lost, or to a given one. Holds no resources. Thread-safe. */
public final class PipeConnector {

    private final PeerGroup group;
    private final PipeOptions options;

    public PipeConnector(PeerGroup group, PipeOptions options) {
        this.group = group;
        this.options = options;
    }

    /**
     * Connects to any holder, as {@link io.parley.pipes.Pipes#connectAsync(String, Duration)}.
     *
     * @param name the name that the caller gave; {@code null} if it gave the id
     */
    public CompletableFuture<OutputPipe> connect(PipeId id, @Nullable String name, Duration timeout) {
        options.requireCodecs(group.endpoint());
        options.requireEncodable();
        Arguments.requireTimeout("timeout", timeout);
        Duration searchTimeout = group.endpoint().limits().reconnectTimeout();
        return search(target(id, name), timeout, found -> {
            MessengerOutputPipe pipe = new MessengerOutputPipe(group, id, found);
            PipeResolver.Target same = target(id, name).withSecurity(PipeSecurity.of(found));
            pipe.findHolders(
                    () -> search(same, searchTimeout, next -> {
                        next.closeAsync(); // only its peer is needed
                        return next.peer();
                    }),
                    options.isResending());
            return pipe;
        });
    }

    private PipeResolver.Target target(PipeId id, @Nullable String name) {
        return new PipeResolver.Target(id, name, options, options.security() == PipeSecurity.PLAIN);
    }

    /** Searches for a holder. Cancelling the result ends the search; a messenger that is found later is closed. */
    private <T> CompletableFuture<T> search(
            PipeResolver.Target target, Duration timeout, Function<Messenger, T> onFound) {
        CompletableFuture<Messenger> search = new PipeResolver(group, target, timeout).start();
        CompletableFuture<T> result = new CompletableFuture<>();
        search.whenComplete((found, failure) -> {
            if (found == null) {
                result.completeExceptionally(failure);
            } else if (!result.complete(onFound.apply(found))) {
                found.abort();
            }
        });
        result.whenComplete((value, failure) -> {
            if (failure != null) {
                search.cancel(false);
            }
        });
        return result;
    }

    /** Connects to a given holder, as {@link io.parley.pipes.Pipes#connectAsync(PeerId, PipeId, Duration)}. */
    public CompletableFuture<OutputPipe> connect(PeerId holder, PipeId id, Duration timeout) {
        Arguments.requireTimeout("timeout", timeout);
        Messenger messenger = target(id, null).newMessenger(group, holder);
        CompletableFuture<OutputPipe> connected =
                messenger.resolve().thenApply(resolved -> new MessengerOutputPipe(group, id, messenger));
        Scheduler.Timer timer = group.scheduler()
                .schedule(
                        timeout,
                        () -> fail(
                                connected,
                                ErrorCode.TIMEOUT.exception("pipe " + id + ": peer " + holder
                                        + " did not respond within " + DurationFormatter.format(timeout))));
        connected.whenComplete((pipe, failure) -> {
            timer.cancel();
            if (failure != null) {
                messenger.closeAsync();
            }
        });
        return connected;
    }

    /** Completes the future on the work executor, because dependent stages must not run on the scheduler. */
    private void fail(CompletableFuture<OutputPipe> future, ParleyException failure) {
        try {
            group.workExecutor().execute(() -> future.completeExceptionally(failure));
        } catch (RuntimeException | Error e) { // because the peer is closed, or the system has no more threads
            future.completeExceptionally(failure);
        }
    }
}
