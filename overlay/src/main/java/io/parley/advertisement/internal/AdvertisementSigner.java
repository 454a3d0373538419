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
 * Signs the advertisements of a peer. Each peer must have one signer, so that each advertisement is issued later than the
 * previous one even if the clock stops or steps back a little. If it steps back by more than the permitted difference of clocks, it
 * was ahead: other peers have rejected what was issued since, and would reject all that is issued later. The present time applies
 * then. After that, and after a restart with a clock that is behind, peers that know a later time of issue reject new versions until
 * the clock has passed it. Thread-safe.
 */
public final class AdvertisementSigner {
    /** The default validity at the publisher. */
    public static final Duration DEFAULT_LIFETIME = Duration.ofDays(7);

    /** The default caching time at other peers, as in JXTA. */
    public static final Duration DEFAULT_EXPIRATION = Duration.ofHours(2);

    private final Identity identity;
    private final AdvertisementCodec documents;
    private final Clock clock;
    private final AtomicLong lastIssuedMillis = new AtomicLong();

    /** Creates a signer for an identity. */
    public AdvertisementSigner(Identity identity, AdvertisementCodec documents, Clock clock) {
        this.identity = Objects.requireNonNull(identity, "identity");
        this.documents = Objects.requireNonNull(documents, "documents");
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /** Signs with the default lifetime and expiration; see {@link #sign(Advertisement, GroupId, Duration, Duration)}. */
    public SignedAdvertisement sign(Advertisement advertisement, GroupId group) {
        return sign(advertisement, group, DEFAULT_LIFETIME, DEFAULT_EXPIRATION);
    }

    /**
     * Signs an advertisement with the current time.
     *
     * @param group the group in which it is published
     * @param lifetime validity at this peer, in whole milliseconds
     * @param expiration caching time at other peers, limited to the lifetime; zero if it is not shared
     * @throws IllegalArgumentException if the advertisement belongs to another group or only another peer may publish it, if a
     *     duration exceeds the limits, or if the type is unknown or cannot decode its own document
     * @throws io.parley.error.InvalidCallException MESSAGE_TOO_LARGE if the document exceeds the limits
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

    /** Decodes the document as other peers will, to detect a type that cannot decode its own document. */
    private Advertisement readBack(byte[] document) {
        try {
            return documents.decode(document);
        } catch (PeerFaultException e) {
            throw new IllegalArgumentException(
                    "advertisement: other peers could not decode its document: " + e.getMessage(), e);
        }
    }

    private long nextMillis() {
        long now = clock.millis();
        long latest = now + maxClockSkew().toMillis();
        return lastIssuedMillis.updateAndGet(last -> last < latest ? Math.max(last + 1, now) : now);
    }

    /** Returns how far in the future an advertisement may be issued. */
    public Duration maxClockSkew() {
        return documents.limits().maxClockSkew();
    }

    private static void refuse(@Nullable String fault) {
        if (fault != null) {
            throw new IllegalArgumentException(fault);
        }
    }
}
