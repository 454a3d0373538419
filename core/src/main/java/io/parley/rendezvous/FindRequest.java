package io.parley.rendezvous;

import io.parley.discovery.DiscoveryMessages;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.PageRequest;
import io.parley.id.GroupId;
import io.parley.message.Message;
import java.time.Duration;

/**
 * What is looked for in the index.
 *
 * @param here     only in what the rendezvous that is asked has itself
 * @param patience how long the asker waits
 */
record FindRequest(GroupId group, DiscoveryQuery query, int offset, int limit, boolean here, Duration patience) {

    private static final String HERE = "Here";
    private static final String TIME = "Time";
    private static final int MAX_OFFSET = 1_000_000;
    private static final long MAX_MILLIS = Duration.ofHours(1).toMillis();

    FindRequest {
        limit = Math.max(1, Math.min(limit, Found.MAX_DOCUMENTS));
    }

    FindRequest at(int newOffset, int newLimit) {
        return new FindRequest(group, query, newOffset, newLimit, here, patience);
    }

    Message write() {
        return Message.builder()
                .addAll(DiscoveryMessages.request(new PageRequest(query, offset, limit, false)))
                .add(Elements.group(group))
                .add(Elements.number(HERE, here ? 1 : 0))
                .add(Elements.number(TIME, Math.max(1, Math.min(patience.toMillis(), MAX_MILLIS))))
                .build();
    }

    /** @throws io.parley.error.PeerFaultException {@link io.parley.error.ErrorCode#MALFORMED_MESSAGE} */
    static FindRequest read(Message message) {
        PageRequest page = DiscoveryMessages.readRequest(message);
        if (page.offset() > MAX_OFFSET) {
            throw Elements.malformed("Offset: " + page.offset() + " (expected: <= " + MAX_OFFSET + ")");
        }
        return new FindRequest(
                Elements.group(message),
                page.query(),
                page.offset(),
                page.limit(),
                Elements.isSet(message, HERE),
                Duration.ofMillis(Elements.number(message, TIME, 1, MAX_MILLIS)));
    }
}
