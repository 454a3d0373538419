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
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Signs and verifies peer view entries, each a {@link RdvAdvertisement} with a route. Thread-safe. */
final class PeerViewEntryFactory {

    private static final Logger log = LoggerFactory.getLogger(PeerViewEntryFactory.class);

    /** Long, because clocks may differ. An entry is recent if it is newer than the one before. */
    private static final Duration EXPIRATION = Duration.ofMinutes(15);

    /** The maximum size of an entry. One with the most and longest addresses fits, and so do all entries of one message in its body. */
    private static final int MAX_BYTES = 8 << 10;

    private static final String SERVICE_NAME = "rendezvous";

    private final RateLimitedLogger rejectionLog = new RateLimitedLogger(log);
    private final AdvertisementSigner signer;
    private final AdvertisementVerifier verifier;
    private final RendezvousMetrics metrics;

    PeerViewEntryFactory(RendezvousMetrics metrics, AdvertisementSigner signer, AdvertisementVerifier verifier) {
        this.metrics = metrics;
        this.signer = signer;
        this.verifier = verifier;
    }

    static PeerViewEntryFactory of(RendezvousContext context) {
        return new PeerViewEntryFactory(context.metrics(), context.signer(), context.verifier());
    }

    /** Returns a new entry of this peer. */
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

    /** Returns the entry of a signed document; empty, and counted, if it is invalid. */
    Optional<PeerViewEntry> verify(byte[] document) {
        try {
            if (document.length > MAX_BYTES) {
                throw ErrorCode.LIMIT_EXCEEDED.exception(
                        "peer view entry: " + document.length + " bytes (expected: <= " + MAX_BYTES + ")");
            }
            return Optional.of(entry(verifier.verify(document)));
        } catch (ParleyException e) {
            metrics.increment(Counter.VIEW_ENTRIES_REJECTED);
            rejectionLog.warn("Rejected peer view entry: {}", e.getMessage());
            return Optional.empty();
        }
    }

    private static PeerViewEntry entry(SignedAdvertisement signed) {
        if (!signed.group().equals(RendezvousContext.GROUP)
                || !(signed.advertisement() instanceof RdvAdvertisement advertisement)
                || !advertisement.serviceName().equals(SERVICE_NAME)) {
            throw ErrorCode.MALFORMED_ADVERTISEMENT.exception("peer view entry: "
                    + signed.advertisement().type() + " in " + signed.group()
                    + " (expected: a jxta:RdvAdvertisement of "
                    + SERVICE_NAME + " in " + RendezvousContext.GROUP + ")");
        }
        RouteAdvertisement route = advertisement.route();
        List<EndpointAddress> addresses = route == null ? List.of() : route.endpointAddresses();
        return new PeerViewEntry(
                new PeerAddress(signed.publisher(), addresses),
                signed.issuedAt().toEpochMilli(),
                signed.toByteArray());
    }
}
