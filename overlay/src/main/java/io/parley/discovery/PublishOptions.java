package io.parley.discovery;

import io.parley.discovery.internal.RemoteIndex;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The options of a publication.
 *
 * <p>A publication is renewed while its peer runs. The expiration matters when the peer ends without a goodbye: other peers find the
 * advertisement until then. It also limits how far the clock of another peer may be ahead: by a third of the expiration at least.
 *
 * @param expiration caching time at other peers; more than 10 s, because shorter ones mark withdrawals. {@code null}: one lease period of
 *     this peer, {@link io.parley.rendezvous.RendezvousLimits.LeaseLimits#lease}, which is two minutes by default, but at least 15 s and
 *     at most two hours
 * @param remote     whether other peers can find the advertisement; otherwise only this peer can
 */
public record PublishOptions(@Nullable Duration expiration, boolean remote) {

    /** Visible to other peers, which forget it one lease period after this peer has ended. */
    public static final PublishOptions DEFAULTS = new PublishOptions(null, true);

    /** @throws IllegalArgumentException if the expiration is too short */
    public PublishOptions {
        if (expiration != null && expiration.compareTo(RemoteIndex.WITHDRAWAL_EXPIRATION) <= 0) {
            throw new IllegalArgumentException(
                    "expiration: " + expiration + " (expected: > " + RemoteIndex.WITHDRAWAL_EXPIRATION + ")");
        }
    }

    /**
     * Returns a copy with another {@link #expiration()}. A longer one than the default keeps the advertisement findable for that time
     * after the peer has ended, at peers that have received it.
     */
    public PublishOptions withExpiration(Duration value) {
        return new PublishOptions(value, remote);
    }

    /** Returns a copy that is visible to this peer only. */
    public PublishOptions localOnly() {
        return new PublishOptions(expiration, false);
    }
}
