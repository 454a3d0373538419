package io.parley.endpoint.internal.messenger;

import io.parley.common.internal.Throwables;
import io.parley.common.internal.TokenBucket;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds another peer for a messenger whose peer is lost. A messenger without a peer is bound to this carrier: its wake-ups start
 * the search, unless one is running. Thread-safe.
 */
final class MessengerFailover implements MessengerBinding.Carrier {

    /**
     * The time in which the present peer may reconnect before another one is searched for. A short loss of the connection must
     * not change the peer, because that costs the unacknowledged messages.
     */
    private static final Duration RECONNECT_HEAD_START = Duration.ofMillis(200);

    /** The rate of searches after the first eight: a peer that is found and fails at once is not found again at full speed. */
    private static final int SEARCHES_PER_SECOND = 4;

    private static final Set<ErrorCode> HANDLED = EnumSet.of(
            ErrorCode.UNREACHABLE,
            ErrorCode.NO_SUCH_SERVICE,
            ErrorCode.CLOSED,
            ErrorCode.DISCONNECTED,
            ErrorCode.TIMEOUT,
            ErrorCode.IDENTITY_REFUSED);

    private final PeerMessenger messenger;
    private final EndpointContext context;
    private final Supplier<CompletableFuture<PeerId>> successor;
    private final Consumer<PeerId> onRedirected;

    /** Whether a search is running, or will start after the head start. */
    private final AtomicBoolean searching = new AtomicBoolean();

    /** Used by the caller that starts a search. */
    private final TokenBucket searches;

    private volatile @Nullable CompletableFuture<PeerId> search;

    MessengerFailover(
            PeerMessenger messenger,
            EndpointContext context,
            Supplier<CompletableFuture<PeerId>> successor,
            Consumer<PeerId> onRedirected) {
        this.messenger = messenger;
        this.context = context;
        this.successor = successor;
        this.onRedirected = onRedirected;
        this.searches = new TokenBucket(SEARCHES_PER_SECOND, context.scheduler().nanoTime());
        messenger.whenClosed().thenRun(this::cancel);
    }

    /** Returns whether another peer may get messages that have failed with this cause. */
    boolean handles(ParleyException cause) {
        return HANDLED.contains(cause.code());
    }

    @Override
    public void wake(PeerMessenger stranded) {
        if (stranded.sequence().needsChannel()) {
            locate();
        } else {
            stranded.finishIfDone();
        }
    }

    /** Called when messages wait, and there is no link to the present peer. */
    void onUnlinked() {
        if (searching.compareAndSet(false, true)) {
            context.schedule(RECONNECT_HEAD_START, context.executor(), this::onDelayEnded);
        }
    }

    private void onDelayEnded() {
        searching.set(false); // before the check, so that a loss after it starts another search
        if (messenger.binding().isStranded()) {
            locate();
        }
    }

    private void locate() {
        if (!searching.compareAndSet(false, true)) {
            return;
        }
        long now = context.scheduler().nanoTime();
        if (!searches.tryAcquire(now)) {
            context.schedule(Duration.ofNanos(searches.nanosUntil(1, now)), context.executor(), this::onDelayEnded);
            return;
        }
        CompletableFuture<PeerId> started;
        try {
            started = Objects.requireNonNull(successor.get(), "no search");
        } catch (RuntimeException | Error e) { // an error too: no other search would follow
            started = CompletableFuture.failedFuture(e);
        }
        search = started;
        started.whenCompleteAsync(this::onLocated, task -> EndpointContext.execute(context.executor(), task));
        if (messenger.isClosed()) { // meanwhile
            cancel();
        }
    }

    private void onLocated(@Nullable PeerId found, @Nullable Throwable failure) {
        search = null;
        searching.set(false); // before the messenger continues, because it may need another search
        if (found == null) {
            messenger.onNoSuccessor(Throwables.toParleyException(
                    failure == null ? new IllegalStateException("no peer") : failure, ErrorCode.UNREACHABLE));
            return;
        }
        try {
            if (messenger.binding().redirect(found, this)) {
                onRedirected.accept(found);
            }
        } catch (ParleyException e) { // because the endpoint is closing
            messenger.onNoSuccessor(e);
            return;
        }
        if (messenger.sequence().needsChannel()) {
            messenger.binding().wakeCarrier();
        } else {
            messenger.finishIfDone();
        }
    }

    private void cancel() {
        CompletableFuture<PeerId> running = search;
        if (running != null) {
            running.cancel(false);
        }
    }
}
