package io.parley.discovery.internal;

import io.parley.common.internal.Arguments;
import io.parley.discovery.DiscoveryQuery;

/**
 * A request for a part of the matching advertisements: see {@link DiscoveryMessages}.
 *
 * @param query         the criteria
 * @param offset        number of matches to skip, in an order that is stable as long as the matches do not change
 * @param limit         maximum number of results, at least 1
 * @param publisherOnly whether only advertisements published by the queried peer are requested, as in every propagated query
 */
public record PageRequest(DiscoveryQuery query, int offset, int limit, boolean publisherOnly) {

    /** @throws IllegalArgumentException naming the argument that is out of range */
    public PageRequest {
        Arguments.requireRange("offset", offset, 0, Integer.MAX_VALUE);
        Arguments.requireRange("limit", limit, 1, Integer.MAX_VALUE);
    }
}
