package io.parley.discovery;

import io.parley.common.internal.Arguments;
import java.time.Duration;

/**
 * The options of a search.
 *
 * @param timeout    maximum duration; above zero, at most {@link io.parley.endpoint.EndpointLimits#MAX_TIMEOUT}
 * @param maxResults number of results after which the search ends, JXTA's threshold; at least 1
 * @param scope      the searched sources
 * @param waiting    whether the search goes on until its timeout if there are fewer results: see {@link #withWaiting}
 */
public record SearchOptions(Duration timeout, int maxResults, Scope scope, boolean waiting) {

    /** The sources of a search. */
    public enum Scope {
        /** The advertisements that this peer has published or received. */
        LOCAL,
        /** Local advertisements first; other peers are queried only if there are fewer results than requested. */
        LOCAL_FIRST,
        /**
         * Local advertisements and other peers in any case. Local results do not count towards the end of the search, because other
         * peers may have newer versions of them, and their publishers may have ended. There are up to {@link SearchOptions#maxResults}
         * local results besides as many of other peers.
         */
        LOCAL_AND_REMOTE
    }

    /** @throws IllegalArgumentException naming the argument that is out of range */
    public SearchOptions {
        Arguments.requireTimeout("timeout", timeout);
        Arguments.requireRange("maxResults", maxResults, 1, Integer.MAX_VALUE);
    }

    /** Returns options of a search that ends when all queried sources have responded. */
    public SearchOptions(Duration timeout, int maxResults, Scope scope) {
        this(timeout, maxResults, scope, false);
    }

    /** Returns options with the scope {@link Scope#LOCAL_FIRST}. */
    public static SearchOptions of(Duration timeout, int maxResults) {
        return new SearchOptions(timeout, maxResults, Scope.LOCAL_FIRST);
    }

    /** Returns a copy with another {@link #scope()}. */
    public SearchOptions withScope(Scope value) {
        return new SearchOptions(timeout, maxResults, value, waiting);
    }

    /**
     * Returns a copy whose search does not end when all queried sources have responded, but with {@link #maxResults} results or at its
     * timeout. Other peers are queried again, after 200 ms at first and 2 s later, so that the search finds what is published meanwhile.
     * A search with the scope {@link Scope#LOCAL} does not wait.
     */
    public SearchOptions withWaiting() {
        return new SearchOptions(timeout, maxResults, scope, true);
    }
}
