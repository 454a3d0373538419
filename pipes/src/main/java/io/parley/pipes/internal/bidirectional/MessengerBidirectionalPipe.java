package io.parley.pipes.internal.bidirectional;

import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ReceivedMessage;
import io.parley.endpoint.ServiceOptions;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.BidirectionalPipe;
import io.parley.pipes.BidirectionalPipeListener;
import io.parley.pipes.internal.PipeOptions;
import io.parley.pipes.internal.ReceiveQueue;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * One end of a bidirectional pipe: a service of this peer that one remote peer can use, and a messenger to the service of the other
 * end. Thread-safe.
 *
 * <p>An interruption of the connection makes this end connect again, because the other end may not know an address of this peer. The
 * remote peer is lost when that fails, or when the endpoint does not know its channel any more.
 */
final class MessengerBidirectionalPipe implements BidirectionalPipe {

    /** Of all pipes, because remote peers open many. */
    private static final RateLimitedLogger listenerLog =
            new RateLimitedLogger(LoggerFactory.getLogger(MessengerBidirectionalPipe.class));

    private final PeerGroup group;
    private final Endpoint endpoint;
    private final PeerId remotePeer;
    private final PipeOptions options;
    private final String end;
    private final ReceiveQueue<Optional<Message>> queue;

    /** Gets what arrives instead of the queue; {@code null} if there is none. */
    private final @Nullable BidirectionalPipeListener listener;

    private final SendGate gate = new SendGate();
    private final AsyncCloseable binding;
    private final CompletableFuture<Void> outputClosed = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final AtomicBoolean channelOpened = new AtomicBoolean();

    private final PipeReconnector reconnector;

    /** Why both directions have ended, other than by {@link #closeOutput} at both ends. */
    private final AtomicReference<@Nullable ParleyException> failure = new AtomicReference<>();

    /** Gets the first message of the remote peer, if that must accept. */
    private volatile @Nullable BiConsumer<MessengerBidirectionalPipe, Message> opening;

    private volatile @Nullable Messenger output;

    /** Completes when the remote peer knows the channel of this end, so that it learns of an abort. */
    private volatile CompletableFuture<Void> outputOpened = CompletableFuture.completedFuture(null);

    private volatile Message hello = Message.EMPTY;
    private volatile boolean inputEnded;
    private volatile Scheduler.@Nullable Timer openTimer;

    /**
     * Opens this end, into which only the remote peer can send.
     *
     * @param options the codecs, the security and the flow limits of the pipe
     * @param listener gets what arrives; {@code null} for a queue
     * @param opening gets the first message of the remote peer; {@code null} if the first message is one for the application
     */
    MessengerBidirectionalPipe(
            PeerGroup group,
            PeerId remotePeer,
            PipeOptions options,
            @Nullable BidirectionalPipeListener listener,
            @Nullable BiConsumer<MessengerBidirectionalPipe, Message> opening) {
        this.group = group;
        this.endpoint = group.endpoint();
        this.remotePeer = remotePeer;
        this.options = options;
        this.listener = listener;
        this.opening = opening;
        this.reconnector = new PipeReconnector(this, group, remotePeer);
        this.end = PipeProtocol.newEnd(group.scheduler());
        this.queue = new ReceiveQueue<>(
                this,
                group.callbackExecutor(),
                group.scheduler(),
                next -> Optional.of(next.message()),
                ReceivedMessage::release,
                null);
        this.binding = endpoint.listenToChannels(
                PipeProtocol.endService(end),
                options.security()
                        .applyTo(ServiceOptions.DEFAULTS.withWindowBytes(
                                options.flow().windowBytes(endpoint))),
                this::acceptChannel);
        binding.whenClosed().thenRun(this::onUnbound); // also if the endpoint closes first
    }

    /** Returns the id of this end, which the other end needs. */
    String end() {
        return end;
    }

    /** Sets the other end. Called once, before anything is sent. */
    void connectTo(String otherEnd, Message otherHello) {
        hello = otherHello;
        MessengerOptions plain = MessengerOptions.DEFAULTS.withCodecs(options.codecs());
        Messenger messenger = endpoint.messenger(
                remotePeer,
                PipeProtocol.endService(otherEnd),
                options.flow().applyTo(options.security().applyTo(plain), endpoint, group.scheduler()));
        // The remote peer may refuse the channel while nothing is sent.
        messenger.onFailed(this::onPeerLost);
        output = messenger;
        if (hasFailed()) { // meanwhile
            messenger.abort();
        }
    }

    /** Calls the listener when both directions have ended because of a failure, immediately if they have. */
    void onTerminated(Consumer<ParleyException> listener) {
        outputClosed.whenComplete((done, cause) -> {
            ParleyException reason = failure.get();
            if (cause != null && reason != null) {
                listener.accept(reason);
            }
        });
    }

    /** Opens the channel to the other end, also without messages. Called before the application gets the pipe. */
    void open() {
        outputOpened = resolve();
    }

    /** Sends the first message, which opens the channel to the other end. Called before the application gets the pipe. */
    void open(Message first) {
        outputOpened = send(first);
    }

    /** Checks that the other end exists. It may have ended already, after its last message has arrived here. */
    CompletableFuture<Void> resolve() {
        Messenger messenger = output;
        if (messenger == null || outputClosed.isDone() || !gate.isOpen()) {
            return CompletableFuture.completedFuture(null);
        }
        return messenger.resolve().whenComplete((resolved, cause) -> {
            if (cause != null && !messenger.isClosing()) {
                terminate(lost(Throwables.unwrap(cause)));
            }
        });
    }

    /** Aborts this end if the remote peer does not open its direction within the timeout. */
    void requireChannelWithin(Duration timeout) {
        openTimer = group.scheduler()
                .schedule(
                        timeout,
                        () -> execute(() -> {
                            if (!channelOpened.get()) {
                                terminate(ErrorCode.DISCONNECTED.exception(
                                        this + ": the remote peer has not opened its direction within "
                                                + DurationFormatter.format(timeout)));
                            }
                        }));
        if (channelOpened.get() || hasFailed()) {
            cancelOpenTimer();
        }
    }

    /** Runs the task on the work executor, because dependent stages must not run on the scheduler. */
    private void execute(Runnable task) {
        try {
            group.workExecutor().execute(task);
        } catch (RuntimeException | Error e) { // because the peer is closed, or the system has no more threads
            task.run();
        }
    }

    private ChannelListener acceptChannel(PeerId sender) {
        if (!sender.equals(remotePeer) || !channelOpened.compareAndSet(false, true)) {
            throw ErrorCode.NO_SUCH_SERVICE.exception("no such service at this peer");
        }
        cancelOpenTimer();
        return new ChannelListener() {
            @Override
            public void onMessage(ReceivedMessage message) {
                receive(message);
            }

            @Override
            public boolean isBorrowing() {
                return listener != null;
            }

            @Override
            public void onInterrupted() {
                reconnector.onInterrupted();
            }

            @Override
            public void onEnded() {
                if (!inputEnded) {
                    terminate(ErrorCode.DISCONNECTED.exception(
                            MessengerBidirectionalPipe.this + ": the remote peer has aborted the pipe"));
                }
            }

            @Override
            public void onLost() {
                if (!inputEnded) {
                    terminate(lost("its process has ended or was unreachable for too long", null));
                }
            }
        };
    }

    private void receive(ReceivedMessage received) {
        reconnector.onReceived();
        Message message = received.message();
        BiConsumer<MessengerBidirectionalPipe, Message> first = opening;
        if (inputEnded) {
            received.release();
        } else if (PipeProtocol.isEnding(message)) {
            ParleyException reason = PipeProtocol.failure(message, remotePeer);
            received.release();
            onInputEnd(reason);
        } else if (first != null) {
            opening = null;
            try {
                first.accept(this, message);
            } finally {
                received.release(); // after the last use, because it may be borrowed
            }
        } else if (listener != null) {
            listener.onMessage(received);
        } else {
            queue.add(received);
        }
    }

    private void onInputEnd(@Nullable ParleyException reason) {
        inputEnded = true;
        reconnector.stop();
        if (reason != null) {
            terminate(reason);
            return;
        }
        if (opening != null) {
            terminate(ErrorCode.DISCONNECTED.exception(this + ": the remote peer has ended the pipe"));
            return;
        }
        if (listener != null) {
            notifyListener("the end of the stream", BidirectionalPipeListener::onEnd);
        } else {
            queue.end(Optional.empty());
        }
        releaseIfEnded();
    }

    /** Releases the network resources when both directions have ended. */
    private void releaseIfEnded() {
        if (inputEnded && outputClosed.isDone()) {
            binding.closeAsync();
        }
    }

    /** Returns whether the other end has ended its direction. */
    boolean isInputEnded() {
        return inputEnded;
    }

    /** Returns whether both directions have ended, other than by {@link #closeOutput} at both ends. */
    boolean hasFailed() {
        return failure.get() != null;
    }

    void notifyInterrupted() {
        notifyListener("an interruption", BidirectionalPipeListener::onInterrupted);
    }

    void notifyResumed() {
        notifyListener("a resumption", BidirectionalPipeListener::onResumed);
    }

    /** Called when the remote peer cannot be reached, or refuses the channel. After the end of its direction that is no failure. */
    void onPeerLost(Throwable cause) {
        if (!inputEnded) {
            terminate(lost(cause));
        }
    }

    private ParleyException lost(Throwable cause) {
        return lost(String.valueOf(cause.getMessage()), cause);
    }

    private ParleyException lost(String reason, @Nullable Throwable cause) {
        return ErrorCode.DISCONNECTED.exception(this + ": lost the remote peer: " + reason, cause);
    }

    /** Ends both directions. Messages that have arrived can still be received. */
    void terminate(ParleyException reason) {
        if (end(reason)) {
            Messenger messenger = output;
            if (messenger != null) {
                abort(messenger);
            }
            binding.closeAsync();
        }
    }

    /** Aborts the messenger, but not before the remote peer knows its channel: the other end would wait for it until a timeout. */
    private void abort(Messenger messenger) {
        CompletableFuture<Void> opened = outputOpened;
        if (opened.isDone()) {
            messenger.abort();
            return;
        }
        Scheduler.Timer timer =
                group.scheduler().schedule(endpoint.limits().closeTimeout(), () -> execute(messenger::abort));
        opened.whenComplete((done, cause) -> {
            timer.cancel();
            messenger.abort();
        });
    }

    /** Makes calls fail from now on. Returns false if they do already. */
    private boolean end(ParleyException reason) {
        if (!failure.compareAndSet(null, reason)) {
            return false;
        }
        cancelOpenTimer();
        reconnector.stop();
        queue.fail(reason);
        gate.close(() -> {});
        outputClosed.completeExceptionally(reason);
        notifyListener("a failure", target -> target.onFailed(reason));
        return true;
    }

    /** Calls the listener, if there is one. If it throws, what caused the call goes on, so that the pipe is released. */
    private void notifyListener(String event, Consumer<BidirectionalPipeListener> call) {
        if (listener == null) {
            return;
        }
        try {
            call.accept(listener);
        } catch (RuntimeException | Error e) {
            endpoint.metrics().increment(Counter.LISTENER_FAILURES);
            listenerLog.warn("Listener of {} failed on {}", this, event, e);
        }
    }

    private void onUnbound() {
        end(ErrorCode.CLOSED.exception(this + ": closed"));
        Messenger messenger = output; // if the endpoint closes first, it sends the queued messages
        if (messenger == null) {
            closed.complete(null);
        } else {
            outputOpened.whenComplete(
                    (opened, failed) -> messenger.closeAsync().whenComplete((done, cause) -> closed.complete(null)));
        }
    }

    private void cancelOpenTimer() {
        Scheduler.Timer timer = openTimer;
        if (timer != null) {
            timer.cancel();
        }
    }

    @Override
    public PeerId remotePeer() {
        return remotePeer;
    }

    @Override
    public Message hello() {
        return hello;
    }

    @Override
    public Optional<String> codec() {
        return output().codec();
    }

    private Messenger output() {
        return Objects.requireNonNull(output);
    }

    @Override
    public CompletableFuture<Void> send(Message message) {
        if (!gate.tryEnter()) {
            return CompletableFuture.failedFuture(notOpen());
        }
        CompletableFuture<Void> sent;
        try {
            sent = output().send(message);
        } finally {
            gate.leave();
        }
        return sent.exceptionallyCompose(cause -> CompletableFuture.failedFuture(onSendFailed(cause, true)));
    }

    @Override
    public void send(Message message, Duration timeout) throws InterruptedException {
        if (!gate.tryEnter()) {
            throw notOpen();
        }
        try {
            output().send(message, timeout);
        } catch (ParleyException e) {
            throw onSendFailed(e, false); // a timeout loses no message
        } finally {
            gate.leave();
        }
    }

    private ParleyException notOpen() {
        ParleyException reason = failure.get();
        return reason != null ? reason : ErrorCode.CLOSED.exception(this + ": this direction is closed");
    }

    /**
     * Ends the pipe if later messages would arrive without this one. Returns the failure for the caller.
     *
     * @param lossIsFinal whether {@link ErrorCode#LOST} means that the remote peer is lost, and not that a timeout has expired
     */
    private ParleyException onSendFailed(Throwable wrapped, boolean lossIsFinal) {
        ParleyException cause = Throwables.toParleyException(wrapped, ErrorCode.LOST);
        switch (cause.code()) {
            case QUEUE_FULL, MESSAGE_TOO_LARGE, NOT_ENCODABLE, TIMEOUT -> {
                return cause; // of this message only
            }
            case CLOSED -> {
                return notOpen();
            }
            case LOST -> {
                if (lossIsFinal) {
                    terminate(lost(cause));
                }
            }
            default -> terminate(lost(cause));
        }
        ParleyException reason = failure.get();
        return reason == null || cause.code() == ErrorCode.LOST ? cause : reason;
    }

    @Override
    public boolean isWritable() {
        return gate.isOpen() && output().isWritable();
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        return output().whenWritable();
    }

    @Override
    public Optional<Message> receive(Duration timeout) throws InterruptedException {
        requireNoListener();
        Optional<Message> next = queue.take(timeout);
        if (next == null) {
            throw ErrorCode.TIMEOUT.exception(this + ": no message within " + DurationFormatter.format(timeout));
        }
        return next;
    }

    @Override
    public CompletableFuture<Optional<Message>> receiveAsync() {
        requireNoListener();
        return queue.takeAsync();
    }

    private void requireNoListener() {
        if (listener != null) {
            throw new IllegalStateException(this + ": has a listener, which gets the messages");
        }
    }

    @Override
    public CompletableFuture<Void> closeOutput() {
        return closeOutput(null);
    }

    private CompletableFuture<Void> closeOutput(@Nullable ParleyException reason) {
        gate.close(() -> sendEnd(PipeProtocol.ending(reason)));
        return outputClosed.copy();
    }

    private void sendEnd(Message ending) {
        Messenger messenger = output();
        messenger.send(ending).whenComplete((sent, cause) -> {
            if (cause == null) {
                outputClosed.complete(null);
                messenger.closeAsync();
                releaseIfEnded();
            } else if (Throwables.toParleyException(cause, ErrorCode.LOST).code() == ErrorCode.QUEUE_FULL) {
                messenger
                        .whenWritable()
                        .whenComplete((writable, closing) -> sendEnd(ending)); // fails with CLOSED at last
            } else {
                terminate(lost(Throwables.unwrap(cause)));
            }
        });
    }

    @Override
    public CompletableFuture<Void> fail(ParleyException reason) {
        return close(reason);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        return close(null);
    }

    private CompletableFuture<Void> close(@Nullable ParleyException reason) {
        if (closing.compareAndSet(false, true)) {
            queue.discard(ErrorCode.CLOSED.exception(this + ": closed"));
            Duration timeout = endpoint.limits().closeTimeout();
            Scheduler.Timer timer = group.scheduler()
                    .schedule(
                            timeout,
                            () -> execute(() -> terminate(ErrorCode.CLOSED.exception(
                                    this + ": closed, and the remote peer did not accept the queued messages within "
                                            + DurationFormatter.format(timeout)))));
            closed.whenComplete((done, cause) -> timer.cancel());
            // Only then the service ends: its rejection of messages must not overtake the reason.
            closeOutput(reason).whenComplete((done, cause) -> binding.closeAsync());
        }
        return closed.copy();
    }

    @Override
    public void abort() {
        closing.set(true);
        ParleyException reason = ErrorCode.CLOSED.exception(this + ": aborted");
        queue.discard(reason);
        terminate(reason);
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing.get() || binding.isClosing();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, endpoint.limits().closeTimeout().plusSeconds(1));
    }

    @Override
    public String toString() {
        return "pipe to peer " + remotePeer.shortText();
    }
}
