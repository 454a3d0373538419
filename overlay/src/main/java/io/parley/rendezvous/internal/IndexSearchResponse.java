package io.parley.rendezvous.internal;

import io.parley.message.Message;

/**
 * What was found.
 *
 * @param hops how many rendezvous the question has passed
 */
record IndexSearchResponse(IndexSearchResult found, int hops) {

    private static final String PEER = "Peer";
    private static final String MORE = "More";
    private static final String HOPS = "Hops";
    private static final int MAX_HOPS = 255;

    Message write() {
        Message.Builder message = Message.builder()
                .add(RendezvousElements.number(MORE, found.more() ? 1 : 0))
                .add(RendezvousElements.number(HOPS, hops));
        RendezvousElements.addAll(message, RendezvousElements.DOCUMENT, found.documents());
        return RendezvousElements.addAll(message, PEER, found.peers()).build();
    }

    /** @throws io.parley.error.PeerFaultException {@link io.parley.error.ErrorCode#MALFORMED_MESSAGE} */
    static IndexSearchResponse read(Message message) {
        IndexSearchResult found = new IndexSearchResult(
                RendezvousElements.all(message, RendezvousElements.DOCUMENT, IndexSearchResult.MAX_DOCUMENTS),
                RendezvousElements.all(message, PEER, IndexSearchResult.MAX_DOCUMENTS),
                RendezvousElements.isSet(message, MORE));
        return new IndexSearchResponse(found, (int) RendezvousElements.number(message, HOPS, 0, MAX_HOPS, 0));
    }
}
