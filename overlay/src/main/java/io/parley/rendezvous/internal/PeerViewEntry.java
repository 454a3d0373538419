package io.parley.rendezvous.internal;

import io.parley.id.PeerId;
import io.parley.transport.PeerAddress;

/**
 * A rendezvous, as it has stated itself.
 *
 * @param address      where it can be reached
 * @param issuedMillis when it said so, by its own clock; a later statement shows that it is alive
 * @param document     the signed statement; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record PeerViewEntry(PeerAddress address, long issuedMillis, byte[] document) {

    PeerId peer() {
        return address.peer();
    }
}
