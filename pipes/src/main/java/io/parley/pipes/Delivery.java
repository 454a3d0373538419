package io.parley.pipes;

import io.parley.endpoint.Endpoint;
import io.parley.endpoint.Messenger;
import io.parley.endpoint.ServiceAddress;
import io.parley.id.PeerId;
import java.util.List;

/** What output pipes do with a message that is not acknowledged, or for which there is no room. */
enum Delivery {
    RELIABLE,
    /** Reliable, and the next holder gets what the lost one has not acknowledged. */
    RESENDING,
    DROP_OLDEST,
    DROP_NEWEST;

    Messenger newMessenger(Endpoint endpoint, PeerId holder, ServiceAddress service, List<String> codecs) {
        return this == RELIABLE || this == RESENDING
                ? endpoint.messenger(holder, service, codecs)
                : endpoint.bestEffortMessenger(holder, service, codecs, this == DROP_OLDEST);
    }
}
