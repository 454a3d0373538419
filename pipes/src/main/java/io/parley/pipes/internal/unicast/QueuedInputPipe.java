package io.parley.pipes.internal.unicast;

import io.parley.common.Scheduler;
import io.parley.common.internal.SerialExecutor;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.SenderListener;
import io.parley.pipes.internal.ReceiveQueue;
import io.parley.pipes.internal.SenderEvent;
import io.parley.pipes.internal.request.UnreadMessageHandler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An input pipe that is read with {@link #receive} and {@link #receiveAsync}. Thread-safe. */
final class QueuedInputPipe extends AbstractInputPipe {

    private final Executor executor;
    private final Scheduler scheduler;
    private final ReceiveQueue<PipeMessage> queue;

    /** @param executor completes futures and notifies the sender listener */
    QueuedInputPipe(
            PipeTicket ticket,
            Duration closeTimeout,
            Executor executor,
            Scheduler scheduler,
            Function<ReceivedMessage, PipeMessage> reader,
            UnreadMessageHandler unread,
            @Nullable SenderListener senders) {
        super(ticket, closeTimeout, senders);
        this.executor = executor;
        this.scheduler = scheduler;
        this.queue = new ReceiveQueue<>(
                this,
                executor,
                scheduler,
                received -> read(reader, received),
                unread::discard,
                senders == null ? null : SerialExecutor.retrying(executor, scheduler, this::isClosing));
    }

    @Override
    void onMessage(ReceivedMessage received) {
        queue.add(received);
    }

    @Override
    void onSenderEvent(SenderEvent event) {
        queue.addEvent(event);
    }

    @Override
    public Optional<PipeMessage> receive(Duration timeout) throws InterruptedException {
        return Optional.ofNullable(queue.take(timeout));
    }

    @Override
    public CompletableFuture<PipeMessage> receiveAsync() {
        return queue.takeAsync();
    }

    @Override
    public Flow.Publisher<PipeMessage> publisher() {
        return new PipePublisher(queue::takeAsync, this::whenClosed, executor, scheduler);
    }

    @Override
    void discard() {
        queue.discard(ErrorCode.CLOSED.exception(this + ": closed"));
    }
}
