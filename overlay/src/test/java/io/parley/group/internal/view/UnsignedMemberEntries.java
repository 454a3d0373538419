package io.parley.group.internal.view;

import io.parley.id.PeerId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.List;

/** Entries for a view, which verifies no signature. */
final class UnsignedMemberEntries {

    private UnsignedMemberEntries() {}

    static MemberEntry entry(PeerId peer, long issuedMillis, Duration expiration) {
        return new MemberEntry(
                new PeerAddress(peer, List.of(EndpointAddress.parse("mem://" + peer.shortText()))),
                issuedMillis,
                issuedMillis + expiration.toMillis(),
                new byte[] {1});
    }

    static MemberEntry entry(PeerId peer, long issuedMillis) {
        return entry(peer, issuedMillis, MemberEntryFactory.EXPIRATION);
    }
}
