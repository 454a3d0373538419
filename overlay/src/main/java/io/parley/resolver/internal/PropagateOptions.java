package io.parley.resolver.internal;

import io.parley.common.internal.Arguments;
import io.parley.endpoint.EndpointLimits;
import java.time.Duration;

/**
 * How long, for how many answers, and to whom a propagated question is open.
 *
 * @param timeout   how long answers are taken; above zero, at most {@link EndpointLimits#MAX_TIMEOUT}
 * @param maxResponses after how many it ends; at least 1
 * @param scope      how far it goes
 */
public record PropagateOptions(Duration timeout, int maxResponses, PropagationScope scope) {

    /** As far as it can go. */
    public PropagateOptions(Duration timeout, int maxResponses) {
        this(timeout, maxResponses, PropagationScope.GROUP);
    }

    /** @throws IllegalArgumentException naming what is out of its range */
    public PropagateOptions {
        Arguments.requireTimeout("timeout", timeout);
        Arguments.requireRange("maxResponses", maxResponses, 1, Integer.MAX_VALUE);
    }
}
