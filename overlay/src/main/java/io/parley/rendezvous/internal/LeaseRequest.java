package io.parley.rendezvous.internal;

import io.parley.id.GroupId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.Set;

/**
 * What a client asks its rendezvous for.
 *
 * @param wanted    how long; zero gives the lease back
 * @param groups    the groups that the client is in, in place of those it has told before
 * @param referrals how many other rendezvous it would like to know
 */
record LeaseRequest(Duration wanted, Set<GroupId> groups, int referrals) {

    private static final String TIME = "Time";
    private static final String REFERRALS = "Referrals";
    private static final long MAX_MILLIS = Duration.ofDays(1).toMillis();

    /** What is granted at most. */
    static final int MAX_REFERRALS = 16;

    LeaseRequest {
        groups = Set.copyOf(groups);
    }

    static LeaseRequest back() {
        return new LeaseRequest(Duration.ZERO, Set.of(), 0);
    }

    Message write() {
        Message.Builder message = Message.builder()
                .add(RendezvousElements.number(TIME, Math.min(wanted.toMillis(), MAX_MILLIS)))
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
