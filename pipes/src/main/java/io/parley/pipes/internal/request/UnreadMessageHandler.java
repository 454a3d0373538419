package io.parley.pipes.internal.request;

import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.pipes.PipeMessage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Responds to the requests among the messages of a closed pipe that were not delivered. A pipe may close on an event loop, which must
 * not decode all the messages that wait. The header of most requests is not encoded; the messages of others are decoded by the executor.
 * Thread-safe.
 */
public final class UnreadMessageHandler {

    private static final Logger log = LoggerFactory.getLogger(UnreadMessageHandler.class);

    private final Function<ReceivedMessage, PipeMessage> reader;
    private final Executor executor;

    /** @param executor decodes messages; not an event loop */
    public UnreadMessageHandler(Function<ReceivedMessage, PipeMessage> reader, Executor executor) {
        this.reader = reader;
        this.executor = executor;
    }

    /** Takes ownership of a message, which it releases, and {@linkplain ResponseTarget#discard responds} if the message is a request. */
    public void discard(ReceivedMessage unread) {
        boolean isReleased = false;
        try {
            Message undecoded = unread.undecoded();
            if (!RequestFormat.hasHeader(undecoded)) {
                return;
            }
            if (RequestFormat.hasEncodedHeader(undecoded)) {
                isReleased = decodeLater(unread);
            } else {
                ResponseTarget.discard(reader.apply(new UndecodedMessage(unread.from(), undecoded)));
            }
        } finally {
            if (!isReleased) {
                unread.release();
            }
        }
    }

    /** Returns false if the executor does not run the task. Then the requester waits for its timeout. */
    private boolean decodeLater(ReceivedMessage unread) {
        try {
            executor.execute(() -> decode(unread));
            return true;
        } catch (RuntimeException e) {
            log.debug("No response to a request that the pipe has not delivered: it is not decoded", e);
            return false;
        }
    }

    private void decode(ReceivedMessage unread) {
        try {
            ResponseTarget.discard(reader.apply(unread));
        } catch (ParleyException e) { // which the endpoint has counted and logged
            log.debug("No response to a request that the pipe has not delivered: it cannot be decoded", e);
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
