package io.parley.advertisement.internal;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.error.ErrorCode;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads signed advertisements and rejects untrustworthy ones of other peers. It does not compare an advertisement with the
 * known version; the caller must do that with {@link SignedAdvertisement#requireNewerThan} or in a store. Thread-safe.
 */
public final class AdvertisementVerifier {

    /**
     * The maximum expiration of a tombstone: it replaces older versions like any advertisement, but searches do not return it. A
     * receiver whose clock is ahead must accept it after its end too, because otherwise it keeps the older version.
     */
    public static final Duration WITHDRAWAL_EXPIRATION = Duration.ofSeconds(10);

    private final AdvertisementCodec documents;
    private final Clock clock;

    /** Creates a verifier with the limits of a codec and a clock. */
    public AdvertisementVerifier(AdvertisementCodec documents, Clock clock) {
        this.documents = Objects.requireNonNull(documents, "documents");
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /**
     * Verifies an advertisement received from another peer. Cheap checks come first and the document last: only documents with a
     * valid signature are parsed. The array is borrowed for this call.
     *
     * @throws io.parley.error.ParleyException if the advertisement is rejected, with a message that names the fault:
     *     <ul>
     *       <li>LIMIT_EXCEEDED: larger, longer valid or more complex than allowed
     *       <li>MALFORMED_ADVERTISEMENT, VERSION_UNSUPPORTED: invalid format
     *       <li>NOT_YET_VALID: issued in the future
     *       <li>EXPIRED: past its caching time; a tombstone, past that and the allowed clock skew
     *       <li>SIGNATURE_REFUSED: not signed by its publisher
     *       <li>IDENTITY_REFUSED: signed by a peer that may not publish it
     *     </ul>
     */
    public SignedAdvertisement verify(byte[] bytes) {
        Envelope envelope = open(bytes);
        checkTimes(envelope);
        if (!envelope.isSigned()) {
            throw ErrorCode.SIGNATURE_REFUSED.exception(
                    "advertisement: signature: invalid (expected: signature of its publisher, " + envelope.publisher()
                            + ")");
        }
        SignedAdvertisement signed = parse(envelope);
        checkPolicy(signed.advertisement(), envelope);
        return signed;
    }

    /**
     * Reads an advertisement that this peer stored after it had verified or signed it. Checks only its format, neither its
     * signature nor its times. The array is borrowed for this call.
     *
     * @throws io.parley.error.PeerFaultException LIMIT_EXCEEDED, MALFORMED_ADVERTISEMENT, VERSION_UNSUPPORTED
     */
    public SignedAdvertisement readTrusted(byte[] bytes) {
        return parse(open(bytes));
    }

    private Envelope open(byte[] bytes) {
        long maxBytes = (long) Envelope.OVERHEAD_BYTES + documents.limits().maxDocumentBytes();
        if (bytes.length > maxBytes) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "advertisement: " + bytes.length + " bytes (expected: <= " + maxBytes + ")");
        }
        return Envelope.read(bytes.clone());
    }

    private SignedAdvertisement parse(Envelope envelope) {
        return new SignedDocument(envelope, documents.decode(envelope.document()));
    }

    private static void checkPolicy(Advertisement advertisement, Envelope envelope) {
        @Nullable String publisherFault;
        @Nullable String groupFault;
        try {
            publisherFault = PublicationPolicy.publisherFault(advertisement, envelope.publisher());
            groupFault = PublicationPolicy.groupFault(advertisement, envelope.group());
        } catch (RuntimeException e) {
            // An untrusted document can make a user-defined type fail: reject the document.
            throw ErrorCode.MALFORMED_ADVERTISEMENT.exception("advertisement: " + e.getMessage(), e);
        }
        if (publisherFault != null) {
            throw ErrorCode.IDENTITY_REFUSED.exception("advertisement: " + publisherFault);
        }
        if (groupFault != null) {
            throw ErrorCode.MALFORMED_ADVERTISEMENT.exception("advertisement: " + groupFault);
        }
    }

    private void checkTimes(Envelope envelope) {
        AdvertisementLimits limits = documents.limits();
        checkDuration("lifetime", envelope.lifetimeMillis(), limits.maxLifetime());
        checkDuration("expiration", envelope.expirationMillis(), limits.maxExpiration());
        Instant now = clock.instant();
        Instant issued = Instant.ofEpochMilli(envelope.issuedMillis());
        Instant latest = now.plus(limits.maxClockSkew());
        if (issued.isAfter(latest)) {
            throw ErrorCode.NOT_YET_VALID.exception("advertisement: issued at " + issued + " (expected: <= " + latest
                    + ", the current time plus the allowed clock skew)");
        }
        Instant end = issued.plusMillis(envelope.expirationMillis());
        boolean isTombstone = envelope.expirationMillis() > 0 // otherwise it is not for other peers
                && envelope.expirationMillis() <= WITHDRAWAL_EXPIRATION.toMillis();
        if (!now.isBefore(isTombstone ? end.plus(limits.maxClockSkew()) : end)) {
            throw ErrorCode.EXPIRED.exception(
                    "advertisement: expired at " + end + " (expected: later than the current time, " + now + ")");
        }
    }

    private static void checkDuration(String field, long millis, Duration max) {
        if (millis > max.toMillis()) {
            throw ErrorCode.LIMIT_EXCEEDED.exception(
                    "advertisement: " + field + ": " + Duration.ofMillis(millis) + " (expected: <= " + max + ")");
        }
    }
}
