package io.parley.resolver.internal;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.Endpoint;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.resolver.ResolverLimits;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Asks peers of one group, and answers what they ask. Resolvers of different groups do not hear each other. All methods
 * may be called from any thread.
 *
 * <p>A question is heard at most once, and may be lost like any message of the {@link Endpoint}; then it is not answered in
 * time. Bodies of questions and answers have any elements but those of the namespace {@code parley.resolver}.
 *
 * <p>Closing fails what is still asked with {@link io.parley.error.ErrorCode#CLOSED}, ends handlers and propagated
 * questions, and does not wait for handlers that run. A resolver also closes when its endpoint does.
 */
public interface Resolver extends AsyncCloseable {

    /** The group whose peers are asked. */
    GroupId group();

    /**
     * Answers questions of that name, those to this peer and those that are propagated.
     *
     * @param name 1 to {@value Query#MAX_NAME_BYTES} bytes of UTF-8
     * @return closing it ends the answering
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND} when the name has a handler,
     *     {@link io.parley.error.ErrorCode#CLOSED}
     * @throws IllegalArgumentException when the name is empty or too long
     */
    AsyncCloseable registerHandler(String name, QueryHandler handler);

    /**
     * Asks one peer, which may be this one.
     *
     * @param timeout how long to wait, connecting included; above zero, at most
     *     {@link io.parley.endpoint.EndpointLimits#MAX_TIMEOUT}
     * @return the answer, on the thread that received it, which must not be blocked; cancelling it forgets the question.
     *     Fails with {@link io.parley.error.ErrorCode#NO_SUCH_SERVICE} when the peer has no handler of that name or no
     *     resolver for the group, with {@link io.parley.error.ErrorCode#TIMEOUT},
     *     with {@link io.parley.error.ErrorCode#UNREACHABLE} when there can't be a connection or the peer's is lost after
     *     the question was sent, with {@link io.parley.error.ErrorCode#BUSY} when that peer, or
     *     this one, has as many questions open as it may, with {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE} when
     *     question or answer are, with {@link io.parley.error.ErrorCode#SERVICE_FAILED} or whatever code the handler
     *     failed with, and with {@link io.parley.error.ErrorCode#CLOSED}
     * @throws IllegalArgumentException when name, body or time-out are not as described
     */
    CompletableFuture<Message> query(PeerId peer, String name, Message query, Duration timeout);

    /**
     * Asks all peers that the ways to propagate reach. Each peer's first answer counts. The listener gets the answers as
     * they come, on the executor.
     *
     * @return closing it ends the asking. {@link PropagatedQuery#whenDone()} fails at once with the reason when no way has taken the
     *     question, {@link io.parley.error.ErrorCode#UNREACHABLE} when there is none; with
     *     {@link io.parley.error.ErrorCode#BUSY} when too many questions are open, or
     *     {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE}, or {@link io.parley.error.ErrorCode#CLOSED}
     * @throws IllegalArgumentException when name or body are not as described, or {@code maxAnswers} is more than
     *     {@link ResolverLimits#maxResponses()}
     */
    PropagatedQuery propagate(String name, Message query, PropagateOptions options, QueryResponseListener listener);

    /** What has been counted. */
    ResolverMetrics metrics();
}
