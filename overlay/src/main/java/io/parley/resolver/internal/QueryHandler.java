package io.parley.resolver.internal;

import io.parley.message.Message;
import io.parley.resolver.ResolverLimits;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Answers questions of one name. */
@FunctionalInterface
public interface QueryHandler {

    /**
     * A question came. Called on the resolver's executor, several at a time and in no order. It may block, as long as
     * the executor has threads to spare; until it has returned and its answer is complete it counts against
     * {@link ResolverLimits#maxConcurrentQueries()}.
     *
     * @return the answer. Empty means that there is none: one who has asked this peer then gets the message without
     *     elements, one who has asked many gets nothing. A failure (also a thrown one) reaches the former: an exception
     *     of ours as its code and message, any other as {@link io.parley.error.ErrorCode#SERVICE_FAILED} without its
     *     message. What is not complete within {@link ResolverLimits#handlerTimeout()}, or when the asker no longer
     *     waits, is not sent
     */
    CompletionStage<Optional<Message>> onQuery(Query query);
}
