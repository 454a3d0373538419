package io.parley.rendezvous.internal;

import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.RdvAdvertisement;
import io.parley.advertisement.RouteAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import io.parley.transport.EndpointAddress;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes and reads what rendezvous state about themselves: a {@link RdvAdvertisement} with a route. Thread-safe. */
final class PeerViewEntryFactory {

    private static final Logger log = LoggerFactory.getLogger(PeerViewEntryFactory.class);

    /** As clocks may differ; that a statement is of now is seen from its being newer than the one before. */
    private static final Duration EXPIRATION = Duration.ofMinutes(15);

    private static final String SERVICE_NAME = "rendezvous";

    private final RateLimitedLogger complaints = new RateLimitedLogger(log);
    private final AdvertisementSigner signer;
    private final AdvertisementVerifier verifier;
    private final RendezvousMetrics metrics;

    PeerViewEntryFactory(RendezvousMetrics metrics, AdvertisementSigner signer, AdvertisementVerifier verifier) {
        this.metrics = metrics;
        this.signer = signer;
        this.verifier = verifier;
    }

    static PeerViewEntryFactory of(RendezvousContext overlay) {
        return new PeerViewEntryFactory(overlay.metrics(), overlay.signer(), overlay.verifier());
    }

    /** This peer, as of now. */
    PeerViewEntry sign(PeerAddress self) {
        List<String> addresses =
                self.addresses().stream().map(EndpointAddress::toString).toList();
        SignedAdvertisement signed = signer.sign(
                new RdvAdvertisement(
                        AdvertisementId.of(RendezvousContext.GROUP),
                        AdvertisementId.of(self.peer()),
                        SERVICE_NAME,
                        null,
                        RouteAdvertisement.of(self.peer(), addresses)),
                RendezvousContext.GROUP,
                EXPIRATION,
                EXPIRATION);
        return new PeerViewEntry(self, signed.issuedAt().toEpochMilli(), signed.toByteArray());
    }

    /** The rendezvous that has signed it; empty, and counted, when it is no good. */
    Optional<PeerViewEntry> verify(byte[] document) {
        try {
            return Optional.of(member(verifier.verify(document)));
        } catch (ParleyException e) {
            metrics.increment(Counter.VIEW_ENTRIES_REJECTED);
            complaints.warn("Refused a statement of a rendezvous: {}", e.getMessage());
            return Optional.empty();
        }
    }

    private static PeerViewEntry member(SignedAdvertisement signed) {
        if (!signed.group().equals(RendezvousContext.GROUP)
                || !(signed.advertisement() instanceof RdvAdvertisement statement)
                || !statement.serviceName().equals(SERVICE_NAME)) {
            throw ErrorCode.MALFORMED_ADVERTISEMENT.exception("statement of a rendezvous: "
                    + signed.advertisement().type() + " in " + signed.group()
                    + " (expected: a jxta:RdvAdvertisement of "
                    + SERVICE_NAME + " in " + RendezvousContext.GROUP + ")");
        }
        List<EndpointAddress> addresses = new ArrayList<>();
        RouteAdvertisement route = statement.route();
        if (route != null) {
            route.addresses().forEach(text -> addIfKnown(addresses, text));
        }
        return new PeerViewEntry(
                new PeerAddress(signed.publisher(), addresses),
                signed.issuedAt().toEpochMilli(),
                signed.toByteArray());
    }

    private static void addIfKnown(List<EndpointAddress> addresses, String text) {
        if (addresses.size() >= PeerAddress.MAX_ADDRESSES) {
            return;
        }
        try {
            addresses.add(EndpointAddress.parse(text));
        } catch (IllegalArgumentException e) {
            // of a later version, perhaps
        }
    }
}
