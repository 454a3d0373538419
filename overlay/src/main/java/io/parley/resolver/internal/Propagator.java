package io.parley.resolver.internal;

import io.parley.common.AsyncCloseable;
import io.parley.endpoint.ServiceAddress;
import io.parley.message.Message;
import java.util.concurrent.CompletableFuture;

/**
 * A way to say something to the services of many peers, who they are being unknown: {@link MulticastPropagator}, or by
 * peers that pass it on. Best effort, and several times the same is no fault.
 */
public interface Propagator {

    /** How far it goes. */
    PropagationScope scope();

    /**
     * Says it to that service of all peers that can be reached so.
     *
     * @return completes when it is under way; fails when it can't be, with
     *     {@link io.parley.error.ErrorCode#MESSAGE_TOO_LARGE}, {@link io.parley.error.ErrorCode#BUSY},
     *     {@link io.parley.error.ErrorCode#UNREACHABLE} or {@link io.parley.error.ErrorCode#CLOSED}
     */
    CompletableFuture<Void> propagate(ServiceAddress service, Message message);

    /**
     * Hears what others say to that service.
     *
     * @return closing it ends that
     * @throws io.parley.error.ParleyException {@link io.parley.error.ErrorCode#ALREADY_BOUND},
     *     {@link io.parley.error.ErrorCode#CLOSED}
     */
    AsyncCloseable listen(ServiceAddress service, PropagatedMessageListener listener);
}
