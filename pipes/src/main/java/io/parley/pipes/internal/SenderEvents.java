package io.parley.pipes.internal;

import io.parley.common.internal.ConcurrencyLimiter;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.endpoint.ChannelListener;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.pipes.SenderListener;
import java.util.function.Consumer;
import org.slf4j.LoggerFactory;

/**
 * Creates the events for the {@link SenderListener} of an input pipe. Senders whose begin is not yet reported are limited, because events
 * wait behind messages and use no window. Thread-safe.
 */
public final class SenderEvents {

    private static final RateLimitedLogger log = new RateLimitedLogger(LoggerFactory.getLogger(SenderEvents.class));

    /** The number of senders of all peers that wait to be reported as opened. One peer may have a quarter of them. */
    static final int MAX_UNREPORTED = 4096;

    private final SenderListener listener;
    private final ConcurrencyLimiter<PeerId> unreported = new ConcurrencyLimiter<>(MAX_UNREPORTED, 0);

    public SenderEvents(SenderListener listener) {
        this.listener = listener;
    }

    /**
     * Returns the listener of a channel, which passes its messages and events to the pipe.
     *
     * @throws io.parley.error.ParleyException {@link ErrorCode#BUSY} if too many senders wait to be reported
     */
    public ChannelListener open(PeerId sender, Consumer<ReceivedMessage> messages, Consumer<SenderEvent> events) {
        if (!unreported.tryAcquire(sender, 0)) {
            throw ErrorCode.BUSY.exception("senders that the pipe has not yet reported: limit reached (expected: <= "
                    + MAX_UNREPORTED + ", a quarter of them from one peer)");
        }
        events.accept(
                new SenderEvent(sender, () -> notify(sender, listener::onOpened), () -> unreported.release(sender, 0)));
        return new ChannelListener() {
            @Override
            public void onMessage(ReceivedMessage message) {
                messages.accept(message);
            }

            @Override
            public void onEnded() {
                events.accept(new SenderEvent(sender, () -> SenderEvents.notify(sender, listener::onEnded), () -> {}));
            }

            @Override
            public void onLost() {
                events.accept(new SenderEvent(sender, () -> SenderEvents.notify(sender, listener::onLost), () -> {}));
            }
        };
    }

    private static void notify(PeerId sender, Consumer<PeerId> event) {
        try {
            event.accept(sender);
        } catch (RuntimeException | Error e) { // an error too: it would end the delivery
            log.warn("Sender listener failed on peer {}", sender, e);
        }
    }
}
