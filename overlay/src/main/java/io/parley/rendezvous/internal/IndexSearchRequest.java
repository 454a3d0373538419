package io.parley.rendezvous.internal;

import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.DiscoveryMessages;
import io.parley.discovery.internal.PageRequest;
import io.parley.id.GroupId;
import io.parley.message.Message;
import java.time.Duration;

/**
 * What is looked for in the index.
 *
 * @param here     only in what the rendezvous that is asked has itself
 * @param patience how long the asker waits
 */
record IndexSearchRequest(GroupId group, DiscoveryQuery query, int offset, int limit, boolean here, Duration patience) {

    private static final String HERE = "Here";
    private static final String TIME = "Time";
    private static final int MAX_OFFSET = 1_000_000;
    private static final long MAX_MILLIS = Duration.ofHours(1).toMillis();

    IndexSearchRequest {
        limit = Math.max(1, Math.min(limit, IndexSearchResult.MAX_DOCUMENTS));
    }

    IndexSearchRequest at(int newOffset, int newLimit) {
        return new IndexSearchRequest(group, query, newOffset, newLimit, here, patience);
    }

    Message write() {
        return Message.builder()
                .addAll(DiscoveryMessages.request(new PageRequest(query, offset, limit, false)))
                .add(RendezvousElements.group(group))
                .add(RendezvousElements.number(HERE, here ? 1 : 0))
                .add(RendezvousElements.number(TIME, Math.max(1, Math.min(patience.toMillis(), MAX_MILLIS))))
                .build();
    }

    /** @throws io.parley.error.PeerFaultException {@link io.parley.error.ErrorCode#MALFORMED_MESSAGE} */
    static IndexSearchRequest read(Message message) {
        PageRequest page = DiscoveryMessages.readRequest(message);
        if (page.offset() > MAX_OFFSET) {
            throw RendezvousElements.malformed("Offset: " + page.offset() + " (expected: <= " + MAX_OFFSET + ")");
        }
        return new IndexSearchRequest(
                RendezvousElements.group(message),
                page.query(),
                page.offset(),
                page.limit(),
                RendezvousElements.isSet(message, HERE),
                Duration.ofMillis(RendezvousElements.number(message, TIME, 1, MAX_MILLIS)));
    }
}
