package io.parley.pipes.internal;

import io.parley.group.CounterProvider;

/**
 * Declares the counters of requests, responses and tasks. {@link io.parley.Peer#metrics()} has them for all groups of the peer together.
 */
public final class RequestCounters implements CounterProvider {

    /** A counter. */
    public enum Counter {
        /** Requests of this peer. */
        REQUESTS_STARTED,
        /** Responses and errors that have ended a request of this peer. */
        RESPONSES_RECEIVED,
        /** Responses without a pending request: late, repeated, or of a request that was cancelled. */
        RESPONSES_UNSOLICITED,
        /** Responses from a peer that was not queried, and malformed ones. */
        RESPONSES_REJECTED,
        /** Requests of this peer without a response within their timeout. */
        REQUESTS_TIMED_OUT,
        /** Requests of this peer that failed because the holder was lost, and that may have been executed. */
        REQUESTS_LOST,
        /** Requests that were sent to another holder. */
        REQUESTS_REDIRECTED,
        /** Requests of other peers. */
        REQUESTS_RECEIVED,
        /** Requests of other peers that a service has refused because too many wait. */
        REQUESTS_REFUSED,
        /** Requests of other peers that were not executed because their timeout had passed. */
        REQUESTS_EXPIRED,
        /** Messages of other peers whose header of a request is malformed. */
        REQUESTS_REJECTED,
        /** Tasks that senders of this peer have accepted. */
        TASKS_STARTED,
        /** Of these tasks, those that a worker has confirmed. */
        TASKS_COMPLETED,
        /** Of these tasks, those that failed: their attempts are used up, they were cancelled, or their sender was closed. */
        TASKS_FAILED,
        /** Attempts of tasks after an earlier one that may have been executed. */
        TASKS_REPEATED,
        /** Attempts of tasks that a worker has not confirmed within the timeout. */
        TASKS_TIMED_OUT
    }

    /** Creates the provider. For {@link java.util.ServiceLoader}. */
    public RequestCounters() {}

    @Override
    public Class<Counter> counters() {
        return Counter.class;
    }
}
