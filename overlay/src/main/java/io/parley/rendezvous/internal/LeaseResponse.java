package io.parley.rendezvous.internal;

import io.parley.message.Message;
import java.time.Duration;
import java.util.List;

/**
 * What a rendezvous answers to a client.
 *
 * @param granted   how long the lease lasts from now on; zero when there is none, as there are enough clients
 * @param fresh     whether there was none before, so that nothing of the client is known
 * @param referrals documents of other rendezvous
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
