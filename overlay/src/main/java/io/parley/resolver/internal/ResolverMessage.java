package io.parley.resolver.internal;

import io.parley.endpoint.internal.frame.WireStatus;
import io.parley.message.Message;
import java.time.Duration;

/** A message between resolvers. */
sealed interface ResolverMessage {

    /** Returns the id that the querying peer assigned to the query. */
    long id();

    /**
     * A query.
     *
     * @param propagated whether it is sent to many peers
     * @param timeout   time for which the querying peer accepts a response
     */
    record QueryMessage(boolean propagated, long id, String name, int hops, Duration timeout, Message body)
            implements ResolverMessage {}

    /** A response. */
    record ResponseMessage(long id, Message body) implements ResolverMessage {}

    /** The reason for a missing response. */
    record ErrorMessage(long id, WireStatus status) implements ResolverMessage {}
}
