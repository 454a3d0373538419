package io.parley.resolver.internal;

import io.parley.common.internal.WireStatus;
import io.parley.message.Message;
import java.time.Duration;

/** What resolvers say to each other. */
sealed interface ResolverMessage {

    /** The number that the asker has given the question. */
    long id();

    /**
     * A question.
     *
     * @param propagated whether it is one to many
     * @param patience   how long the asker waits
     */
    record QueryMessage(boolean propagated, long id, String name, int hops, Duration patience, Message body)
            implements ResolverMessage {}

    /** An answer. */
    record ResponseMessage(long id, Message body) implements ResolverMessage {}

    /** Instead of an answer, why there is none. */
    record ErrorMessage(long id, WireStatus refusal) implements ResolverMessage {}
}
