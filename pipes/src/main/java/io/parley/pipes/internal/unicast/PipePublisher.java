package io.parley.pipes.internal.unicast;

import io.parley.common.Scheduler;
import io.parley.common.internal.SerialExecutor;
import io.parley.common.internal.Throwables;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.pipes.PipeMessage;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the messages of an input pipe. A subscription takes a message only if there is demand for it, one at a time. Thread-safe.
 */
final class PipePublisher implements Flow.Publisher<PipeMessage> {

    private static final Logger log = LoggerFactory.getLogger(PipePublisher.class);

    private final Supplier<CompletableFuture<PipeMessage>> source;
    private final Supplier<CompletableFuture<Void>> end;
    private final Executor executor;
    private final Scheduler scheduler;

    /**
     * Creates a publisher.
     *
     * @param source   takes the next message; a failure with {@link ErrorCode#CLOSED} completes a subscription
     * @param end      returns a future that completes when the source is closed, because that completes subscriptions without demand
     * @param executor runs the subscribers
     * @param scheduler passes a signal again later that the executor does not run
     */
    PipePublisher(
            Supplier<CompletableFuture<PipeMessage>> source,
            Supplier<CompletableFuture<Void>> end,
            Executor executor,
            Scheduler scheduler) {
        this.source = source;
        this.end = end;
        this.executor = executor;
        this.scheduler = scheduler;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super PipeMessage> subscriber) {
        Subscription subscription = new Subscription(Objects.requireNonNull(subscriber, "subscriber"));
        subscription.signals.execute(() -> subscription.signal(() -> subscriber.onSubscribe(subscription)));
        subscription.closed.thenRun(() -> subscription.signals.execute(subscription::complete));
    }

    /** The demand of one subscriber. All its signals come from {@link #signals}, so they are sequential. */
    private final class Subscription implements Flow.Subscription {

        private final Flow.Subscriber<? super PipeMessage> subscriber;
        private final CompletableFuture<Void> closed = end.get();
        private final SerialExecutor signals = SerialExecutor.retrying(executor, scheduler, closed::isDone);
        private final AtomicLong demand = new AtomicLong();
        private volatile boolean ended;
        private volatile @Nullable CompletableFuture<PipeMessage> pending;

        /** The last signal, while a message that was taken before the end is on its way. */
        private @Nullable Runnable last;

        Subscription(Flow.Subscriber<? super PipeMessage> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void request(long n) {
            if (n <= 0) {
                signals.execute(() -> fail(new IllegalArgumentException("n: " + n + " (expected: > 0)")));
            } else {
                demand.accumulateAndGet(n, (present, more) -> present + more < 0 ? Long.MAX_VALUE : present + more);
                signals.execute(this::emit);
            }
        }

        @Override
        public void cancel() {
            ended = true;
            closed.cancel(false);
            CompletableFuture<PipeMessage> call = pending;
            if (call != null) {
                call.cancel(false);
            }
        }

        /** Passes messages on while there are some and demand for them. */
        private void emit() {
            CompletableFuture<PipeMessage> waiting = pending;
            if (waiting != null && !waiting.isDone()) {
                return; // its completion continues
            }
            while (waiting != null || (!ended && demand.get() > 0)) {
                CompletableFuture<PipeMessage> call = waiting == null ? source.get() : waiting;
                waiting = null;
                pending = call;
                if (!call.isDone()) {
                    call.whenComplete((message, failure) -> signals.execute(this::emit));
                    if (ended) { // cancelled meanwhile
                        call.cancel(false);
                    }
                    return;
                }
                pending = null;
                call.whenComplete(this::pass); // immediately
            }
            Runnable end = last;
            if (end != null) {
                last = null;
                signal(end);
            }
        }

        /** Passes a message on, also after a cancellation: it is taken, and would be lost. */
        private void pass(@Nullable PipeMessage message, @Nullable Throwable failure) {
            if (message != null) {
                demand.decrementAndGet();
                signal(() -> subscriber.onNext(message));
            } else if (failure != null && !ended) {
                fail(Throwables.unwrap(failure));
            }
        }

        private void fail(Throwable failure) {
            if (ended) {
                return;
            }
            if (failure instanceof ParleyException known && known.code() == ErrorCode.CLOSED) {
                complete();
            } else {
                end(() -> subscriber.onError(failure));
            }
        }

        private void complete() {
            if (!ended) {
                end(subscriber::onComplete);
            }
        }

        /** Cancels, and sends the last signal after the message that the pending call has perhaps got before. */
        private void end(Runnable signal) {
            cancel();
            CompletableFuture<PipeMessage> call = pending;
            if (call == null || call.isCancelled()) {
                signal(signal);
            } else {
                last = signal;
            }
        }

        /** Calls the subscriber, which must not throw. If it does, the subscription is cancelled. */
        private void signal(Runnable call) {
            try {
                call.run();
            } catch (RuntimeException | Error e) {
                log.warn("Subscriber of a pipe failed; its subscription is cancelled", e);
                cancel();
            }
        }
    }
}
