package io.parley.pipes;

import io.parley.common.internal.TextSanitizer;
import io.parley.endpoint.ReceivedMessage;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An input pipe whose listener borrows messages on the event loop, so there is no queue. Thread-safe. */
final class ZeroCopyInputPipe extends AbstractInputPipe {

    private static final Logger log = LoggerFactory.getLogger(ZeroCopyInputPipe.class);

    private final Consumer<PipeMessage> listener;
    private final EndpointMetrics metrics;

    ZeroCopyInputPipe(
            PipeTicket ticket, Duration closeTimeout, Consumer<PipeMessage> listener, EndpointMetrics metrics) {
        super(ticket, closeTimeout);
        this.listener = listener;
        this.metrics = metrics;
    }

    @Override
    public void accept(ReceivedMessage received) {
        try {
            PipeMessage message = decode(received);
            if (message != null) {
                listener.accept(message);
            }
        } catch (RuntimeException | Error e) { // an error too: it would end the link
            metrics.increment(Counter.LISTENER_FAILURES);
            log.warn("Listener of {} failed on a message from {}", this, received.from(), TextSanitizer.printable(e));
        }
    }

    @Override
    public Optional<PipeMessage> receive(Duration timeout) {
        throw new IllegalStateException(this + ": its messages go to a listener");
    }

    @Override
    void discard() {}
}
