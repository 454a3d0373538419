package io.parley.resolver.internal;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.ServiceAddress;
import io.parley.message.Message;
import java.util.concurrent.CompletableFuture;

/**
 * Sends a message to a service on all reachable peers of a group without knowing the peers. Delivery is best effort and may contain
 * duplicates.
 */
public interface Propagator {

    /** Returns the peers that this propagator reaches. */
    PropagationScope scope();

    /**
     * Sends a message to a service.
     *
     * @return a future that completes when the message has been sent; it fails with
     *     {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE}, {@link io.parley.error.ErrorCode#BUSY},
     *     {@link io.parley.error.ErrorCode#UNREACHABLE} or {@link io.parley.error.ErrorCode#CLOSED}
     */
    CompletableFuture<Void> propagate(ServiceAddress service, Message message);

    /**
     * Registers a listener for the messages that other peers propagate to a service.
     *
     * @return a registration that removes the listener when it is closed
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND},
     *     {@link io.parley.error.ErrorCode#CLOSED}
     */
    AsyncCloseable listen(ServiceAddress service, PropagatedMessageListener listener);
}
