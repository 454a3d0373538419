package io.parley.discovery;

import io.parley.common.internal.Arguments;
import io.parley.endpoint.EndpointLimits;
import java.time.Duration;

/**
 * How long, how far and for how much is searched.
 *
 * @param deadline   when the search ends at the latest; above zero, at most {@link io.parley.endpoint.EndpointLimits#MAX_TIMEOUT}
 * @param maxResults after how many results it ends: the threshold of JXTA; at least 1
 * @param scope      how far
 */
public record SearchOptions(Duration deadline, int maxResults, Scope scope) {

    /** How far a search goes. */
    public enum Scope {
        /** What this peer has published or has heard of. */
        LOCAL,
        /** Locally first; others are asked only when that gives fewer results than wanted. */
        LOCAL_FIRST,
        /**
         * Locally, and others are asked in any case: local results alone don't end the search, as others may have newer
         * versions of them.
         */
        EVERYWHERE
    }

    /** @throws IllegalArgumentException naming what is out of its range */
    public SearchOptions {
        Arguments.requireTimeout("deadline", deadline);
        Arguments.requireRange("maxResults", maxResults, 1, Integer.MAX_VALUE);
    }

    /** Locally first. */
    public static SearchOptions of(Duration deadline, int maxResults) {
        return new SearchOptions(deadline, maxResults, Scope.LOCAL_FIRST);
    }

    /** A copy with another {@link #scope()}. */
    public SearchOptions within(Scope value) {
        return new SearchOptions(deadline, maxResults, value);
    }
}
