package io.parley.pipes.internal.unicast;

import io.parley.common.internal.RateLimitedLogger;
import io.parley.endpoint.ReceivedMessage;
import io.parley.pipes.PipeMessage;
import io.parley.pipes.PipeTicket;
import io.parley.pipes.SenderListener;
import io.parley.pipes.internal.SenderEvent;
import io.parley.pipes.internal.request.ResponseTarget;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An input pipe whose listener borrows messages on the event loop, so there is no queue. Thread-safe. */
final class ZeroCopyInputPipe extends AbstractInputPipe {

    private static final Logger log = LoggerFactory.getLogger(ZeroCopyInputPipe.class);

    private final RateLimitedLogger failureLog = new RateLimitedLogger(log);
    private final Consumer<PipeMessage> listener;
    private final Function<ReceivedMessage, PipeMessage> reader;
    private final EndpointMetrics metrics;

    ZeroCopyInputPipe(
            PipeTicket ticket,
            Duration closeTimeout,
            Consumer<PipeMessage> listener,
            Function<ReceivedMessage, PipeMessage> reader,
            EndpointMetrics metrics,
            @Nullable SenderListener senders) {
        super(ticket, closeTimeout, senders);
        this.listener = listener;
        this.reader = reader;
        this.metrics = metrics;
    }

    @Override
    void onSenderEvent(SenderEvent event) {
        event.release();
        event.run();
    }

    @Override
    void onMessage(ReceivedMessage received) {
        PipeMessage message = null;
        try {
            message = read(reader, received);
            if (message != null) {
                listener.accept(message);
            }
        } catch (RuntimeException | Error e) { // an error too: it would end the link
            if (message != null) {
                ResponseTarget.fail(message, e);
            }
            metrics.increment(Counter.LISTENER_FAILURES);
            failureLog.warn("Listener of {} failed on a message from {}", this, received.from(), e);
        }
    }

    @Override
    public Optional<PipeMessage> receive(Duration timeout) {
        throw hasListener();
    }

    @Override
    public CompletableFuture<PipeMessage> receiveAsync() {
        throw hasListener();
    }

    @Override
    public Flow.Publisher<PipeMessage> publisher() {
        throw hasListener();
    }

    @Override
    void discard() {}
}
