package io.parley.pipes.internal.bidirectional;

import io.parley.common.internal.Throwables;
import io.parley.common.internal.Timers;
import io.parley.common.internal.TokenBucket;
import io.parley.endpoint.Endpoint;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Connects one end of a bidirectional pipe again after each interruption, because the other end may not know an address of this peer. The
 * listener of the pipe learns of interruptions and of their ends in the order in which they happen. Thread-safe.
 */
final class PipeReconnector {

    /** The rate of attempts after the first eight: a remote peer that ends each connection is not dialed at full speed. */
    private static final int CONNECTS_PER_SECOND = 4;

    private final MessengerBidirectionalPipe pipe;
    private final PeerGroup group;
    private final Endpoint endpoint;
    private final PeerId remotePeer;

    /** Held while the listener learns of an interruption or its end, so that it gets them in order. */
    private final Object lock = new Object();

    /** Held while losses are registered for. Never while a listener is called, because an application ends the pipe with it. */
    private final Object watching = new Object();

    /** The same object for each registration. */
    private final Runnable onConnectionLost = this::onLost;

    private final TokenBucket connects;
    private long interruptions;
    private boolean connecting;

    /**
     * Reports losses since the first one, as long as no message has arrived: the channel may not be open, and reports nothing then. Null if
     * the channel reports them. Written with {@link #watching} held.
     */
    private volatile @Nullable ConnectionLosses losses;

    PipeReconnector(MessengerBidirectionalPipe pipe, PeerGroup group, PeerId remotePeer) {
        this.pipe = pipe;
        this.group = group;
        this.endpoint = group.endpoint();
        this.remotePeer = remotePeer;
        this.connects = new TokenBucket(CONNECTS_PER_SECOND, group.scheduler().nanoTime());
    }

    /** Called when the connection is lost on which the channel was open. */
    void onInterrupted() {
        ConnectionLosses present = losses;
        if (present == null || present.isClosing()) { // a group that was left reports nothing
            onLost();
        }
    }

    /** Called when a message has arrived, so that the channel is open. */
    void onReceived() {
        if (losses != null) {
            stop();
        }
    }

    /** Reports no further losses of connections. */
    void stop() {
        synchronized (watching) {
            ConnectionLosses present = losses;
            losses = null;
            if (present != null) {
                present.remove(remotePeer, onConnectionLost);
            }
        }
    }

    private void onLost() {
        synchronized (lock) {
            if (pipe.isInputEnded() || pipe.hasFailed()) {
                return;
            }
            interruptions++;
            pipe.notifyInterrupted();
        }
        connect();
    }

    private void connect() {
        long delay;
        synchronized (lock) {
            if (connecting || pipe.hasFailed()) {
                return;
            }
            connecting = true;
            long now = group.scheduler().nanoTime();
            delay = connects.nanosUntil(1, now);
            connects.take(1);
        }
        if (delay == 0) {
            connectNow();
        } else {
            Timers.schedule(group.scheduler(), Duration.ofNanos(delay), group.workExecutor(), this::connectNow);
        }
    }

    /** The endpoint tries for the reconnect timeout, and accepts a connection of the remote peer too. */
    private void connectNow() {
        long interruption;
        synchronized (lock) {
            if (pipe.hasFailed()) {
                return;
            }
            interruption = interruptions;
        }
        endpoint.connect(remotePeer).whenComplete((connected, cause) -> {
            if (cause == null) {
                watch();
            }
            boolean lostAgain;
            synchronized (lock) {
                connecting = false;
                lostAgain = interruption != interruptions;
            }
            if (cause != null) {
                pipe.onPeerLost(Throwables.unwrap(cause));
            } else if (lostAgain) {
                connect();
            } else {
                pipe.resolve().thenRun(() -> onResumed(interruption)); // fails if the other end has given up
            }
        });
    }

    /** Notices a loss of the new connection, also if the other end does not open the channel on it. */
    private void watch() {
        if (remotePeer.equals(endpoint.peerId())) {
            return; // such a connection has no events
        }
        ConnectionLosses ofGroup;
        try {
            ofGroup = ConnectionLosses.of(group);
        } catch (ParleyException e) { // because the group is closing
            return;
        }
        synchronized (watching) {
            if (losses != null || pipe.isInputEnded() || pipe.hasFailed()) {
                return;
            }
            losses = ofGroup;
            ofGroup.add(remotePeer, onConnectionLost);
        }
        if (!endpoint.isConnected(remotePeer)) { // there may be no further event
            onLost();
        }
    }

    /** Called when this end is connected after an interruption, and perhaps interrupted again. */
    private void onResumed(long interruption) {
        synchronized (lock) {
            if (interruption == interruptions && !pipe.hasFailed()) {
                pipe.notifyResumed();
            }
        }
    }
}
