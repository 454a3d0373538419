package io.parley.group.internal.view;

import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.endpoint.Endpoint;
import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.List;

/** Signs and verifies the entries of one group, each a {@link PeerAdvertisement} with a route. Thread-safe. */
final class MemberEntryFactory {

    /** The time for which a member may be named to others after it has issued its last entry. */
    static final Duration EXPIRATION = Duration.ofMinutes(15);

    /** The maximum size of an entry. One with the most and longest addresses fits. */
    static final int MAX_BYTES = 8 << 10;

    private final Endpoint endpoint;
    private final GroupId group;
    private final String peerName;
    private final AdvertisementSigner signer;
    private final AdvertisementVerifier verifier;

    /** @param peerName the name of this peer in its entries */
    MemberEntryFactory(
            Endpoint endpoint,
            GroupId group,
            String peerName,
            AdvertisementSigner signer,
            AdvertisementVerifier verifier) {
        this.endpoint = endpoint;
        this.group = group;
        this.peerName = peerName;
        this.signer = signer;
        this.verifier = verifier;
    }

    /** Returns a new entry of this peer, with its present addresses. */
    MemberEntry sign() {
        PeerAddress self = endpoint.peerAddress();
        List<String> addresses =
                self.addresses().stream().map(EndpointAddress::toString).toList();
        return entry(signer.sign(
                PeerAdvertisement.of(self.peer(), group, peerName)
                        .withRoute(RouteAdvertisement.of(self.peer(), addresses)),
                group,
                EXPIRATION,
                EXPIRATION));
    }

    /**
     * Verifies an entry that another member has sent. The array is borrowed for this call.
     *
     * @throws io.parley.error.ParleyException as {@link AdvertisementVerifier#verify}, and if it is no entry of this group
     */
    MemberEntry verify(byte[] document) {
        if (document.length > MAX_BYTES) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "member entry: " + document.length + " bytes (expected: <= " + MAX_BYTES + ")");
        }
        SignedAdvertisement signed = verifier.verify(document);
        if (!signed.group().equals(group)) {
            throw ErrorCode.MALFORMED_ADVERTISEMENT.exception(
                    "member entry: signed in " + signed.group() + " (expected: in " + group + ")");
        }
        return entry(signed);
    }

    private static MemberEntry entry(SignedAdvertisement signed) {
        if (!(signed.advertisement() instanceof PeerAdvertisement advertisement)) {
            throw ErrorCode.MALFORMED_ADVERTISEMENT.exception(
                    "member entry: " + signed.advertisement().type() + " (expected: a peer advertisement)");
        }
        List<EndpointAddress> addresses =
                advertisement.route().map(RouteAdvertisement::endpointAddresses).orElse(List.of());
        long issuedMillis = signed.issuedAt().toEpochMilli();
        // Advertisements that a member has published in discovery are valid for longer.
        long expiresMillis = Math.min(signed.expiresAt().toEpochMilli(), issuedMillis + EXPIRATION.toMillis());
        return new MemberEntry(
                new PeerAddress(signed.publisher(), addresses), issuedMillis, expiresMillis, signed.toByteArray());
    }
}
