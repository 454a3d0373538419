package io.parley.advertisement;

import io.parley.error.ErrorCode;
import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An advertisement with the signature of its publisher, as peers exchange and store it. The signature has been verified.
 * Immutable; two are equal if all their bytes are equal.
 *
 * <p>Its two durations start at the {@linkplain #issuedAt time of issue}: the publisher keeps it for the <em>lifetime</em>,
 * other peers for the <em>expiration</em>, which is never longer.
 */
public interface SignedAdvertisement {

    /** The MIME type of {@link #toByteArray} in a message element. */
    String CONTENT_TYPE = "application/x-parley-advertisement";

    /** Returns the content. */
    Advertisement advertisement();

    /** Returns the peer that has signed it. */
    PeerId publisher();

    /** Returns the group in which it is published. */
    GroupId group();

    /** Returns the time of signing, by the clock of the publisher, in milliseconds. A later one replaces an earlier one. */
    Instant issuedAt();

    /** Returns how long the publisher keeps it. */
    Duration lifetime();

    /** Returns how long other peers may keep it; zero if they must not get it. */
    Duration expiration();

    /** Returns the end of the lifetime. */
    default Instant validUntil() {
        return issuedAt().plus(lifetime());
    }

    /** Returns the time from which other peers must not keep or accept it. */
    default Instant expiresAt() {
        return issuedAt().plus(expiration());
    }

    /** Returns the key. Of two advertisements with the same key, the later one replaces the earlier one. */
    default AdvertisementKey key() {
        return new AdvertisementKey(
                group(), advertisement().type(), publisher(), advertisement().key());
    }

    /** Returns whether it has the same {@link #key} as {@code other} and was issued later. */
    default boolean supersedes(SignedAdvertisement other) {
        return issuedAt().isAfter(other.issuedAt()) && key().equals(other.key());
    }

    /**
     * Requires this advertisement to be newer than a known one. An older one, or the same one again, may be a replay.
     *
     * @param known one with the same key, or {@code null} if none is known
     * @throws io.parley.error.InvalidCallException {@link ErrorCode#STALE_ADVERTISEMENT} if it is not newer
     * @throws IllegalArgumentException if the keys differ
     */
    default void requireNewerThan(@Nullable SignedAdvertisement known) {
        if (known == null) {
            return;
        }
        if (!key().equals(known.key())) {
            throw new IllegalArgumentException("known: " + known.key() + " (expected: " + key() + ")");
        }
        if (!supersedes(known)) {
            throw ErrorCode.STALE_ADVERTISEMENT.exception("advertisement: "
                    + advertisement().type() + " of " + publisher().shortText() + ": issued at " + issuedAt()
                    + " (expected: after " + known.issuedAt() + ", when the known one was issued)");
        }
    }

    /** Returns the XML document, byte for byte as it was signed. The caller owns the array. */
    byte[] document();

    /** Returns the document with its signature, in the form of messages and of the store. The caller owns the array. */
    byte[] toByteArray();

    /** Returns the size of {@link #toByteArray}, in bytes. */
    int size();
}
