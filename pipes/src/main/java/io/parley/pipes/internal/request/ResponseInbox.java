package io.parley.pipes.internal.request;

import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.id.PeerId;
import io.parley.pipes.internal.PipeSecurity;
import java.util.Comparator;

/**
 * An inbox of a requester, as its responder knows it. Inboxes are comparable, so that a hash table finds those of one hash, which requesters
 * can choose, in logarithmic time.
 *
 * @param number   the number of the inbox, which the request contains
 * @param security the security of the pipe of the request, which that of the response must equal
 */
record ResponseInbox(PeerId requester, int number, PipeSecurity security) implements Comparable<ResponseInbox> {

    private static final Comparator<ResponseInbox> ORDER = Comparator.comparingInt(ResponseInbox::number)
            .thenComparing(ResponseInbox::requester)
            .thenComparing(ResponseInbox::security);

    /** Compares inboxes by their components. The order has no meaning. */
    @Override
    public int compareTo(ResponseInbox other) {
        return ORDER.compare(this, other);
    }

    Messenger newMessenger(Endpoint endpoint) {
        return security.newMessenger(endpoint, requester, RequestFormat.responseService(number));
    }
}
