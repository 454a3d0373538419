package io.parley.rendezvous.internal;

import io.parley.message.Message;
import java.time.Duration;
import java.util.List;

/**
 * The response of a rendezvous to a {@link LeaseRequest}.
 *
 * @param granted   the duration of the lease, from now; zero if it is refused because the rendezvous is full
 * @param fresh     whether the client had no lease, so that the rendezvous knows nothing of it
 * @param referrals the signed entries of other rendezvous
 */
record LeaseResponse(Duration granted, boolean fresh, List<byte[]> referrals) {

    private static final String TIME = "Time";
    private static final long MAX_MILLIS = Duration.ofDays(365).toMillis();

    LeaseResponse {
        referrals = List.copyOf(referrals);
    }

    boolean isGranted() {
        return !granted.isZero();
    }

    Message write() {
        Message.Builder message = Message.builder()
                .add(RendezvousElements.number(TIME, granted.toMillis()))
                .add(RendezvousElements.number(RendezvousElements.FRESH, fresh ? 1 : 0));
        return RendezvousElements.addAll(message, RendezvousElements.DOCUMENT, referrals)
                .build();
    }

    /** @throws io.parley.error.PeerFaultException {@link io.parley.error.ErrorCode#MALFORMED_MESSAGE} */
    static LeaseResponse read(Message message) {
        return new LeaseResponse(
                Duration.ofMillis(RendezvousElements.number(message, TIME, 0, MAX_MILLIS)),
                RendezvousElements.isSet(message, RendezvousElements.FRESH),
                RendezvousElements.all(message, RendezvousElements.DOCUMENT, LeaseRequest.MAX_REFERRALS));
    }
}
