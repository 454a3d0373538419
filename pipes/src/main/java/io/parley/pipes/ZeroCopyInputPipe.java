package io.parley.pipes;

import io.parley.endpoint.ReceivedMessage;
import io.parley.transport.EndpointMetrics;
import io.parley.transport.EndpointMetrics.Counter;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An input pipe whose messages are lent to a listener, on the thread that has read them; so there is no queue. */
final class ZeroCopyInputPipe extends AbstractInputPipe {

    private static final Logger log = LoggerFactory.getLogger(ZeroCopyInputPipe.class);

    private final PipeListener listener;
    private final EndpointMetrics metrics;

    ZeroCopyInputPipe(PipeTicket ticket, PipeListener listener, EndpointMetrics metrics) {
        super(ticket);
        this.listener = listener;
        this.metrics = metrics;
    }

    @Override
    public void accept(ReceivedMessage received) {
        try {
            listener.onMessage(new PipeMessage(received.from(), received.message()));
        } catch (RuntimeException e) {
            metrics.increment(Counter.LISTENER_FAILURES);
            log.warn("{}: its listener failed on a message from {}", this, received.from(), e);
        }
    }

    @Override
    public Optional<PipeMessage> receive(Duration timeout) {
        throw new IllegalStateException(this + ": a listener receives its messages");
    }

    @Override
    void discard() {}
}
