package io.parley.rendezvous.internal;

import io.parley.message.Message;
import java.util.List;

/**
 * A page of documents that match a search.
 *
 * @param documents the documents that match
 * @param peers     the peer advertisements of their publishers, if they are known and there is room
 * @param more      whether more documents follow
 * @param hops      the number of rendezvous that the request has passed
 */
record IndexSearchResponse(List<byte[]> documents, List<byte[]> peers, boolean more, int hops) {

    /** The maximum number of documents, and of peers, of one page. */
    static final int MAX_DOCUMENTS = 100;

    /** The maximum size of the documents of one page, in bytes, unless the page has one document only. */
    static final int MAX_DOCUMENT_BYTES = 192 << 10;

    /** The maximum size of documents and peers of one page, in bytes. */
    static final int MAX_TOTAL_BYTES = 256 << 10;

    private static final String PEER = "Peer";
    private static final String MORE = "More";
    private static final String HOPS = "Hops";
    private static final int MAX_HOPS = 255;

    IndexSearchResponse {
        documents = List.copyOf(documents);
        peers = List.copyOf(peers);
    }

    Message write() {
        Message.Builder message = Message.builder()
                .add(RendezvousElements.number(MORE, more ? 1 : 0))
                .add(RendezvousElements.number(HOPS, hops));
        RendezvousElements.addAll(message, RendezvousElements.DOCUMENT, documents);
        return RendezvousElements.addAll(message, PEER, peers).build();
    }

    /** @throws io.parley.error.PeerFaultException {@link io.parley.error.ErrorCode#MALFORMED_MESSAGE} */
    static IndexSearchResponse read(Message message) {
        return new IndexSearchResponse(
                RendezvousElements.all(message, RendezvousElements.DOCUMENT, MAX_DOCUMENTS),
                RendezvousElements.all(message, PEER, MAX_DOCUMENTS),
                RendezvousElements.isSet(message, MORE),
                (int) RendezvousElements.number(message, HOPS, 0, MAX_HOPS, 0));
    }
}
