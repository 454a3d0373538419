package io.parley.advertisement;

import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An advertisement as its publisher has signed it: what peers send each other and stores keep. It comes from an
 * {@link AdvertisementSigner}, or from an {@link AdvertisementVerifier}, which has looked at the signature, or has been told
 * that there is no need to. Immutable; equal when all bytes are equal.
 *
 * <p>Its two durations count from the {@linkplain #issuedAt time of issue}: the publisher keeps it for the
 * <em>lifetime</em>, others for the <em>expiration</em>, which is never longer.
 */
public final class SignedAdvertisement {
    /** The MIME type of {@link #toByteArray} in a message element. */
    public static final String CONTENT_TYPE = "application/x-parley-advertisement";

    private final Envelope envelope;
    private final Advertisement advertisement;

    SignedAdvertisement(Envelope envelope, Advertisement advertisement) {
        this.envelope = envelope;
        this.advertisement = advertisement;
    }

    /** What is advertised. */
    public Advertisement advertisement() {
        return advertisement;
    }

    /** Who signed it. */
    public PeerId publisher() {
        return envelope.publisher();
    }

    /** Where it is published. */
    public GroupId group() {
        return envelope.group();
    }

    /** When it was signed, by the publisher's clock, in milliseconds. Later ones replace earlier ones. */
    public Instant issuedAt() {
        return Instant.ofEpochMilli(envelope.issuedMillis());
    }

    /** How long the publisher keeps it. */
    public Duration lifetime() {
        return Duration.ofMillis(envelope.lifetimeMillis());
    }

    /** How long others may keep it; zero when they shall not get it at all. */
    public Duration expiration() {
        return Duration.ofMillis(envelope.expirationMillis());
    }

    /** When the publisher gives it up. */
    public Instant validUntil() {
        return issuedAt().plus(lifetime());
    }

    /** From when on nobody else may keep it or take it. */
    public Instant expiresAt() {
        return issuedAt().plus(expiration());
    }

    /** Which ones it replaces. */
    public AdvertisementKey key() {
        return new AdvertisementKey(group(), advertisement.type(), publisher(), advertisement.key());
    }

    /** Whether it has the other's {@link #key} and was issued later. */
    public boolean supersedes(SignedAdvertisement other) {
        return envelope.issuedMillis() > other.envelope.issuedMillis() && key().equals(other.key());
    }

    /**
     * Makes sure that this is newer than the one that is known: an older one, or the same once more, may be a replay.
     *
     * @param known one of the same key, or {@code null} when none is known
     * @throws io.parley.error.PeerFaultException STALE_ADVERTISEMENT when it is older or as old
     * @throws IllegalArgumentException when the keys differ
     */
    public void requireNewerThan(@Nullable SignedAdvertisement known) {
        if (known == null) {
            return;
        }
        if (!key().equals(known.key())) {
            throw new IllegalArgumentException("known: " + known.key() + " (expected: " + key() + ")");
        }
        if (!supersedes(known)) {
            throw ErrorCode.STALE_ADVERTISEMENT.exception("advertisement: " + advertisement.type() + " of "
                    + publisher().shortText() + ": issued at " + issuedAt() + " (expected: after " + known.issuedAt()
                    + ", when the known one was issued)");
        }
    }

    /** The XML document, byte for byte as it was signed. The caller owns the array. */
    public byte[] document() {
        return envelope.document();
    }

    /** All of it, to send and to store. The caller owns the array. */
    public byte[] toByteArray() {
        return envelope.bytes().clone();
    }

    /** The size of {@link #toByteArray}. */
    public int size() {
        return envelope.bytes().length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SignedAdvertisement that && Arrays.equals(envelope.bytes(), that.envelope.bytes());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(envelope.bytes());
    }

    @Override
    public String toString() {
        return "SignedAdvertisement[" + advertisement + ", by " + publisher() + ", issued " + issuedAt() + ']';
    }
}
