package io.parley.pipes.internal.request;

import io.parley.error.ParleyException;
import java.time.Duration;

/** The way of requests to the holders of a pipe. It decides what follows a failed attempt. Thread-safe. */
public interface RequestRoute {

    /**
     * Called when the peer of an attempt has certainly not executed the request. Must not block.
     *
     * @param cause the reason, with which the request fails if it is not sent again
     */
    void onNotExecuted(PendingRequest request, RequestAttempt attempt, ParleyException cause);

    /**
     * Called when the peer of an attempt was lost, and may have executed the request. Must not block.
     *
     * @return whether the request has failed with that
     */
    boolean onLost(PendingRequest request, RequestAttempt attempt, ParleyException cause);

    /**
     * Called when the timeout of a request has passed. Must not block.
     *
     * @return the additional time for which a response is accepted; zero if the request fails now
     */
    default Duration onTimeout(PendingRequest request) {
        return Duration.ZERO;
    }

    /** Called once, when a request has ended. Must not block. */
    void onFinished(PendingRequest request);

    /** Returns the failure of a request that was sent to no peer within its timeout. */
    ParleyException noHolder(Duration timeout);
}
