package io.parley.discovery.internal;

import io.parley.common.internal.Arguments;
import io.parley.discovery.DiscoveryQuery;

/**
 * A question for a part of what somebody knows: see {@link DiscoveryMessages}.
 *
 * @param query  what is looked for
 * @param offset how many to leave out, of all that is found in an order that stays the same while nothing changes
 * @param limit  how many at most, at least 1
 * @param publisherOnly    whether only what the one who is asked has published is wanted. Propagated questions are always about that
 */
public record PageRequest(DiscoveryQuery query, int offset, int limit, boolean publisherOnly) {

    /** @throws IllegalArgumentException naming what is out of its range */
    public PageRequest {
        Arguments.requireRange("offset", offset, 0, Integer.MAX_VALUE);
        Arguments.requireRange("limit", limit, 1, Integer.MAX_VALUE);
    }
}
