package io.parley.pipes.internal.request;

import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Responds to the requests among the messages of one closed pipe that were not delivered. A pipe may close on an event loop, which must
 * not decode all the messages that wait. The header of most requests is not encoded; a request whose header is encoded is decoded by the
 * executor. If a scheme of the pipe keeps state, the executor decodes all messages, because one cannot be decoded after another one before it
 * was released without that. Thread-safe, if the messages are passed in their order.
 */
public final class UnreadMessageHandler {

    private static final Logger log = LoggerFactory.getLogger(UnreadMessageHandler.class);

    private final Function<ReceivedMessage, PipeMessage> reader;
    private final boolean isOrdered;
    private final Executor executor;

    /** The messages that the executor processes. */
    private final Queue<ReceivedMessage> deferred = new ConcurrentLinkedQueue<>();

    private final AtomicBoolean processing = new AtomicBoolean();

    /**
     * Creates a handler.
     *
     * @param isOrdered whether a scheme keeps state that was passed to the pipe
     * @param executor  decodes messages; not an event loop
     */
    public UnreadMessageHandler(Function<ReceivedMessage, PipeMessage> reader, boolean isOrdered, Executor executor) {
        this.reader = reader;
        this.isOrdered = isOrdered;
        this.executor = executor;
    }

    /** Takes ownership of a message, which it releases, and {@linkplain ResponseTarget#discard responds} if the message is a request. */
    public void discard(ReceivedMessage unread) {
        if (isOrdered || hasEncodedHeader(unread.undecoded())) {
            deferred.add(unread);
            processLater();
        } else {
            process(unread, false);
        }
    }

    private static boolean hasEncodedHeader(Message undecoded) {
        return RequestFormat.hasHeader(undecoded) && RequestFormat.hasEncodedHeader(undecoded);
    }

    private void processLater() {
        if (!processing.compareAndSet(false, true)) {
            return;
        }
        try {
            executor.execute(this::processDeferred);
        } catch (RuntimeException | Error e) {
            log.debug("No response to requests with an encoded header that the pipe has not delivered", e);
            for (ReceivedMessage next = deferred.poll(); next != null; next = deferred.poll()) {
                process(next, false);
            }
            processing.set(false);
        }
    }

    private void processDeferred() {
        do {
            for (ReceivedMessage next = deferred.poll(); next != null; next = deferred.poll()) {
                process(next, true);
            }
            processing.set(false);
        } while (!deferred.isEmpty() && processing.compareAndSet(false, true)); // a message was added meanwhile
    }

    /** @param decoding whether the message is decoded; otherwise it gets a response only if its header is not encoded */
    private void process(ReceivedMessage unread, boolean decoding) {
        try {
            Message undecoded = unread.undecoded();
            if (decoding) {
                ResponseTarget.discard(reader.apply(unread));
            } else if (RequestFormat.hasHeader(undecoded) && !RequestFormat.hasEncodedHeader(undecoded)) {
                ResponseTarget.discard(reader.apply(new UndecodedMessage(unread.from(), undecoded)));
            }
        } catch (ParleyException e) { // which the endpoint has counted and logged
            log.debug("No response to a request that the pipe has not delivered: it cannot be decoded", e);
        } catch (RuntimeException e) { // must not keep the messages after it
            log.warn("A message that a closed pipe has not delivered cannot be processed", e);
        } finally {
            unread.release();
        }
    }

    /** A message whose header is not encoded. Nothing else of it is read. */
    private record UndecodedMessage(PeerId from, Message message) implements ReceivedMessage {

        @Override
        public void release() {}
    }
}
