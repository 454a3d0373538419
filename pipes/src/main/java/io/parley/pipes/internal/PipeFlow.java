package io.parley.pipes.internal;

import io.parley.common.Scheduler;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.QueueLimits;
import io.parley.pipes.FlowLimits;
import org.jspecify.annotations.Nullable;

/**
 * The flow limits of pipes, and how their messengers share the rate.
 *
 * @param shared the rate that all messengers share; {@code null} if each has its own
 */
public record PipeFlow(FlowLimits limits, @Nullable SendRate shared) {

    public static final PipeFlow DEFAULT = of(FlowLimits.DEFAULTS);

    public static PipeFlow of(FlowLimits limits) {
        return new PipeFlow(limits, null);
    }

    /** Returns the same limits for the messengers of one sender. */
    public PipeFlow sharingRate(Scheduler scheduler) {
        return new PipeFlow(limits, SendRate.of(limits, scheduler));
    }

    /** Returns the window of an input pipe. */
    public int windowBytes(Endpoint endpoint) {
        return limits.windowBytes() == 0 ? endpoint.limits().windowBytes() : limits.windowBytes();
    }

    /** Returns the bytes from which the queue of a messenger is full. */
    public int queueBytes(Endpoint endpoint) {
        return limits.queueBytes() == 0 ? endpoint.limits().queueBytes() : limits.queueBytes();
    }

    /** Returns the number of messages from which the queue of a messenger is full. */
    public int queueMessages() {
        return limits.queueMessages() == 0 ? Integer.MAX_VALUE : limits.queueMessages();
    }

    /** Limits the queue of a messenger. Returns the options. */
    public MessengerOptions limitQueue(MessengerOptions options, Endpoint endpoint) {
        return limits.queueBytes() == 0 && limits.queueMessages() == 0
                ? options
                : options.withQueueLimits(QueueLimits.of(queueMessages(), queueBytes(endpoint)));
    }

    /** Limits the queue and the rate of a messenger. Returns the options. */
    public MessengerOptions applyTo(MessengerOptions options, Endpoint endpoint, Scheduler scheduler) {
        SendRate rate = shared == null ? SendRate.of(limits, scheduler) : shared;
        return limitQueue(rate == null ? options : options.withRate(rate), endpoint);
    }
}
