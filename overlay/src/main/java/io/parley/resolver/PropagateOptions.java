package io.parley.resolver;

import io.parley.common.internal.Arguments;
import io.parley.endpoint.EndpointLimits;
import java.time.Duration;

/**
 * How long, for how many answers, and to whom a propagated question is open.
 *
 * @param deadline   how long answers are taken; above zero, at most {@link EndpointLimits#MAX_TIMEOUT}
 * @param maxAnswers after how many it ends; at least 1
 * @param reach      how far it goes
 */
public record PropagateOptions(Duration deadline, int maxAnswers, PropagationScope reach) {

    /** As far as it can go. */
    public PropagateOptions(Duration deadline, int maxAnswers) {
        this(deadline, maxAnswers, PropagationScope.GROUP);
    }

    /** @throws IllegalArgumentException naming what is out of its range */
    public PropagateOptions {
        Arguments.requireTimeout("deadline", deadline);
        Arguments.requireRange("maxAnswers", maxAnswers, 1, Integer.MAX_VALUE);
    }
}
