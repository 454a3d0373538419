package io.parley.rendezvous;

import io.parley.message.Message;

/**
 * What was found.
 *
 * @param hops how many rendezvous the question has passed
 */
record FindReply(Found found, int hops) {

    private static final String PEER = "Peer";
    private static final String MORE = "More";
    private static final String HOPS = "Hops";
    private static final int MAX_HOPS = 255;

    Message write() {
        Message.Builder message = Message.builder()
                .add(Elements.number(MORE, found.more() ? 1 : 0))
                .add(Elements.number(HOPS, hops));
        Elements.addAll(message, Elements.DOCUMENT, found.documents());
        return Elements.addAll(message, PEER, found.peers()).build();
    }

    /** @throws io.parley.error.PeerFaultException {@link io.parley.error.ErrorCode#MALFORMED_MESSAGE} */
    static FindReply read(Message message) {
        Found found = new Found(
                Elements.all(message, Elements.DOCUMENT, Found.MAX_DOCUMENTS),
                Elements.all(message, PEER, Found.MAX_DOCUMENTS),
                Elements.isSet(message, MORE));
        return new FindReply(found, (int) Elements.number(message, HOPS, 0, MAX_HOPS, 0));
    }
}
