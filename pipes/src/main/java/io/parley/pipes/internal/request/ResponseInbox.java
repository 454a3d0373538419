package io.parley.pipes.internal.request;

import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.id.PeerId;
import io.parley.pipes.internal.PipeSecurity;

/**
 * An inbox of a requester, as its responder knows it.
 *
 * @param number   the number of the inbox, which the request contains
 * @param security the security of the pipe of the request, which that of the response must equal
 */
record ResponseInbox(PeerId requester, int number, PipeSecurity security) {

    Messenger newMessenger(Endpoint endpoint) {
        return security.newMessenger(endpoint, requester, RequestFormat.responseService(number));
    }
}
