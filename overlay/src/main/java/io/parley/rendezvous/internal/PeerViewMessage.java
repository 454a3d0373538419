package io.parley.rendezvous.internal;

import io.parley.id.PeerId;
import io.parley.message.Message;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What rendezvous tell each other about who they are.
 *
 * @param leaving   the sender is about to end, and this is the time of its last statement; 0 when it goes on
 * @param documents signed statements, the sender's own first
 * @param known     of whom the sender has a statement, and the time of its issue; empty in an answer
 */
record PeerViewMessage(long leaving, List<byte[]> documents, Map<PeerId, Long> known) {

    private static final String LEAVING = "Leaving";
    private static final String KNOWN = "Known";
    private static final int KNOWN_BYTES = PeerId.BYTES + Long.BYTES;

    /** In one message. */
    static final int MAX_DOCUMENTS = 64;

    private static final int MAX_KNOWN = 1024;

    PeerViewMessage {
        documents = List.copyOf(documents);
        known = Map.copyOf(known);
    }

    static PeerViewMessage answer(List<byte[]> documents) {
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
