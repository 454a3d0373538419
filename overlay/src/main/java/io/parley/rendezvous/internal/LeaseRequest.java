package io.parley.rendezvous.internal;

import io.parley.id.GroupId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Set;

/**
 * The request of a client for a lease.
 *
 * @param requested the duration of the lease; zero returns it
 * @param groups    the groups of the client; they replace those of earlier requests
 * @param referrals the number of other rendezvous that the client wants to know
 */
record LeaseRequest(Duration requested, Set<GroupId> groups, int referrals) {

    private static final String TIME = "Time";
    private static final String REFERRALS = "Referrals";
    private static final long MAX_MILLIS = Duration.ofDays(1).toMillis();

    /** The maximum number of referrals in a response. */
    static final int MAX_REFERRALS = 16;

    LeaseRequest {
        groups = Set.copyOf(groups);
    }

    /** Returns a request that returns the lease. */
    static LeaseRequest release() {
        return new LeaseRequest(Duration.ZERO, Set.of(), 0);
    }

    Message write() {
        Message.Builder message = Message.builder()
                .add(RendezvousElements.number(TIME, Math.min(requested.toMillis(), MAX_MILLIS)))
                .add(RendezvousElements.number(REFERRALS, referrals));
        groups.forEach(group -> message.add(RendezvousElements.group(group)));
        return message.build();
    }

    /** @throws io.parley.error.PeerFaultException {@link io.parley.error.ErrorCode#MALFORMED_MESSAGE} */
    static LeaseRequest read(Message message, int maxGroups) {
        return new LeaseRequest(
                Duration.ofMillis(RendezvousElements.number(message, TIME, 0, MAX_MILLIS)),
                Set.copyOf(RendezvousElements.groups(message, maxGroups).stream()
                        .distinct()
                        .toList()),
                (int) RendezvousElements.number(message, REFERRALS, 0, MAX_REFERRALS, 0));
    }
}
