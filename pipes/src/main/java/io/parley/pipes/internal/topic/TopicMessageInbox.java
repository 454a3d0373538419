package io.parley.pipes.internal.topic;

import io.parley.common.internal.KeyedRateLimiter;
import io.parley.common.internal.SerialExecutor;
import io.parley.endpoint.ReceivedMessage;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the {@link TopicMessage}s that other peers send to one end of a topic, at a limited rate of each peer and of all, and passes
 * them on as tasks. Thread-safe.
 */
final class TopicMessageInbox {

    private static final Logger log = LoggerFactory.getLogger(TopicMessageInbox.class);

    private static final int PER_SECOND = 10;
    private static final int TOTAL_PER_SECOND = 1000;
    private static final int MAX_RATED_PEERS = 4096;

    private final String receiver;
    private final SerialExecutor tasks;
    private final BiConsumer<PeerId, TopicMessage> handler;
    private final KeyedRateLimiter<PeerId> rates;

    /**
     * @param receiver the end of the topic, for texts
     * @param tasks    runs the handler
     */
    TopicMessageInbox(
            String receiver, PeerGroup group, SerialExecutor tasks, BiConsumer<PeerId, TopicMessage> handler) {
        this.receiver = receiver;
        this.tasks = tasks;
        this.handler = handler;
        this.rates = new KeyedRateLimiter<>(PER_SECOND, TOTAL_PER_SECOND, MAX_RATED_PEERS, group.scheduler());
    }

    /** Called on an event loop when a peer has sent a message. */
    void onMessage(ReceivedMessage received) {
        if (rates.tryAcquire(received.from())) {
            tasks.execute(() -> read(received)); // the windows of the senders bound the number of tasks
        } else {
            received.release();
        }
    }

    private void read(ReceivedMessage received) {
        try {
            handler.accept(received.from(), TopicMessageFormat.read(received.message()));
        } catch (ParleyException e) {
            log.debug("Rejected message of peer {} to the {}: {}", received.from(), receiver, e.getMessage());
        } finally {
            received.release();
        }
    }
}
