package io.parley.resolver.internal;

import io.parley.common.internal.Arguments;
import io.parley.endpoint.EndpointLimits;
import java.time.Duration;

/**
 * The options of a propagated query.
 *
 * @param timeout      time for which responses are accepted; above zero, at most {@link EndpointLimits#MAX_TIMEOUT}
 * @param maxResponses number of responses after which the query ends; at least 1
 * @param scope        the peers that receive the query
 */
public record PropagateOptions(Duration timeout, int maxResponses, PropagationScope scope) {

    /** Creates options with the scope {@link PropagationScope#GROUP}. */
    public PropagateOptions(Duration timeout, int maxResponses) {
        this(timeout, maxResponses, PropagationScope.GROUP);
    }

    /** @throws IllegalArgumentException naming the argument that is out of range */
    public PropagateOptions {
        Arguments.requireTimeout("timeout", timeout);
        Arguments.requireRange("maxResponses", maxResponses, 1, Integer.MAX_VALUE);
    }
}
