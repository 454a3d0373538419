package io.parley.pipes;

import io.parley.common.internal.Arguments;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.EndpointLimits;
import org.jspecify.annotations.Nullable;

/**
 * How an end of a bidirectional pipe receives.
 *
 * @param maxWindowBytes the maximum window; zero for that of the endpoint
 * @param listener       gets what arrives; {@code null} for the queue of the pipe
 */
record PipeInputOptions(int maxWindowBytes, @Nullable BidirectionalPipeListener listener) {

    static final PipeInputOptions DEFAULTS = new PipeInputOptions(0, null);

    PipeInputOptions with(int windowBytes) {
        Arguments.requireAtLeast("windowBytes", windowBytes, EndpointLimits.MIN_WINDOW_BYTES);
        return new PipeInputOptions(windowBytes, listener);
    }

    PipeInputOptions with(@Nullable BidirectionalPipeListener value) {
        return new PipeInputOptions(maxWindowBytes, value);
    }

    int windowBytes(Endpoint endpoint) {
        return maxWindowBytes == 0 ? endpoint.limits().windowBytes() : maxWindowBytes;
    }
}
