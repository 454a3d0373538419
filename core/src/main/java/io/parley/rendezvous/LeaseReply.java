package io.parley.rendezvous;

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
record LeaseReply(Duration granted, boolean fresh, List<byte[]> referrals) {

    private static final String TIME = "Time";
    private static final long MAX_MILLIS = Duration.ofDays(365).toMillis();

    LeaseReply {
        referrals = List.copyOf(referrals);
    }

    boolean isGranted() {
        return !granted.isZero();
    }

    Message write() {
        Message.Builder message = Message.builder()
                .add(Elements.number(TIME, granted.toMillis()))
                .add(Elements.number(Elements.FRESH, fresh ? 1 : 0));
        return Elements.addAll(message, Elements.DOCUMENT, referrals).build();
    }

    /** @throws io.parley.error.PeerFaultException {@link io.parley.error.ErrorCode#MALFORMED_MESSAGE} */
    static LeaseReply read(Message message) {
        return new LeaseReply(
                Duration.ofMillis(Elements.number(message, TIME, 0, MAX_MILLIS)),
                Elements.isSet(message, Elements.FRESH),
                Elements.all(message, Elements.DOCUMENT, LeaseRequest.MAX_REFERRALS));
    }
}
