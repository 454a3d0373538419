package io.parley.advertisement.internal;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementCodec;
import io.parley.advertisement.AdvertisementLimits;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.internal.Arguments;
import io.parley.error.PeerFaultException;
import io.parley.id.GroupId;
import io.parley.identity.Identity;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Signs what a peer publishes. A peer has one, so that each advertisement is issued later than the one before, also when the
 * clock stands still or steps back; after a restart with a clock that is behind, others refuse what is published until the
 * clock has caught up with what they know. Usable from any thread.
 */
public final class AdvertisementSigner {
    /** How long the publisher keeps an advertisement by default. */
    public static final Duration DEFAULT_LIFETIME = Duration.ofDays(7);

    /** How long others may keep an advertisement by default, as in JXTA. */
    public static final Duration DEFAULT_EXPIRATION = Duration.ofHours(2);

    private final Identity identity;
    private final AdvertisementCodec documents;
    private final Clock clock;
    private final AtomicLong lastIssuedMillis = new AtomicLong();

    /** Signs with that identity. */
    public AdvertisementSigner(Identity identity, AdvertisementCodec documents, Clock clock) {
        this.identity = Objects.requireNonNull(identity, "identity");
        this.documents = Objects.requireNonNull(documents, "documents");
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /** Signs with the default lifetime and expiration, as {@link #sign(Advertisement, GroupId, Duration, Duration)}. */
    public SignedAdvertisement sign(Advertisement advertisement, GroupId group) {
        return sign(advertisement, group, DEFAULT_LIFETIME, DEFAULT_EXPIRATION);
    }

    /**
     * Signs an advertisement as of now.
     *
     * @param group where it is published
     * @param lifetime how long this peer keeps it, in whole milliseconds
     * @param expiration how long others may keep it; zero when it is not to be shared. Cut to the lifetime
     * @throws IllegalArgumentException when it belongs to another group or may only be published by another peer, when a
     *     duration is out of the limits, or when the type is not known or can't read what it writes
     * @throws io.parley.error.InvalidCallException MESSAGE_TOO_LARGE when the document goes beyond the limits
     */
    public SignedAdvertisement sign(
            Advertisement advertisement, GroupId group, Duration lifetime, Duration expiration) {
        AdvertisementLimits limits = documents.limits();
        Arguments.requireRange("lifetime", lifetime, Duration.ofMillis(1), limits.maxLifetime());
        Arguments.requireRange("expiration", expiration, Duration.ZERO, limits.maxExpiration());
        Duration shared = expiration.compareTo(lifetime) > 0 ? lifetime : expiration;
        byte[] document = documents.encode(advertisement);
        Advertisement published = readBack(document);
        refuse(PublicationPolicy.publisherFault(published, identity.peerId()));
        refuse(PublicationPolicy.groupFault(published, group));
        return new SignedDocument(
                Envelope.sign(identity, group, nextMillis(), lifetime.toMillis(), shared.toMillis(), document),
                published);
    }

    /** What others will read, so that a type which can't read what it writes is noticed here. */
    private Advertisement readBack(byte[] document) {
        try {
            return documents.decode(document);
        } catch (PeerFaultException e) {
            throw new IllegalArgumentException("advertisement: others could not read it: " + e.getMessage(), e);
        }
    }

    private long nextMillis() {
        long now = clock.millis();
        return lastIssuedMillis.updateAndGet(last -> Math.max(last + 1, now));
    }

    private static void refuse(@Nullable String fault) {
        if (fault != null) {
            throw new IllegalArgumentException(fault);
        }
    }
}
