package io.parley.pipes;

import io.parley.common.internal.Throwables;
import io.parley.endpoint.Endpoint;
import io.parley.id.PeerId;

/**
 * Connects one end of a bidirectional pipe again after each interruption, because the other end may not know an address of this peer. The
 * listener of the pipe learns of interruptions and of their ends in the order in which they happen. Thread-safe.
 */
final class PipeReconnector {

    private final MessengerBidirectionalPipe pipe;
    private final Endpoint endpoint;
    private final PeerId remotePeer;

    /** Held while the listener learns of an interruption or its end, so that it gets them in order. */
    private final Object lock = new Object();

    private long interruptions;
    private boolean connecting;

    PipeReconnector(MessengerBidirectionalPipe pipe, Endpoint endpoint, PeerId remotePeer) {
        this.pipe = pipe;
        this.endpoint = endpoint;
        this.remotePeer = remotePeer;
    }

    /** Called when the connection is lost. */
    void onInterrupted() {
        synchronized (lock) {
            if (pipe.isInputEnded()) {
                return;
            }
            interruptions++;
            pipe.notifyInterrupted();
        }
        connect();
    }

    /** The endpoint tries for the reconnect timeout, and accepts a connection of the remote peer too. */
    private void connect() {
        long interruption;
        synchronized (lock) {
            if (connecting || pipe.hasFailed()) {
                return;
            }
            connecting = true;
            interruption = interruptions;
        }
        endpoint.connect(remotePeer).whenComplete((connected, cause) -> {
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

    /** Called when this end is connected after an interruption, and perhaps interrupted again. */
    private void onResumed(long interruption) {
        synchronized (lock) {
            if (interruption == interruptions && !pipe.hasFailed()) {
                pipe.notifyResumed();
            }
        }
    }
}
