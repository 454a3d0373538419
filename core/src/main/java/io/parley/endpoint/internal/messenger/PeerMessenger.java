package io.parley.endpoint.internal.messenger;

import io.netty.util.concurrent.FastThreadLocalThread;
import io.parley.common.Scheduler;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.DurationFormatter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Throwables;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.SharedMessage;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Sends messages to one service of one peer, over all links. Callers add messages on any thread to a bounded queue; the link to which
 * the messenger is bound sends them. A message that was sent is kept until the remote endpoint acknowledges it.
 *
 * <p>The parts of a messenger share one lock: {@link MessengerQueue} has the messages, {@link OutboundSequence} the channel at the
 * receiver, and {@link MessengerBinding} the peer and the link. This class encodes messages for callers, and has what concerns all of
 * them: failure, the loss of a link, and closing. Thread-safe.
 */
public final class PeerMessenger implements Messenger, OutboundElements.Owner {

    /** The time that a close may take after the close timeout, at which the queued messages fail. */
    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(1);

    private static final RateLimitedLogger listenerLog =
            new RateLimitedLogger(LoggerFactory.getLogger(PeerMessenger.class));

    private final ServiceAddress service;
    private final MessengerOptions options;
    private final EndpointContext context;
    private final ReentrantLock lock = new ReentrantLock();
    private final MessengerQueue queue;
    private final OutboundSequence sequence;
    private final MessengerBinding binding;
    private final Predicate<OutboundMessage> dequeue = this::dequeue; // the same object for each message
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /**
     * Creates a messenger.
     *
     * @param association the carrier of an unbound messenger
     */
    public PeerMessenger(
            ServiceAddress service,
            MessengerOptions options,
            EndpointContext context,
            MessengerBinding.Owner association) {
        this.service = service;
        this.options = options;
        this.context = context;
        OutboundQueue messages = new OutboundQueue(context, options);
        this.queue = new MessengerQueue(this, messages, lock, context);
        this.sequence = new OutboundSequence(this, service, options.secure(), queue, messages, lock);
        this.binding = new MessengerBinding(this, sequence, lock, context, association);
        options.rate().ifPresent(rate -> queue.limitRate(rate, binding::wakeCarrier));
        options.encoding().ifPresent(policy -> queue.encodeElements(policy, this));
    }

    /** Returns the messages. */
    public MessengerQueue queue() {
        return queue;
    }

    /** Returns the channel at the receiver. */
    public OutboundSequence sequence() {
        return sequence;
    }

    /** Returns the peer and the link. */
    public MessengerBinding binding() {
        return binding;
    }

    @Override
    public PeerId peer() {
        return binding.peer();
    }

    @Override
    public ServiceAddress service() {
        return service;
    }

    /** Returns the names of the codecs in order of preference; empty for the codec of the connection. */
    public List<String> codecs() {
        return options.codecs();
    }

    @Override
    public Optional<String> codec() {
        MessageEncoder current = binding.encoder();
        return current == null ? Optional.empty() : Optional.of(current.codecName());
    }

    @Override
    public OptionalLong remoteInstance() {
        MessengerBinding.Carrier carrier = binding.carrier();
        return carrier == null ? OptionalLong.empty() : carrier.remoteInstance();
    }

    @Override
    public CompletableFuture<Void> resolve() {
        CompletableFuture<Void> result = new CompletableFuture<>();
        if (sequence.resolve(result)) {
            binding.wakeCarrier();
        }
        return result;
    }

    @Override
    public CompletableFuture<Void> send(Message message) {
        return offer(prepare(message));
    }

    private CompletableFuture<Void> offer(OutboundMessage outbound) {
        queue.offer(outbound);
        wakeCarrierFor(outbound);
        return outbound.sent();
    }

    @Override
    public void send(Message message, Duration timeout) throws InterruptedException {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            throw new IllegalStateException(
                    this + ": must not block on an event loop; use send(message) and whenWritable()");
        }
        OutboundMessage outbound = prepare(message);
        long remaining = TimeUnit.NANOSECONDS.convert(timeout);
        if (queue.isBestEffort()) {
            offer(outbound); // drops a message instead of waiting for room
        } else {
            remaining = queue.addWhenWritable(outbound, timeout);
            wakeCarrierFor(outbound);
        }
        try {
            outbound.sent().get(remaining, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw Throwables.toParleyException(e, ErrorCode.LOST);
        } catch (TimeoutException e) {
            throw outbound.sent().cancel(false)
                    ? ErrorCode.TIMEOUT.exception(
                            this + ": message not sent within " + DurationFormatter.format(timeout))
                    : ErrorCode.LOST.exception(this + ": message not acknowledged within "
                            + DurationFormatter.format(timeout) + "; it may still arrive");
        } catch (InterruptedException e) {
            outbound.sent().cancel(false);
            throw e;
        }
    }

    /**
     * Encodes on the thread of the caller if possible, which leaves less work for the event loop. A caller on an event loop
     * leaves it to the link, which may encode into the buffer of the connection.
     */
    private OutboundMessage prepare(Message message) {
        OutboundMessage outbound = new OutboundMessage(message, dequeue);
        MessageEncoder current = binding.encoder();
        OutboundElements encoding = queue.elements();
        if (encoding == null
                && current != null
                && current.isStateless()
                && !(Thread.currentThread() instanceof FastThreadLocalThread)) {
            try {
                outbound.encodeEarly(current);
            } catch (ParleyException e) {
                outbound.fail(e);
            }
            return outbound;
        }
        outbound.own();
        if (encoding != null && !outbound.sent().isDone()) {
            encoding.prepare(outbound);
        }
        return outbound;
    }

    /** Wakes the carrier after a message was queued. A message that was not queued is done. */
    private void wakeCarrierFor(OutboundMessage outbound) {
        if (!outbound.sent().isDone()) {
            binding.wakeCarrier();
        }
    }

    /** Removes a message from the queue. Returns false if it was sent. */
    private boolean dequeue(OutboundMessage outbound) {
        boolean removed = queue.remove(outbound);
        if (removed) {
            endOrFinish();
        }
        return removed;
    }

    @Override
    public boolean offer(SharedMessage message) {
        if (queue.elements() != null) {
            throw new IllegalStateException(
                    this + ": encodes elements (expected: a messenger that does not, because a shared message"
                            + " is the same for all receivers)");
        }
        OutboundMessage outbound = new OutboundMessage((OnceEncodedMessage) message);
        MessageEncoder current = binding.encoder();
        if (current != null) {
            outbound.encodeEarly(current);
        }
        boolean queued = queue.tryAdd(outbound);
        if (queued) {
            binding.wakeCarrier();
        }
        return queued;
    }

    @Override
    public void onFailed(Consumer<ParleyException> listener) {
        sequence.setFailureListener(cause -> notify("a failure", () -> listener.accept(cause)));
    }

    /** Calls a listener. If it throws, what caused the call goes on: it may concern other messengers too. */
    private void notify(String event, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            context.metrics().increment(Counter.LISTENER_FAILURES);
            listenerLog.warn("Listener of {} failed on {}", this, event, e);
        }
    }

    @Override
    public long droppedMessages() {
        return queue.dropped();
    }

    @Override
    public boolean isWritable() {
        return queue.isWritable();
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        return queue.whenWritable();
    }

    @Override
    public CompletableFuture<Void> whenIdle() {
        return queue.whenIdle();
    }

    @Override
    public void onPeerLost(
            Supplier<CompletableFuture<PeerId>> successor, boolean resending, Consumer<PeerId> onRedirected) {
        sequence.setResending(resending);
        binding.setFailover(new MessengerFailover(
                this, context, successor, next -> notify("a change of the peer", () -> onRedirected.accept(next))));
    }

    @Override
    public boolean isSecure() {
        return sequence.isSecure();
    }

    @Override
    public @Nullable MessageEncoder statelessEncoder() {
        MessageEncoder current = binding.encoder();
        return current == null || !current.isStateless() ? null : current;
    }

    @Override
    public void onElementsEncoded() {
        if (queue.hasPending()) {
            binding.wakeCarrier();
        }
    }

    @Override
    public void onElementsFailed() {
        queue.onRemoved();
        endOrFinish();
    }

    // The following methods are for the link and the association.

    /**
     * Called when the link is closed. Queued and unacknowledged messages wait for the next link, after a pause if many were lost without
     * progress. Unacknowledged ones fail then after the reconnect timeout.
     *
     * @param refusal the reason why the remote peer has dropped the link, because it may refuse the unacknowledged messages
     *     again; {@code null} if there is none
     * @param cause why the link was closed; {@code null} if that was in order
     */
    public void onLinkLost(@Nullable ParleyException refusal, @Nullable Throwable cause) {
        LossCounter.Losses lost = sequence.onLinkLost();
        boolean sent = queue.hasUnacknowledged();
        if (lost.isStalled() && !lost.overdue() && !(sent && refusal != null)) {
            binding.pause();
            return;
        }
        binding.unbind();
        if (refusal != null) {
            sequence.giveUpUnacknowledged("the peer has dropped the connection", refusal);
        } else if (lost.isStalled()) {
            sequence.giveUpUnacknowledged(
                    lost.links() + " connections in a row were lost without an acknowledgement", cause);
        }
        if (sequence.needsChannel()) {
            binding.association().wake(this);
        } else if (isClosing()) {
            finishIfDone();
        } else if (sequence.isResumable()) {
            binding.association().resume(this); // the next link may be active already
        }
    }

    /**
     * Called when the link is closed before the channel was open, so that no message was sent. Tries the next link, after a pause if
     * that has happened to many, and fails after the reconnect timeout.
     *
     * @param refusal as for {@link #onLinkLost}
     * @param cause   as for {@link #onLinkLost}
     */
    public void onOpeningFailed(@Nullable ParleyException refusal, @Nullable Throwable cause) {
        if (refusal != null) {
            sequence.giveUpUnacknowledged("the peer has dropped the connection", refusal);
        }
        LossCounter.Losses lost = sequence.onOpeningFailed();
        if (!lost.isStalled()) {
            onLinkLost(null, cause);
        } else if (!lost.overdue()) {
            binding.pause();
        } else {
            Throwable reason = refusal == null ? cause : refusal;
            fail(ErrorCode.UNREACHABLE.exception(
                    this + ": " + lost.links() + " connections in a row were lost before the channel was open"
                            + (reason == null ? "" : ": " + reason.getMessage()),
                    reason));
        }
    }

    /**
     * Called when the link is closed before the channel was open in its tunnel, so that no message was sent. Tries the next link, unless
     * another attempt would fail in the same way or this was the last one.
     *
     * @param reason why another attempt would fail; {@code null} if it may succeed
     * @param cause  why the link was closed; {@code null} if that was in order
     */
    public void onTunnelFailed(@Nullable ParleyException reason, @Nullable Throwable cause) {
        ParleyException failure = sequence.onTunnelFailed(reason, cause);
        if (failure == null) {
            onLinkLost(null, cause);
        } else {
            fail(failure);
        }
    }

    /** Called when the receiver refuses the channel. */
    public void onRefused(OptionalLong received, ParleyException cause) {
        if (received.isPresent()) {
            queue.onAcknowledged(received.getAsLong());
            sequence.onOpened(received); // it has no others, so they fail with this cause
        }
        fail(cause);
    }

    /**
     * Fails all queued and unacknowledged messages and the waiters of {@link #resolve}. With a failover, keeps the messages that
     * another peer may get.
     */
    public void fail(ParleyException cause) {
        failUnlessStranded(binding.association(), cause);
    }

    private void failUnlessStranded(MessengerBinding.Owner failed, ParleyException cause) {
        if (!binding.strand(failed, cause)) {
            failAll(cause);
        }
    }

    /**
     * Fails the messages as {@link #fail} does, because the peer was not reached. Does nothing if the peer has reached this one
     * meanwhile and a link has the messenger, or if the messenger has another peer by now.
     */
    public void onUnreachable(MessengerBinding.Owner failed, ParleyException cause) {
        if (binding.tryStartFailing(failed)) {
            failUnlessStranded(failed, cause);
            if (sequence.needsChannel()) { // for messages that were queued meanwhile
                binding.wakeCarrier();
            }
        }
    }

    /** Fails the messages, because no other peer was found, unless the association with the present peer may still connect. */
    void onNoSuccessor(ParleyException cause) {
        if (binding.isBoundToFailover()) {
            failAll(cause);
        }
    }

    private void failAll(ParleyException cause) {
        List<OutboundMessage> lost;
        List<OutboundMessage> failed;
        List<CompletableFuture<Void>> unresolved;
        List<CompletableFuture<Void>> writable;
        lock.lock();
        try {
            lost = sequence.end();
            failed = queue.removeWaiting(cause);
            unresolved = sequence.removeResolveWaiters();
            writable = queue.removeWritableWaiters();
        } finally {
            lock.unlock();
        }
        binding.unbind();
        sequence.failLost(lost, "the messenger gave up", cause);
        failed.forEach(outbound -> outbound.fail(cause));
        unresolved.forEach(waiter -> waiter.completeExceptionally(cause));
        writable.forEach(waiter -> waiter.complete(null));
        queue.completeIfIdle();
        sequence.notifyFailed(cause);
        finishIfDone();
    }

    /** Continues the close of a closing messenger after a message was removed. */
    private void endOrFinish() {
        MessengerBinding.Carrier carrier = binding.carrier();
        if (carrier != null) {
            carrier.wake(this); // to end the channel
        } else {
            finishIfDone();
        }
    }

    public void finishIfDone() {
        if (queue.isDone()) {
            finish();
        }
    }

    /** Completes the close, after all messages are sent and the channel has ended. */
    public void finish() {
        binding.unbind();
        queue.stopRate();
        closed.complete(null);
        binding.association().remove(this);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        List<CompletableFuture<Void>> waiters = new ArrayList<>();
        lock.lock();
        try {
            if (isClosing()) {
                return closed.copy();
            }
            waiters.addAll(sequence.removeResolveWaiters());
            waiters.addAll(queue.startClosing());
        } finally {
            lock.unlock();
        }
        waiters.forEach(waiter -> waiter.completeExceptionally(queue.closedException()));
        if (binding.carrier() == null) {
            finishIfDone();
        }
        if (!closed.isDone()) {
            Scheduler.Timer timer =
                    context.schedule(context.limits().closeTimeout(), context.executor(), this::onCloseTimeout);
            closed.whenComplete((done, failure) -> timer.cancel());
            binding.wakeCarrier();
        }
        return closed.copy();
    }

    @Override
    public void abort() {
        closeAsync();
        drop(queue.closedException());
    }

    private void onCloseTimeout() {
        drop(ErrorCode.CLOSED.exception(this + ": closed, and the peer did not accept the queued messages within "
                + DurationFormatter.format(context.limits().closeTimeout())));
    }

    private void drop(ParleyException cause) {
        MessengerBinding.Carrier carrier = binding.carrier();
        fail(cause);
        if (carrier != null) {
            carrier.wake(this); // to end the channel
        }
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return queue.isClosing();
    }

    @Override
    public boolean isClosed() {
        return closed.isDone();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, context.limits().closeTimeout().plus(RELEASE_TIMEOUT));
    }

    @Override
    public String toString() {
        return "messenger to " + service + " of peer " + peer().shortText();
    }
}
