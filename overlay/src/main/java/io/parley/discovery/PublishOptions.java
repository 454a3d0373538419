package io.parley.discovery;

import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.discovery.internal.RemoteIndex;
import java.time.Duration;

/**
 * The options of a publication.
 *
 * @param expiration caching time at other peers; above {@link RemoteIndex#WITHDRAWAL_EXPIRATION}
 * @param remote     whether other peers can find the advertisement; otherwise only this peer can
 */
public record PublishOptions(Duration expiration, boolean remote) {

    /** Visible to other peers, with the expiration {@link AdvertisementSigner#DEFAULT_EXPIRATION}. */
    public static final PublishOptions DEFAULTS = new PublishOptions(AdvertisementSigner.DEFAULT_EXPIRATION, true);

    /** @throws IllegalArgumentException if the expiration is too short */
    public PublishOptions {
        if (expiration.compareTo(RemoteIndex.WITHDRAWAL_EXPIRATION) <= 0) {
            throw new IllegalArgumentException(
                    "expiration: " + expiration + " (expected: > " + RemoteIndex.WITHDRAWAL_EXPIRATION + ")");
        }
    }

    /** Returns a copy with another {@link #expiration()}. */
    public PublishOptions withExpiration(Duration value) {
        return new PublishOptions(value, remote);
    }

    /** Returns a copy that is visible to this peer only. */
    public PublishOptions localOnly() {
        return new PublishOptions(expiration, false);
    }
}
