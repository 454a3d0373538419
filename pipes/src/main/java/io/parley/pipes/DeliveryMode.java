package io.parley.pipes;

import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.id.PeerId;
import java.util.List;

/** The treatment of messages that are not acknowledged, or for which an output pipe has no room. */
enum DeliveryMode {
    RELIABLE,
    /** Reliable, and the next holder gets what the lost one has not acknowledged. */
    RESENDING,
    DROP_OLDEST,
    DROP_NEWEST;

    boolean isBestEffort() {
        return this == DROP_OLDEST || this == DROP_NEWEST;
    }

    Messenger newMessenger(Endpoint endpoint, PeerId holder, ServiceAddress service, List<String> codecs) {
        return isBestEffort()
                ? endpoint.bestEffortMessenger(holder, service, codecs, this == DROP_OLDEST)
                : endpoint.messenger(holder, service, codecs);
    }
}
