package io.parley.pipes;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.Registration;
import io.parley.common.internal.TextSanitizer;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
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
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A publisher that passes its messages to a {@link FanOut}, whose receivers a {@link ReceiverRegistry} admits. Thread-safe. */
final class FanOutPublisher implements TopicPublisher {

    private static final Logger log = LoggerFactory.getLogger(FanOutPublisher.class);

    /** The window of the messages of one subscriber to the publisher. */
    static final int CONTROL_WINDOW_BYTES = 16 * 1024;

    private final PeerGroup group;
    private final Endpoint endpoint;
    private final TopicNames topic;
    private final Duration blockTimeout;
    private final FanOut fanOut;
    private final ReceiverRegistry registry;
    private final CounterpartSearch search;
    private final SerialExecutor callbacks;
    private final Set<PeerId> open = ConcurrentHashMap.newKeySet();
    private final List<ReceiverListener> listeners = new CopyOnWriteArrayList<>();
    private final AtomicLong droppedReceivers = new AtomicLong();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AsyncCloseable service;
    private final AsyncCloseable connectionListener;

    private FanOutPublisher(
            PeerGroup group,
            TopicNames topic,
            List<String> codecs,
            int maxReceivers,
            Duration blockTimeout,
            FanOut fanOut) {
        this.group = group;
        this.endpoint = group.endpoint();
        this.topic = topic;
        this.blockTimeout = blockTimeout;
        this.fanOut = fanOut;
        this.callbacks = new SerialExecutor(group.callbackExecutor());
        this.registry = new ReceiverRegistry(group, topic, codecs, maxReceivers, new ReceiverRegistry.Listener() {
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

    /** Opens a publisher. Throws as {@link Topic#openPublisher}. */
    static FanOutPublisher open(
            PeerGroup group,
            TopicNames topic,
            List<String> codecs,
            int maxReceivers,
            Duration blockTimeout,
            FanOut fanOut) {
        FanOutPublisher publisher = new FanOutPublisher(group, topic, codecs, maxReceivers, blockTimeout, fanOut);
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
        callbacks.execute(() -> {
            for (ReceiverListener listener : listeners) {
                try {
                    event.accept(listener, peer);
                } catch (RuntimeException | Error e) { // an error too: the other listeners are notified nevertheless
                    log.warn("Receiver listener of {} failed on peer {}", this, peer, TextSanitizer.printable(e));
                }
            }
        });
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

    @Override
    public CompletableFuture<Void> send(Message message) {
        try {
            List<TopicReceiver> full = trySend(message);
            return full.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(ErrorCode.QUEUE_FULL.exception(
                            this + ": " + full.size() + " receivers that block have no room, such as peer "
                                    + full.get(0).peer() + "; wait for whenWritable()"));
        } catch (ParleyException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private List<TopicReceiver> trySend(Message message) {
        if (closing.get()) {
            throw ErrorCode.CLOSED.exception(this + ": closed");
        }
        List<TopicReceiver> full = fanOut.send(message);
        full.forEach(this::onBlocking);
        return full;
    }

    private void onBlocking(TopicReceiver receiver) {
        receiver.onBlocking(
                group.scheduler(), blockTimeout, () -> registry.evict(receiver, () -> onEvicted(receiver.peer())));
    }

    private void onEvicted(PeerId receiver) {
        droppedReceivers.incrementAndGet();
        log.warn("Removed receiver {} of {}: it had no room for {}", receiver, topic, blockTimeout);
    }

    @Override
    public void send(Message message, Duration timeout) throws InterruptedException {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            throw new IllegalStateException(
                    this + ": must not block on an event loop; use send(message) and whenWritable()");
        }
        List<TopicReceiver> full = trySend(message);
        if (full.isEmpty()) {
            return;
        }
        long deadline = group.scheduler().nanoTime() + TimeUnit.NANOSECONDS.convert(timeout);
        for (; !full.isEmpty(); full = trySend(message)) {
            try {
                whenWritable(full).get(deadline - group.scheduler().nanoTime(), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                throw Throwables.toParleyException(e, ErrorCode.LOST);
            } catch (TimeoutException e) {
                throw ErrorCode.TIMEOUT.exception(this + ": message not queued within " + timeout + ": receiver "
                        + full.get(0).peer() + " has no room");
            }
        }
    }

    @Override
    public boolean isWritable() {
        return !closing.get() && fanOut.blocking().isEmpty();
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        if (closing.get()) {
            return CompletableFuture.failedFuture(ErrorCode.CLOSED.exception(this + ": closed"));
        }
        List<TopicReceiver> full = fanOut.blocking();
        full.forEach(this::onBlocking);
        return whenWritable(full);
    }

    private static CompletableFuture<Void> whenWritable(List<TopicReceiver> full) {
        return CompletableFuture.allOf(
                full.stream().map(TopicReceiver::whenWritable).toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public long droppedMessages() {
        return registry.droppedMessages();
    }

    @Override
    public long droppedReceivers() {
        return droppedReceivers.get();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
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
        Closeables.closeAndAwait(this, endpoint.limits().closeTimeout());
    }

    @Override
    public String toString() {
        return "publisher of " + topic;
    }
}
