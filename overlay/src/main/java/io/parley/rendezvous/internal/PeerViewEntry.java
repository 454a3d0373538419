package io.parley.rendezvous.internal;

import io.parley.id.PeerId;
import io.parley.transport.PeerAddress;

/**
 * A rendezvous, as it has described and signed itself.
 *
 * @param address      the peer id and addresses
 * @param issuedMillis the time of issue by the clock of the rendezvous, in milliseconds since the epoch; a later entry shows
 *     that it is alive
 * @param document     the signed advertisement; must not be modified
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record PeerViewEntry(PeerAddress address, long issuedMillis, byte[] document) {

    PeerId peer() {
        return address.peer();
    }
}
