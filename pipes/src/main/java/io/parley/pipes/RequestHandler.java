package io.parley.pipes;

import io.parley.message.Message;

/**
 * Computes the responses of a service. Several requests may be handled concurrently. A handler that does not have the response at
 * once should use {@link Pipes#listen} and {@link PipeMessage#respond} instead, which needs no thread while the response is computed.
 */
@FunctionalInterface
public interface RequestHandler {

    /**
     * Handles a request. May block, unless the executor of the service is a direct one.
     *
     * @return the response
     * @throws io.parley.error.ApplicationException to fail the request with a code and a text of the application
     * @throws Exception to fail the request with {@link io.parley.error.ErrorCode#SERVICE_FAILED}. The requester gets the name of the
     *     class of the exception, and not its text
     */
    Message handle(PipeMessage request) throws Exception;
}
