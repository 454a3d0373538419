package io.parley.discovery;

import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.discovery.internal.RemoteIndex;
import java.time.Duration;

/**
 * How an advertisement is published.
 *
 * @param expiration how long others may keep it without hearing of it again; above
 *     {@link RemoteIndex#WITHDRAWAL_EXPIRATION}
 * @param remote     whether others shall find it; otherwise only this peer does
 */
public record PublishOptions(Duration expiration, boolean remote) {

    /** For all to find, for {@link AdvertisementSigner#DEFAULT_EXPIRATION} at a time. */
    public static final PublishOptions DEFAULTS = new PublishOptions(AdvertisementSigner.DEFAULT_EXPIRATION, true);

    /** @throws IllegalArgumentException when the expiration is too short */
    public PublishOptions {
        if (expiration.compareTo(RemoteIndex.WITHDRAWAL_EXPIRATION) <= 0) {
            throw new IllegalArgumentException(
                    "expiration: " + expiration + " (expected: > " + RemoteIndex.WITHDRAWAL_EXPIRATION + ")");
        }
    }

    /** A copy with another {@link #expiration()}. */
    public PublishOptions withExpiration(Duration value) {
        return new PublishOptions(value, remote);
    }

    /** A copy for this peer alone. */
    public PublishOptions localOnly() {
        return new PublishOptions(expiration, false);
    }
}
