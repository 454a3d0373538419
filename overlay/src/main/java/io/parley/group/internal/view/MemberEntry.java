package io.parley.group.internal.view;

import io.parley.id.PeerId;
import io.parley.transport.PeerAddress;

/**
 * The description of a group member, signed by itself, so that no other member can give it false addresses.
 *
 * @param address       the peer id and addresses
 * @param issuedMillis  the time of issue by the clock of the member, in milliseconds since the epoch; a later entry replaces an earlier one
 * @param expiresMillis the time from which the entry is not used, by the same clock
 * @param document      the signed advertisement; must not be modified
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record MemberEntry(PeerAddress address, long issuedMillis, long expiresMillis, byte[] document) {

    PeerId peer() {
        return address.peer();
    }

    boolean isNewerThan(MemberEntry other) {
        return issuedMillis > other.issuedMillis;
    }
}
