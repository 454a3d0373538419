package io.parley.resolver;

import io.parley.endpoint.Limits;
import io.parley.error.Arguments;
import java.time.Duration;

/**
 * How long, for how many answers, and to whom a propagated question is open.
 *
 * @param deadline   how long answers are taken; above zero, at most {@link Limits#MAX_WAIT}
 * @param maxAnswers after how many it ends; at least 1
 * @param reach      how far it goes
 */
public record PropagateOptions(Duration deadline, int maxAnswers, Reach reach) {

    /** As far as it can go. */
    public PropagateOptions(Duration deadline, int maxAnswers) {
        this(deadline, maxAnswers, Reach.GROUP);
    }

    /** @throws IllegalArgumentException naming what is out of its range */
    public PropagateOptions {
        Arguments.wait("deadline", deadline, Limits.MAX_WAIT);
        Arguments.range("maxAnswers", maxAnswers, 1, Integer.MAX_VALUE);
    }
}
