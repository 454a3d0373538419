package io.parley.pipes.internal.topic;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Registration;
import io.parley.common.internal.SerialExecutor;
import io.parley.common.internal.Throwables;
import io.parley.common.internal.Timers;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.TopicPublisher;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.SendRate;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A publisher that passes its messages to a {@link FanOut}, whose receivers a {@link ReceiverRegistry} admits. Thread-safe. */
public final class FanOutPublisher implements TopicPublisher {

    private static final Logger log = LoggerFactory.getLogger(FanOutPublisher.class);

    /** The window of the messages of one subscriber to the publisher. */
    static final int CONTROL_WINDOW_BYTES = 16 * 1024;

    /** The number of changes of the receivers that wait for the callback executor. */
    static final int MAX_UNREPORTED = 4096;

    /** The time after the close timeout in which the subscribers learn what was discarded. */
    private static final Duration RELEASE_TIME = ReceiverRegistry.LAST_REPORT_TIMEOUT.plusSeconds(1);

    private final PeerGroup group;
    private final Endpoint endpoint;
    private final TopicNames topic;
    private final Duration blockTimeout;
    private final FanOut fanOut;

    /** The rate of messages; {@code null} if it is not limited. */
    private final @Nullable SendRate rate;

    /** The size of the message that the rate has refused last, in bytes; 0 if it has permitted one since. */
    private volatile long refusedBytes;

    private final RateLimitedLogger evictionLog;
    private final RateLimitedLogger failureLog;
    private final ReceiverRegistry registry;
    private final CounterpartSearch search;
    private final SerialExecutor callbacks;
    private final AtomicInteger unreported = new AtomicInteger();
    private final Set<PeerId> open = ConcurrentHashMap.newKeySet();
    private final List<ReceiverListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicLong droppedReceivers = new AtomicLong();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> whenClosing = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AsyncCloseable service;
    private final AsyncCloseable connectionListener;

    private FanOutPublisher(
            PeerGroup group,
            TopicNames topic,
            PipeOptions options,
            int maxReceivers,
            Duration blockTimeout,
            FanOut fanOut) {
        this.group = group;
        this.endpoint = group.endpoint();
        this.topic = topic;
        this.blockTimeout = blockTimeout;
        this.fanOut = fanOut;
        this.evictionLog = new RateLimitedLogger(log, group.scheduler());
        this.failureLog = new RateLimitedLogger(log, group.scheduler());
        this.rate = SendRate.of(options.flow().limits(), group.scheduler());
        this.callbacks = SerialExecutor.retrying(group.callbackExecutor(), group.scheduler(), closing::get);
        this.registry = new ReceiverRegistry(group, topic, options, maxReceivers, new ReceiverRegistry.Listener() {
            @Override
            public void onOpened(TopicReceiver receiver) {
                fanOut.add(receiver); // first: a peer of receivers() gets the messages
                open.add(receiver.peer());
                dispatch(ReceiverListener::onOpened, receiver.peer());
            }

            @Override
            public void onClosed(TopicReceiver receiver) {
                open.remove(receiver.peer());
                fanOut.remove(receiver);
                dispatch(ReceiverListener::onClosed, receiver.peer());
            }
        });
        this.search = new CounterpartSearch(group, topic.publisherAdvertisement(), topic.pipe(), registry::onFound);
        this.service = topic.security().listen(endpoint, topic.publisher(), CONTROL_WINDOW_BYTES, registry::onMessage);
        this.connectionListener = endpoint.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onDisconnected(PeerId peer) {
                registry.onDisconnected(peer);
            }
        });
    }

    /** Opens a publisher. Throws as {@link io.parley.pipes.Topic#openPublisher}. */
    public static FanOutPublisher open(
            PeerGroup group,
            TopicNames topic,
            PipeOptions options,
            int maxReceivers,
            Duration blockTimeout,
            FanOut fanOut) {
        FanOutPublisher publisher = new FanOutPublisher(group, topic, options, maxReceivers, blockTimeout, fanOut);
        publisher.service.whenClosed().thenRun(publisher::closeAsync); // the endpoint may close first
        try {
            publisher.search.start();
        } catch (RuntimeException e) {
            publisher.closeAsync();
            throw e;
        }
        return publisher;
    }

    private void dispatch(BiConsumer<ReceiverListener, PeerId> event, PeerId peer) {
        if (listeners.isEmpty()) {
            return;
        }
        if (unreported.incrementAndGet() > MAX_UNREPORTED) {
            unreported.decrementAndGet();
            failureLog.warn(
                    "Dropped a change of the receivers of {}: {} wait for the callback executor", this, MAX_UNREPORTED);
            return;
        }
        callbacks.execute(() -> {
            unreported.decrementAndGet();
            listeners.forEach(listener -> notify(listener, event, peer));
        });
    }

    private void notify(ReceiverListener listener, BiConsumer<ReceiverListener, PeerId> event, PeerId peer) {
        try {
            event.accept(listener, peer);
        } catch (RuntimeException | Error e) { // an error too: the other listeners are notified nevertheless
            failureLog.warn("Receiver listener of {} failed on peer {}", this, peer, e);
        }
    }

    @Override
    public PipeId id() {
        return topic.pipe();
    }

    @Override
    public Set<PeerId> receivers() {
        return Set.copyOf(open);
    }

    @Override
    public AsyncCloseable addReceiverListener(ReceiverListener listener) {
        listeners.add(listener);
        return new Registration(() -> listeners.remove(listener));
    }

    /**
     * Why a message is not queued.
     *
     * @param full      the receivers that have no room
     * @param waitNanos the time until the rate permits the message
     */
    private record Obstacle(List<TopicReceiver> full, long waitNanos) {

        @Override
        public String toString() {
            return full.isEmpty()
                    ? "the rate is used up"
                    : full.size() + " receivers that block have no room, such as peer "
                            + full.get(0).peer();
        }
    }

    @Override
    public CompletableFuture<Void> send(Message message) {
        try {
            Obstacle obstacle = trySend(message);
            return obstacle == null
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(
                            ErrorCode.QUEUE_FULL.exception(this + ": " + obstacle + "; wait for whenWritable()"));
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Returns {@code null} if the message is queued. */
    private @Nullable Obstacle trySend(Message message) {
        requireOpen();
        if (rate != null) {
            long bytes = message.payloadBytes();
            long waitNanos = rate.tryAcquire(bytes);
            refusedBytes = waitNanos > 0 ? bytes : 0;
            if (waitNanos > 0) {
                return new Obstacle(List.of(), waitNanos);
            }
        }
        return fanOut(message);
    }

    /** Returns {@code null} if the message, which the rate has counted, is queued. Otherwise it is not counted any more. */
    private @Nullable Obstacle fanOut(Message message) {
        List<TopicReceiver> full = sendToReceivers(message);
        if (full.isEmpty()) {
            return null;
        }
        if (rate != null) {
            rate.putBack(message.payloadBytes());
        }
        full.forEach(this::onBlocking);
        return new Obstacle(full, 0);
    }

    private List<TopicReceiver> sendToReceivers(Message message) {
        try {
            return fanOut.send(message);
        } catch (ParleyException e) {
            if (e.code() != ErrorCode.CLOSED) {
                throw e;
            }
            if (closing.get() || endpoint.isClosing()) {
                throw ErrorCode.CLOSED.exception(this + ": closed", e);
            }
            return List.of(); // receivers that are being removed
        }
    }

    private void requireOpen() {
        if (closing.get()) {
            throw ErrorCode.CLOSED.exception(this + ": closed");
        }
    }

    private void onBlocking(TopicReceiver receiver) {
        receiver.onBlocking(
                group.scheduler(), blockTimeout, () -> registry.evict(receiver, () -> onEvicted(receiver.peer())));
    }

    private void onEvicted(PeerId receiver) {
        droppedReceivers.incrementAndGet();
        evictionLog.warn("Removed receiver {} of {}: it had no room for {}", receiver, topic, blockTimeout);
    }

    @Override
    public void send(Message message, Duration timeout) throws InterruptedException {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            throw new IllegalStateException(
                    this + ": must not block on an event loop; use send(message) and whenWritable()");
        }
        long deadline = group.scheduler().nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
        for (Obstacle obstacle = sendInTurn(message, timeout, deadline);
                obstacle != null;
                obstacle = sendInTurn(message, timeout, deadline)) {
            await(whenWritable(obstacle.full()), timeout, deadline, obstacle);
        }
    }

    /** Waits for the rate, in the order of these calls. Returns {@code null} if the message is queued. */
    private @Nullable Obstacle sendInTurn(Message message, Duration timeout, long deadline)
            throws InterruptedException {
        requireOpen();
        if (rate != null) {
            awaitRate(rate, message.payloadBytes(), timeout, deadline);
        }
        return fanOut(message);
    }

    private void awaitRate(SendRate limit, long bytes, Duration timeout, long deadline) throws InterruptedException {
        long waitNanos = limit.reserve(bytes);
        boolean inTurn = false;
        try {
            if (waitNanos > 0) {
                await(afterWait(waitNanos), timeout, deadline, new Obstacle(List.of(), waitNanos));
                requireOpen();
            }
            inTurn = true;
        } finally {
            if (!inTurn) {
                limit.putBack(bytes);
            }
        }
    }

    private void await(CompletableFuture<Void> event, Duration timeout, long deadline, Obstacle obstacle)
            throws InterruptedException {
        try {
            event.get(deadline - group.scheduler().nanoTime(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw Throwables.toParleyException(e, ErrorCode.LOST);
        } catch (TimeoutException e) {
            throw ErrorCode.TIMEOUT.exception(
                    this + ": message not queued within " + DurationFormatter.format(timeout) + ": " + obstacle);
        }
    }

    /** Returns a future that completes after that time on the work executor, or when this publisher closes. */
    private CompletableFuture<Void> afterWait(long nanos) {
        CompletableFuture<Void> waited = new CompletableFuture<>();
        Timers.schedule(group.scheduler(), Duration.ofNanos(nanos), group.workExecutor(), () -> waited.complete(null));
        endpoint.metrics().increment(Counter.RATE_WAITS); // when the wait has begun
        return CompletableFuture.anyOf(waited, whenClosing).thenApply(done -> null);
    }

    @Override
    public boolean isWritable() {
        if (closing.get()) {
            return false;
        }
        List<TopicReceiver> full = fanOut.blocking();
        full.forEach(
                this::onBlocking); // a caller that asks before it sends would wait for a stopped receiver without end
        return full.isEmpty() && rateWaitNanos() == 0;
    }

    /** Returns the time until the rate permits the message that it has refused last, or a small one. */
    private long rateWaitNanos() {
        return rate == null ? 0 : rate.nanosUntil(refusedBytes);
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        if (closing.get()) {
            return CompletableFuture.failedFuture(ErrorCode.CLOSED.exception(this + ": closed"));
        }
        List<TopicReceiver> full = fanOut.blocking();
        full.forEach(this::onBlocking);
        long waitNanos = rateWaitNanos();
        CompletableFuture<Void> room = whenWritable(full);
        return waitNanos == 0 ? room : CompletableFuture.allOf(room, afterWait(waitNanos));
    }

    private static CompletableFuture<Void> whenWritable(List<TopicReceiver> full) {
        return CompletableFuture.allOf(
                full.stream().map(TopicReceiver::whenWritable).toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public CompletableFuture<Void> whenIdle() {
        return registry.whenIdle();
    }

    @Override
    public long droppedMessages() {
        return registry.droppedMessages();
    }

    @Override
    public long replacedMessages() {
        return registry.replacedMessages();
    }

    @Override
    public long droppedReceivers() {
        return droppedReceivers.get();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            whenClosing.complete(null);
            CompletableFuture<Void> withdrawn = search.close();
            CompletableFuture.allOf(withdrawn, registry.close()).whenComplete((done, failure) -> {
                connectionListener.closeAsync();
                service.closeAsync().whenComplete((unbound, problem) -> closed.complete(null));
            });
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
        Closeables.closeAndAwait(this, endpoint.limits().closeTimeout().plus(RELEASE_TIME));
    }

    @Override
    public String toString() {
        return "publisher of " + topic;
    }
}
