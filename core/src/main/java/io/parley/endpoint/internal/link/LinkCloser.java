package io.parley.endpoint.internal.link;

import io.parley.common.Scheduler;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.FrameWriter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.error.PeerFaultException;
import io.parley.transport.Connection;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Ends one link. In order: messages whose first frame is written are completed and acknowledged, then both peers send GOODBYE, and the
 * connection is closed. Or at once, with a GOODBYE that states the reason. Confined to the event loop of the link.
 *
 * <pre>
 *     open            -- retire, or GOODBYE received --------->  retiring
 *     retiring        -- senders are retired: GOODBYE sent --->  leaving
 *     leaving         -- GOODBYE received, all decoded ------->  closed
 *     open, retiring  -- drop or leave: GOODBYE sent --------->  closed
 * </pre>
 */
final class LinkCloser {

    /** The link. */
    interface Owner {

        /** Called when the link accepts no new messages. May be called several times. */
        void onRetired();

        /** Starts no further messages. Calls {@link LinkCloser#onSenderRetired} after those in progress. */
        void retireSenders();

        /** Returns whether no message will be sent, and no acknowledgement will come. */
        boolean areSendersRetired();

        /** Returns whether received messages wait to be decoded. */
        boolean isDecoding();

        /** Writes the acknowledgements that are due. */
        void writeAcks();
    }

    private final Owner link;
    private final Connection connection;
    private final FrameWriter frames;
    private final EndpointContext context;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private boolean goodbyeSent;
    private boolean goodbyeReceived;
    private @Nullable PeerFaultException fault;
    private @Nullable ParleyException tunnelFailure;
    private @Nullable ParleyException refusal;
    private Scheduler.@Nullable Timer timer;

    LinkCloser(Owner link, Connection connection, FrameWriter frames, EndpointContext context) {
        this.link = link;
        this.connection = connection;
        this.frames = frames;
        this.context = context;
    }

    /** Returns whether the connection is closed and everything is released. */
    boolean isClosed() {
        return closed.isDone();
    }

    /** Thread-safe. */
    CompletableFuture<Void> whenClosed() {
        return closed;
    }

    boolean isGoodbyeSent() {
        return goodbyeSent;
    }

    boolean isGoodbyeReceived() {
        return goodbyeReceived;
    }

    /** Returns whether the remote peer has sent something wrong, so that further frames are ignored. */
    boolean hasFault() {
        return fault != null;
    }

    /** Returns the reason why the remote peer has dropped the link and may drop the next one; {@code null} if there is none. */
    @Nullable
    ParleyException refusal() {
        return refusal;
    }

    /** Closes the link in order. Aborts the connection after the close timeout. */
    void retire() {
        if (!isClosed()) {
            link.retireSenders();
            if (timer == null) {
                timer = context.schedule(
                        context.limits().closeTimeout(), connection.executor(), () -> connection.abort(null));
            }
        }
    }

    /** Called when the senders may be retired, or received messages are decoded. */
    void onSenderRetired() {
        if (!goodbyeSent && link.areSendersRetired() && !isDecodingLastMessages()) {
            goodbyeSent = true;
            link.writeAcks();
            connection.write(frames.goodbye(WireStatus.ok()), null);
            connection.flush();
            closeAfterGoodbyes();
        }
    }

    /** @param reason why the remote peer has dropped the link; {@code null} if it has not */
    void onGoodbye(@Nullable ParleyException reason) {
        goodbyeReceived = true;
        if (reason != null && reason.code().remedy() != ErrorCode.Remedy.RETRY) { // otherwise no message is the reason
            refusal = reason;
        }
        link.onRetired();
        if (goodbyeSent) {
            closeAfterGoodbyes();
        } else {
            retire();
        }
    }

    /** Closes the connection if both peers have sent GOODBYE, and this peer has decoded the last messages. */
    void closeAfterGoodbyes() {
        if (goodbyeReceived && !isDecodingLastMessages()) {
            connection.close();
        }
    }

    /** Returns whether the remote peer has sent its last message, and this peer must still deliver some. */
    private boolean isDecodingLastMessages() {
        return goodbyeReceived && link.isDecoding();
    }

    /** Sends the fault to the remote peer and closes the connection. Further frames are ignored. */
    void drop(PeerFaultException cause) {
        if (fault == null) {
            fault = cause;
            leaveNow(cause);
        }
    }

    /** Closes the connection for a reason that is no fault. Does nothing if the link has ended. */
    void leave(ParleyException reason) {
        if (!isClosed() && !goodbyeSent) {
            leaveNow(reason);
        }
    }

    /** Ends the link because its tunnel cannot be opened. Does nothing if it has ended. */
    void endTunnel(ParleyException cause) {
        if (isClosed() || goodbyeSent) {
            return;
        }
        if (cause instanceof PeerFaultException found) {
            drop(found);
        } else {
            tunnelFailure = cause;
            leaveNow(cause);
        }
    }

    private void leaveNow(ParleyException reason) {
        link.onRetired();
        goodbyeSent = true;
        link.writeAcks();
        connection.write(frames.goodbye(WireStatus.of(reason)), null);
        link.retireSenders(); // messages sent from now on wait for the next link instead of being lost in this one
        connection.close();
    }

    /**
     * Called when the connection is closed. {@link #finish} must follow.
     *
     * @return why the link was closed; {@code null} if that was in order
     */
    @Nullable
    Throwable onClosed(@Nullable Throwable ended) {
        if (timer != null) {
            timer.cancel();
        }
        return fault != null ? fault : tunnelFailure != null ? tunnelFailure : ended;
    }

    /** Called after everything is released. */
    void finish() {
        closed.complete(null);
    }
}
