package io.parley.endpoint.internal.inbound;

import io.parley.common.Scheduler;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.transport.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Sends the acknowledgements of a link. They go with the next messages that this peer sends. If there are none by the end of
 * the read, they go alone: as soon as no more bytes have arrived, and after {@link #MAX_READS} reads in any case; or after
 * {@link #MAX_DELAY} if this peer has responded to the last messages soon, as in a series of requests and responses, where a
 * frame of its own for each acknowledgement would double the system calls. The idea is that of delayed acknowledgements in TCP
 * (RFC 1122, 4.2.3.2). Confined to the event loop of the link.
 */
public final class AckSender {

    /** A channel whose messages are acknowledged. */
    public interface Source {

        /** Writes the acknowledgement without a flush. */
        void writeAck();
    }

    /**
     * The longest time that an acknowledgement waits for a message that it can accompany. In a series of requests and responses the
     * timer runs out that often, and each time wakes a thread that takes a processor from a spinning event loop.
     */
    private static final Duration MAX_DELAY = Duration.ofMillis(10);

    /** The number of messages of this peer in a row, each soon after a lone acknowledgement, from which on those wait. */
    private static final int RESPONSES_UNTIL_DELAY = 8;

    /**
     * The number of reads in a row after which acknowledgements wait no longer. In a stream of messages, a frame of its own after each
     * read costs a quarter of the receiver's processor time.
     */
    static final int MAX_READS = 8;

    private final Connection connection;
    private final EndpointContext context;
    private final Queue<Source> due = new ArrayDeque<>(EndpointContext.LINK_CAPACITY);
    private Scheduler.@Nullable Timer timer;
    private boolean sentAlone;
    private int responses;

    /** The reads with messages since the last acknowledgements. */
    private int reads;

    /** The number of reads at the last look for further bytes. */
    private int readsBeforePoll;

    private boolean polling;
    private final Runnable onPolled = this::onPolled;

    public AckSender(Connection connection, EndpointContext context) {
        this.connection = connection;
        this.context = context;
    }

    /** Acknowledges the messages of a channel soon. Must not be called again until that is done. */
    public void add(Source channel) {
        if (sentAlone) {
            sentAlone = false;
            responses = 0;
        }
        due.add(channel);
    }

    /** Called after the frames of one read. */
    public void onReadComplete() {
        if (due.isEmpty()) {
            return;
        }
        if (responses >= RESPONSES_UNTIL_DELAY) {
            if (timer == null) {
                timer = context.schedule(MAX_DELAY, connection.executor(), this::onDelayed);
            }
            return;
        }
        reads++;
        if (reads >= MAX_READS) {
            sendAlone();
        } else if (!polling) {
            polling = true;
            poll();
        }
    }

    private void poll() {
        readsBeforePoll = reads;
        connection.runAfterPoll(onPolled);
    }

    private void onPolled() {
        if (!due.isEmpty() && reads > readsBeforePoll) {
            poll();
            return;
        }
        polling = false;
        sendAfterRead();
    }

    private void onDelayed() {
        timer = null;
        if (!due.isEmpty()) {
            responses = 0;
        }
        sendAfterRead();
    }

    /** Outside of a read, no other code ends a connection on which an acknowledgement was lost, and the sender would wait for it. */
    private void sendAfterRead() {
        if (due.isEmpty()) {
            return;
        }
        try {
            sendAlone();
        } catch (RuntimeException | Error e) { // an error too: there may be no memory for the frame
            connection.abort(e);
        }
    }

    private void sendAlone() {
        if (!connection.isWritable()) {
            return; // sent when it is
        }
        writeAll();
        connection.flush();
        sentAlone = true;
    }

    /**
     * Writes the acknowledgements in front of messages that will be flushed, so that a peer that has received a response has
     * also received the acknowledgement of its request.
     */
    public void onMessagesFollow() {
        if (sentAlone) {
            sentAlone = false;
            responses++;
        }
        writeAll();
    }

    public void onWritable() {
        if (!due.isEmpty() && timer == null) {
            sendAlone();
        }
    }

    /** Writes the acknowledgements that are due, without a flush. */
    public void writeAll() {
        reads = 0;
        readsBeforePoll = 0;
        for (Source next = due.poll(); next != null; next = due.poll()) {
            next.writeAck();
        }
    }

    public void close() {
        due.clear();
        if (timer != null) {
            timer.cancel();
        }
    }
}
