package io.parley.pipes.internal.topic;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.SubscriptionOptions;
import io.parley.pipes.SubscriptionOptions.Overflow;
import io.parley.pipes.TopicSubscription;
import io.parley.pipes.internal.PipeFlow;
import io.parley.pipes.internal.PipeSecurity;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A subscription: a queue of received messages, and a {@link PublisherRegistry} that subscribes at publishers. Thread-safe. */
public final class OpenSubscription implements TopicSubscription {

    /**
     * The maximum window of each publisher if messages may be dropped and no window is set. Messages in flight to a slow subscriber are
     * received after it, whatever its age, so it is small: 0.1 s at 2.5 MB/s.
     */
    static final int DROPPING_WINDOW_BYTES = 256 * 1024;

    private final Endpoint endpoint;
    private final TopicNames topic;
    private final SubscriptionQueue queue;
    private final @Nullable SubscriptionDispatcher dispatcher;
    private final PublisherRegistry publishers;
    private final CounterpartSearch search;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AsyncCloseable data;
    private final AsyncCloseable control;
    private final AsyncCloseable connectionListener;

    private OpenSubscription(
            PeerGroup group,
            TopicNames topic,
            PipeFlow flow,
            SubscriptionOptions options,
            @Nullable Consumer<PipeMessage> listener,
            Executor executor) {
        this.endpoint = group.endpoint();
        this.topic = topic;
        this.queue = new SubscriptionQueue(options, group.scheduler());
        this.dispatcher =
                listener == null ? null : new SubscriptionDispatcher(queue, listener, executor, endpoint.metrics());
        this.publishers = new PublisherRegistry(group, topic, options);
        this.search = new CounterpartSearch(
                group, topic.subscriberAdvertisement(), topic.publisherPipe(), publishers::onFound);
        boolean limited = options.overflow() != Overflow.BLOCK && flow.limits().windowBytes() == 0;
        int maxWindow = flow.windowBytes(endpoint);
        int window = limited ? Math.min(maxWindow, DROPPING_WINDOW_BYTES) : maxWindow;
        PipeSecurity security = topic.security();
        this.data = security.listen(endpoint, topic.data(), window, this::onData);
        this.control = openOrClose(
                data,
                () -> security.listen(
                        endpoint, topic.subscriber(), FanOutPublisher.CONTROL_WINDOW_BYTES, publishers::onMessage));
        this.connectionListener = openOrClose(
                control,
                () -> endpoint.addPeerConnectionListener(new PeerConnectionListener() {
                    @Override
                    public void onDisconnected(PeerId peer) {
                        publishers.onDisconnected(peer);
                    }
                }));
    }

    /** Opens a registration. If that fails, closes an earlier one. */
    private static AsyncCloseable openOrClose(AsyncCloseable earlier, Supplier<AsyncCloseable> opening) {
        try {
            return opening.get();
        } catch (RuntimeException e) {
            earlier.closeAsync();
            throw e;
        }
    }

    /** Opens a subscription. Throws as {@link io.parley.pipes.Topic#subscribe}. */
    public static OpenSubscription open(
            PeerGroup group,
            TopicNames topic,
            PipeFlow flow,
            SubscriptionOptions options,
            @Nullable Consumer<PipeMessage> listener,
            Executor executor) {
        OpenSubscription subscription = new OpenSubscription(group, topic, flow, options, listener, executor);
        subscription.data.whenClosed().thenRun(subscription::closeAsync); // the endpoint may close first
        try {
            subscription.search.start();
        } catch (RuntimeException e) {
            subscription.closeAsync();
            throw e;
        }
        return subscription;
    }

    private void onData(ReceivedMessage received) {
        if (!publishers.isSource(received.from())) {
            publishers.onRefused(received.from());
            received.release();
            return;
        }
        queue.add(received);
        if (dispatcher != null) {
            dispatcher.onAdded();
        }
    }

    @Override
    public PipeId id() {
        return topic.pipe();
    }

    @Override
    public Set<PeerId> publishers() {
        return publishers.publishers();
    }

    @Override
    public CompletableFuture<Void> whenPublishersLeft() {
        return publishers.whenLeft().runAfterEither(closed, () -> {});
    }

    @Override
    public long missedMessages() {
        return queue.dropped() + publishers.missed();
    }

    @Override
    public Optional<PipeMessage> receive(Duration timeout) throws InterruptedException {
        if (dispatcher != null) {
            throw new IllegalStateException(this + ": its messages go to a listener");
        }
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        ReceivedMessage next = queue.await(TimeUnit.NANOSECONDS.convert(timeout));
        if (next != null) {
            next.release();
            return Optional.of(new PipeMessage(next.from(), next.message()));
        }
        if (queue.isClosed()) {
            throw ErrorCode.CLOSED.exception(this + ": closed");
        }
        return Optional.empty();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            publishers.close();
            connectionListener.closeAsync();
            CompletableFuture.allOf(search.close(), data.closeAsync(), control.closeAsync())
                    .whenComplete((done, failure) -> {
                        queue.close();
                        closed.complete(null);
                    });
            queue.close();
        }
        return closed.copy();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing.get();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, endpoint.limits().closeTimeout());
    }

    @Override
    public String toString() {
        return "subscription to " + topic;
    }
}
