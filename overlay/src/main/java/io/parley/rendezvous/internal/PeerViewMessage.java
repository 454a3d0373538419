package io.parley.rendezvous.internal;

import io.parley.id.PeerId;
import io.parley.message.Message;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The message by which rendezvous exchange peer view entries.
 *
 * @param leaving   if the sender is about to end, the time of issue of its last entry; otherwise 0
 * @param documents the signed entries, that of the sender first
 * @param known     the time of issue of each entry that the sender has, in milliseconds since the epoch; empty in a response
 */
record PeerViewMessage(long leaving, List<byte[]> documents, Map<PeerId, Long> known) {

    private static final String LEAVING = "Leaving";
    private static final String KNOWN = "Known";
    private static final int KNOWN_BYTES = PeerId.BYTES + Long.BYTES;

    /** The maximum number of documents in one message. */
    static final int MAX_DOCUMENTS = 64;

    private static final int MAX_KNOWN = 1024;

    PeerViewMessage {
        documents = List.copyOf(documents);
        known = Map.copyOf(known);
    }

    static PeerViewMessage response(List<byte[]> documents) {
        return new PeerViewMessage(0, documents, Map.of());
    }

    static PeerViewMessage leave(long issuedMillis) {
        return new PeerViewMessage(issuedMillis, List.of(), Map.of());
    }

    Message write() {
        Message.Builder message = Message.builder();
        if (leaving != 0) {
            message.add(RendezvousElements.number(LEAVING, leaving));
        }
        if (!known.isEmpty()) {
            ByteBuffer bytes = ByteBuffer.allocate(known.size() * KNOWN_BYTES);
            known.forEach((peer, issued) -> bytes.put(peer.toByteArray()).putLong(issued));
            message.add(RendezvousElements.bytes(KNOWN, bytes.array()));
        }
        return RendezvousElements.addAll(message, RendezvousElements.DOCUMENT, documents)
                .build();
    }

    /** @throws io.parley.error.PeerFaultException {@link io.parley.error.ErrorCode#MALFORMED_MESSAGE} */
    static PeerViewMessage read(Message message) {
        Map<PeerId, Long> known = new HashMap<>();
        for (byte[] bytes : RendezvousElements.all(message, KNOWN, 1)) {
            if (bytes.length % KNOWN_BYTES != 0 || bytes.length > MAX_KNOWN * KNOWN_BYTES) {
                throw RendezvousElements.malformed(KNOWN + ": " + bytes.length + " bytes (expected: a multiple of "
                        + KNOWN_BYTES + ", <= " + MAX_KNOWN * KNOWN_BYTES + ")");
            }
            ByteBuffer in = ByteBuffer.wrap(bytes);
            while (in.hasRemaining()) {
                byte[] peer = new byte[PeerId.BYTES];
                in.get(peer);
                known.put(PeerId.ofBytes(peer), in.getLong());
            }
        }
        return new PeerViewMessage(
                RendezvousElements.number(message, LEAVING, 0, Long.MAX_VALUE, 0),
                RendezvousElements.all(message, RendezvousElements.DOCUMENT, MAX_DOCUMENTS),
                known);
    }
}
