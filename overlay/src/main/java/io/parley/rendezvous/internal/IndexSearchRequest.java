package io.parley.rendezvous.internal;

import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.DiscoveryMessages;
import io.parley.discovery.internal.PageRequest;
import io.parley.id.GroupId;
import io.parley.message.Message;
import java.time.Duration;

/**
 * A request for a page of the index.
 *
 * @param localOnly whether only the results of the receiving rendezvous are requested
 * @param timeout   how long the sender waits for the response
 */
record IndexSearchRequest(
        GroupId group, DiscoveryQuery query, int offset, int limit, boolean localOnly, Duration timeout) {

    private static final String HERE = "Here";
    private static final String TIME = "Time";
    private static final int MAX_OFFSET = 1_000_000;
    private static final long MAX_MILLIS = Duration.ofHours(1).toMillis();

    IndexSearchRequest {
        limit = Math.max(1, Math.min(limit, IndexSearchResponse.MAX_DOCUMENTS));
    }

    /** Returns a copy for another page. */
    IndexSearchRequest withPage(int newOffset, int newLimit) {
        return new IndexSearchRequest(group, query, newOffset, newLimit, localOnly, timeout);
    }

    Message write() {
        return Message.builder()
                .addAll(DiscoveryMessages.request(new PageRequest(query, offset, limit, false)))
                .add(RendezvousElements.group(group))
                .add(RendezvousElements.number(HERE, localOnly ? 1 : 0))
                .add(RendezvousElements.number(TIME, Math.max(1, Math.min(timeout.toMillis(), MAX_MILLIS))))
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
