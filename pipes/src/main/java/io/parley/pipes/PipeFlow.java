package io.parley.pipes;

import io.parley.common.Scheduler;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import org.jspecify.annotations.Nullable;

/**
 * The flow limits of pipes, and how their messengers share the rate.
 *
 * @param shared the rate that all messengers share; {@code null} if each has its own
 */
record PipeFlow(FlowLimits limits, @Nullable SendRate shared) {

    static final PipeFlow DEFAULT = of(FlowLimits.DEFAULTS);

    static PipeFlow of(FlowLimits limits) {
        return new PipeFlow(limits, null);
    }

    /** Returns the same limits for the messengers of one sender. */
    PipeFlow sharingRate(Scheduler scheduler) {
        return new PipeFlow(limits, SendRate.of(limits, scheduler));
    }

    /** Returns the window of an input pipe. */
    int windowBytes(Endpoint endpoint) {
        return limits.windowBytes() == 0 ? endpoint.limits().windowBytes() : limits.windowBytes();
    }

    /** Returns the bytes from which the queue of a messenger is full. */
    int queueBytes(Endpoint endpoint) {
        return limits.queueBytes() == 0 ? endpoint.limits().queueBytes() : limits.queueBytes();
    }

    /** Returns the number of messages from which the queue of a messenger is full. */
    int queueMessages() {
        return limits.queueMessages() == 0 ? Integer.MAX_VALUE : limits.queueMessages();
    }

    /** Limits the queue of a new messenger. Returns the messenger. */
    Messenger limitQueue(Messenger messenger, Endpoint endpoint) {
        if (limits.queueBytes() != 0 || limits.queueMessages() != 0) {
            messenger.limitQueue(queueMessages(), queueBytes(endpoint));
        }
        return messenger;
    }

    /** Limits the queue and the rate of a new messenger. Returns the messenger. */
    Messenger applyTo(Messenger messenger, Endpoint endpoint, Scheduler scheduler) {
        SendRate rate = shared == null ? SendRate.of(limits, scheduler) : shared;
        if (rate != null) {
            messenger.limitRate(rate::reserve, rate::putBack, scheduler);
        }
        return limitQueue(messenger, endpoint);
    }
}
