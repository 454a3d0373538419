package io.parley.pipes.internal.unicast;

import io.parley.common.AsyncCloseable;
import io.parley.common.internal.Registration;
import io.parley.common.internal.SerialExecutor;
import io.parley.endpoint.Messenger;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.pipes.OutputPipe;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.internal.BlockingCalls;
import io.parley.pipes.internal.PipeSecurity;
import io.parley.pipes.internal.request.PipeRequestRoute;
import io.parley.pipes.internal.request.PipeRequests;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An output pipe: a messenger to the service that the pipe id names. Messages are sent unchanged. The messenger finds another
 * holder itself, if it is to do that. Thread-safe.
 */
final class MessengerOutputPipe implements OutputPipe {

    private static final Logger log = LoggerFactory.getLogger(MessengerOutputPipe.class);

    private final PeerGroup group;
    private final PipeId id;
    private final Messenger messenger;
    private volatile boolean resending;
    private @Nullable PipeRequestRoute requests;
    private final List<Consumer<PeerId>> holderListeners = new CopyOnWriteArrayList<>();

    /** Calls the listeners for one change after the other. */
    private final SerialExecutor notifications = new SerialExecutor(this::executeCallback);

    MessengerOutputPipe(PeerGroup group, PipeId id, Messenger messenger) {
        this.group = group;
        this.id = id;
        this.messenger = messenger;
    }

    /**
     * Searches for another holder when the present one is lost. Must be called before the first message is sent.
     *
     * @param resending see {@link io.parley.pipes.Pipes#withResending}
     */
    void findHolders(Supplier<CompletableFuture<PeerId>> search, boolean resending) {
        this.resending = resending;
        messenger.onPeerLost(search, resending, this::onHolderChanged);
    }

    private void onHolderChanged(PeerId holder) {
        log.info("Pipe {} is held by peer {} from now on", id, holder);
        if (!holderListeners.isEmpty()) {
            dispatch(holder);
        }
    }

    private void dispatch(PeerId holder) {
        try {
            notifications.execute(() -> holderListeners.forEach(listener -> notify(listener, holder)));
        } catch (RuntimeException | Error e) { // such as a thread that cannot be created
            log.warn(
                    "Dropped a change of the holder of {}, because the callback executor does not run a task", this, e);
        }
    }

    private void executeCallback(Runnable task) {
        try {
            group.callbackExecutor().execute(task);
        } catch (RejectedExecutionException e) {
            log.warn("Dropped a change of the holder of {}: the callback executor is shut down or full", this);
            throw e;
        }
    }

    private void notify(Consumer<PeerId> listener, PeerId holder) {
        try {
            listener.accept(holder);
        } catch (RuntimeException | Error e) { // an error too: it would end the notification
            log.warn("Holder listener of {} failed on peer {}", this, holder, e);
        }
    }

    @Override
    public PipeId id() {
        return id;
    }

    @Override
    public PeerId holder() {
        return messenger.peer();
    }

    @Override
    public AsyncCloseable addHolderListener(Consumer<PeerId> listener) {
        holderListeners.add(listener);
        return new Registration(() -> holderListeners.remove(listener));
    }

    @Override
    public CompletableFuture<Void> send(Message message) {
        return messenger.send(message);
    }

    @Override
    public void send(Message message, Duration timeout) throws InterruptedException {
        messenger.send(message, timeout);
    }

    @Override
    public CompletableFuture<PipeMessage> requestAsync(Message message, Duration timeout) {
        try {
            return requests().request(message, timeout);
        } catch (ParleyException e) { // because the group is closed
            return CompletableFuture.failedFuture(e);
        }
    }

    private synchronized PipeRequestRoute requests() {
        PipeRequestRoute known = requests;
        if (known == null) {
            known = new PipeRequestRoute(
                    PipeRequests.of(group).client(PipeSecurity.of(messenger)), messenger, resending);
            requests = known;
        }
        return known;
    }

    @Override
    public PipeMessage request(Message message, Duration timeout) throws InterruptedException {
        return BlockingCalls.awaitValue(requestAsync(message, timeout), "request through " + this);
    }

    @Override
    public Optional<String> codec() {
        return messenger.codec();
    }

    @Override
    public long droppedMessages() {
        return messenger.droppedMessages();
    }

    @Override
    public boolean isWritable() {
        return messenger.isWritable();
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        return messenger.whenWritable();
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return messenger.closeAsync();
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return messenger.whenClosed();
    }

    @Override
    public boolean isClosing() {
        return messenger.isClosing();
    }

    @Override
    public void close() {
        messenger.close();
    }

    @Override
    public String toString() {
        return "OutputPipe " + id + " to " + holder().shortText();
    }
}
