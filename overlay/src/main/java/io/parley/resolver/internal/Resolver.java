package io.parley.resolver.internal;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.Endpoint;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.resolver.ResolverLimits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Sends queries to peers of one group, and dispatches the queries of other peers to handlers. Resolvers of different groups are
 * isolated from each other. Thread-safe.
 *
 * <p>A query is delivered at most once. It may be lost like any message of the {@link Endpoint} and then times out. Bodies of queries
 * and responses must not contain elements of the namespace {@code parley.resolver}.
 *
 * <p>Closing fails pending queries with {@link io.parley.error.ErrorCode#CLOSED}, removes handlers and ends propagated queries. It
 * does not wait for running handlers. A resolver also closes when its endpoint closes.
 */
public interface Resolver extends AsyncCloseable {

    /** Returns the group. */
    GroupId group();

    /**
     * Registers a handler for direct and propagated queries with a name.
     *
     * @param name 1 to {@value Query#MAX_NAME_BYTES} bytes of UTF-8
     * @return a registration that removes the handler when it is closed
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND} if the name has a handler,
     *     {@link io.parley.error.ErrorCode#CLOSED}
     * @throws IllegalArgumentException if the name is empty or too long
     */
    AsyncCloseable registerHandler(String name, QueryHandler handler);

    /**
     * Sends a query to one peer, which may be this peer.
     *
     * @param timeout maximum time, including connecting; above zero, at most
     *     {@link io.parley.endpoint.EndpointLimits#MAX_TIMEOUT}
     * @return a future of the response. It completes on the thread that received the response, which must not be blocked;
     *     cancelling it discards the query. It fails with {@link io.parley.error.ErrorCode#NO_SUCH_SERVICE} if the peer has no
     *     handler with the name or no resolver for the group, {@link io.parley.error.ErrorCode#TIMEOUT},
     *     {@link io.parley.error.ErrorCode#UNREACHABLE} if there is no connection or it is lost after the query was sent,
     *     {@link io.parley.error.ErrorCode#BUSY} if that peer or this one has too many pending queries,
     *     {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE} if the query or the response is too large,
     *     {@link io.parley.error.ErrorCode#SERVICE_FAILED} or another code of the handler's failure, and
     *     {@link io.parley.error.ErrorCode#CLOSED}
     * @throws IllegalArgumentException if name, body or timeout are invalid
     */
    CompletableFuture<Message> query(PeerId peer, String name, Message query, Duration timeout);

    /**
     * Sends a query to all peers that the propagators reach. Only the first response of each peer is accepted. The listener receives
     * the responses on the executor, one at a time; exceptions that it throws are counted and logged.
     *
     * @return the query; closing it ends it. {@link PropagatedQuery#whenDone()} fails immediately if no propagator accepted the
     *     query: with {@link io.parley.error.ErrorCode#UNREACHABLE} if there is none, {@link io.parley.error.ErrorCode#BUSY} if too
     *     many queries are pending, {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE}, or
     *     {@link io.parley.error.ErrorCode#CLOSED}
     * @throws IllegalArgumentException if name or body are invalid, or {@code maxResponses} exceeds
     *     {@link ResolverLimits#maxResponses()}
     */
    PropagatedQuery propagate(String name, Message query, PropagateOptions options, Consumer<QueryResponse> listener);

    /** Returns the counters. */
    ResolverMetrics metrics();
}
