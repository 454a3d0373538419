package io.parley.discovery;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * How long, how far and for how much is searched.
 *
 * @param timeout   when the search ends at the latest; above zero, at most {@link io.parley.endpoint.EndpointLimits#MAX_TIMEOUT}
 * @param maxResults after how many results it ends: the threshold of JXTA; at least 1
 * @param scope      how far
 */
public record SearchOptions(Duration timeout, int maxResults, Scope scope) {

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
        LOCAL_AND_REMOTE
    }

    /** @throws IllegalArgumentException naming what is out of its range */
    public SearchOptions {
        Arguments.requireTimeout("timeout", timeout);
        Arguments.requireRange("maxResults", maxResults, 1, Integer.MAX_VALUE);
    }

    /** Locally first. */
    public static SearchOptions of(Duration timeout, int maxResults) {
        return new SearchOptions(timeout, maxResults, Scope.LOCAL_FIRST);
    }

    /** A copy with another {@link #scope()}. */
    public SearchOptions withScope(Scope value) {
        return new SearchOptions(timeout, maxResults, value);
    }
}
