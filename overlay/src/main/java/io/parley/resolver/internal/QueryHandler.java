package io.parley.resolver.internal;

import io.parley.message.Message;
import io.parley.resolver.ResolverLimits;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Computes the responses to queries with one name. */
@FunctionalInterface
public interface QueryHandler {

    /**
     * Computes a response. Called on the resolver's executor, concurrently and in any order. It may block if the executor has enough
     * threads. The query counts against {@link ResolverLimits#maxConcurrentQueries()} until the handler has returned and its
     * response is complete.
     *
     * @return a future of the response. An empty response to a direct query is sent as a message without elements, and to a
     *     propagated query not at all. A failure, including a thrown exception, is sent as the response to a direct query: a
     *     {@link io.parley.error.ParleyException} with its code and message, any other exception as
     *     {@link io.parley.error.ErrorCode#SERVICE_FAILED} without its message. A response is not sent if it is not complete within
     *     {@link ResolverLimits#handlerTimeout()} or the timeout of the querying peer
     */
    CompletionStage<Optional<Message>> onQuery(Query query);
}
