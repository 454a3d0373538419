package io.parley.discovery.internal;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementKey;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.common.Scheduler;
import io.parley.common.internal.RateLimitedLogger;
import io.parley.common.internal.Timers;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.PublishOptions;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.store.StoreLimits;
import io.parley.store.internal.StoreEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The publications of this peer. They are not in the store, which advertisements of other peers could fill. One
 * timer renews each of them before two thirds of its expiration have passed, and all of them when the clock was set back. With the first
 * that is due, it renews others that are due soon, so that they reach the index in one message. Thread-safe.
 */
final class PublicationRegistry {

    private static final Logger log = LoggerFactory.getLogger(PublicationRegistry.class);

    /**
     * Range of the time of renewal, as fractions of the expiration. One random fraction serves all publications until the next
     * renewal, so that many peers that were started together do not renew together: the least of many fractions would always be
     * near the minimum.
     */
    private static final double MIN_RENEWAL = 0.57;

    private static final double MAX_RENEWAL = 2.0 / 3;

    /** The maximum age of what is announced, as a fraction of the expiration. */
    private static final double MAX_ANNOUNCED_AGE = 0.375;

    /** The maximum number of publications that are renewed together because they are due soon: one batch at the index. */
    private static final int MAX_TOGETHER = 100;

    /** The maximum delay of the timer, because clocks may be set and machines may sleep. */
    private static final Duration MAX_DELAY = Duration.ofMinutes(1);

    private static final Duration MIN_DELAY = Duration.ofMillis(10);

    /** The delay after which a publication is renewed whose renewal has failed. */
    private static final Duration RETRY_DELAY = Duration.ofSeconds(10);

    private final RateLimitedLogger failureLog = new RateLimitedLogger(log);
    private final DiscoveryContext context;
    private final AdvertisementSigner signer;
    private final IndexPublisher indexPublisher;
    private final PeerAnnouncer announcer;
    private final Duration closeTimeout;
    private final Object lock = new Object();
    private final Map<AdvertisementKey, LocalPublication> byKey = new HashMap<>();
    private final NavigableMap<Long, LocalPublication> byNumber = new ConcurrentSkipListMap<>();
    private final TreeSet<LocalPublication> byDue = new TreeSet<>(
            Comparator.comparingLong(LocalPublication::dueMillis).thenComparingLong(LocalPublication::number));
    private volatile @Nullable LocalPublication peerPublication;
    private double renewalFraction;
    private long lastNumber;
    private Scheduler.Timer timer = () -> {};

    /** The latest time of day since all publications were renewed, in milliseconds since 1970. */
    private long latestMillis;

    private boolean closed;

    PublicationRegistry(
            DiscoveryContext context,
            AdvertisementSigner signer,
            IndexPublisher indexPublisher,
            PeerAnnouncer announcer,
            Duration closeTimeout) {
        this.context = context;
        this.signer = signer;
        this.indexPublisher = indexPublisher;
        this.announcer = announcer;
        this.closeTimeout = closeTimeout;
        this.renewalFraction = nextRenewalFraction();
    }

    private double nextRenewalFraction() {
        return MIN_RENEWAL
                + (MAX_RENEWAL - MIN_RENEWAL) * context.scheduler().random().nextDouble();
    }

    LocalPublication publish(Advertisement advertisement, PublishOptions options) {
        LocalPublication publication;
        LocalPublication replaced;
        SignedAdvertisement tombstone = null;
        synchronized (lock) { // of two publications with the same key, the later must be signed later
            if (closed) {
                throw closedException();
            }
            SignedAdvertisement signed = sign(advertisement, options);
            if (options.remote()) {
                requireStorable(signed);
            }
            replaced = byKey.get(signed.key());
            if (replaced == null && byKey.size() >= context.limits().maxPublications()) {
                throw ErrorCode.LOCAL_LIMIT.exception("publications: " + byKey.size() + " (expected: < maxPublications "
                        + context.limits().maxPublications() + "); close one or raise the limit");
            }
            if (replaced != null) {
                if (replaced.options().remote() && !options.remote()) {
                    tombstone = tombstone(replaced);
                    signed = sign(advertisement, options);
                }
                remove(replaced);
            }
            publication = new LocalPublication(this, signed, options, ++lastNumber, closeTimeout);
            publication.renew(signed, dueMillis(signed));
            add(publication);
            schedule();
        }
        if (replaced != null) { // without the lock, because dependent actions of users may block
            replaced.end(CompletableFuture.completedFuture(null));
        }
        sendTombstone(tombstone);
        if (options.remote()) {
            indexPublisher.publish(List.of(publication));
            if (publication == peerPublication) {
                announcer.announce(publication);
            }
        }
        return publication;
    }

    /**
     * Requires that the stores of other peers take it, because otherwise no search would find it: by default, or with the limits of
     * this peer's store, which theirs may share.
     */
    private void requireStorable(SignedAdvertisement signed) {
        StoreEntry entry = StoreEntryMapper.entry(signed);
        try {
            entry.requireWithin(StoreLimits.DEFAULTS);
        } catch (ParleyException e) {
            entry.requireWithin(context.storeLimits());
        }
    }

    /** Signs with a lifetime equal to the expiration, because the publication is renewed before. */
    private SignedAdvertisement sign(Advertisement advertisement, PublishOptions options) {
        Duration given = options.expiration();
        Duration expiration = given == null ? context.expiration() : given;
        return signer.sign(advertisement, context.group(), expiration, options.remote() ? expiration : Duration.ZERO);
    }

    /**
     * Returns the tombstone of a publication; {@code null} if other peers do not have it, or if its type fails, which may be a user's:
     * other peers keep it until it expires.
     */
    private @Nullable SignedAdvertisement tombstone(LocalPublication publication) {
        if (!publication.options().remote()) {
            return null;
        }
        try {
            return signer.sign(
                    publication.advertisement(),
                    context.group(),
                    RemoteIndex.WITHDRAWAL_EXPIRATION,
                    RemoteIndex.WITHDRAWAL_EXPIRATION);
        } catch (RuntimeException | Error e) {
            failureLog.warn(
                    "Cannot withdraw {}", publication.signedAdvertisement().key(), e);
            return null;
        }
    }

    /** The caller must hold the lock. */
    private long dueMillis(SignedAdvertisement signed) {
        return millisAt(signed, renewalFraction);
    }

    private static long millisAt(SignedAdvertisement signed, double fraction) {
        return signed.issuedAt().toEpochMilli() + (long) (signed.lifetime().toMillis() * fraction);
    }

    private void add(LocalPublication publication) {
        byKey.put(publication.signedAdvertisement().key(), publication);
        byNumber.put(publication.number(), publication);
        byDue.add(publication);
        if (publication.options().remote() && publication.advertisement() instanceof PeerAdvertisement) {
            peerPublication = publication; // at most one, because only the peer itself may publish it
        }
    }

    private void remove(LocalPublication publication) {
        byKey.remove(publication.signedAdvertisement().key());
        byNumber.remove(publication.number());
        byDue.remove(publication);
        if (publication == peerPublication) {
            peerPublication = null;
        }
    }

    /** The caller must hold the lock. */
    private void schedule() {
        timer.cancel();
        if (closed || byDue.isEmpty()) {
            timer = () -> {};
            return;
        }
        long now = context.scheduler().clock().millis();
        latestMillis = Math.max(latestMillis, now);
        long millis = byDue.first().dueMillis() - now;
        long delay = Math.min(MAX_DELAY.toMillis(), Math.max(MIN_DELAY.toMillis(), millis));
        timer = Timers.schedule(context.scheduler(), Duration.ofMillis(delay), context.executor(), this::renewDue);
    }

    private void renewDue() {
        List<LocalPublication> renewed = new ArrayList<>();
        synchronized (lock) {
            List<LocalPublication> due = closed ? List.of() : due();
            if (!due.isEmpty()) {
                renewalFraction = nextRenewalFraction();
            }
            for (LocalPublication publication : due) {
                if (tryToRenew(publication)) {
                    renewed.add(publication);
                }
            }
            schedule();
        }
        context.metrics().add(Counter.RENEWALS, renewed.size());
        indexPublisher.publish(renewed.stream()
                .filter(publication -> publication.options().remote())
                .toList());
    }

    /** Returns {@code false} if the type of the advertisement fails, which may be a user's. The caller must hold the lock. */
    private boolean tryToRenew(LocalPublication publication) {
        try {
            renew(publication);
            return true;
        } catch (RuntimeException | Error e) {
            SignedAdvertisement current = publication.signedAdvertisement();
            failureLog.warn("Cannot renew {}; trying again in {}", current.key(), RETRY_DELAY, e);
            replace(publication, current, context.scheduler().clock().millis() + RETRY_DELAY.toMillis());
            return false;
        }
    }

    /** The caller must hold the lock. */
    private void renew(LocalPublication publication) {
        SignedAdvertisement signed = sign(publication.advertisement(), publication.options());
        replace(publication, signed, dueMillis(signed));
    }

    private void replace(LocalPublication publication, SignedAdvertisement signed, long dueMillis) {
        byDue.remove(publication);
        publication.renew(signed, dueMillis);
        byDue.add(publication);
    }

    /** Renews a publication that is visible to other peers, if more than three eighths of its expiration have passed. */
    void renewIfAged(LocalPublication publication) {
        synchronized (lock) {
            SignedAdvertisement current = publication.signedAdvertisement();
            boolean isAged = millisAt(current, MAX_ANNOUNCED_AGE)
                    < context.scheduler().clock().millis();
            if (closed || !isAged || byKey.get(current.key()) != publication) {
                return;
            }
            renew(publication);
            schedule();
        }
        context.metrics().increment(Counter.RENEWALS);
        indexPublisher.publish(List.of(publication));
    }

    /**
     * Returns the publications to renew: those that are due, and if there are any, others that are in their range of the time of renewal.
     * If the clock was set back, these are all: other peers reject those that were issued when it was
     * ahead, and it may take days until they are due. The caller must hold the lock.
     */
    private List<LocalPublication> due() {
        long now = context.scheduler().clock().millis();
        boolean isSetBack = now + signer.maxClockSkew().toMillis() < latestMillis;
        if (isSetBack) {
            latestMillis = now;
        }
        List<LocalPublication> due = new ArrayList<>();
        for (LocalPublication publication : byDue) {
            boolean isDue = isSetBack || publication.dueMillis() <= now;
            if (!isDue && (due.isEmpty() || due.size() >= MAX_TOGETHER)) {
                break;
            }
            if (isDue || millisAt(publication.signedAdvertisement(), MIN_RENEWAL) <= now) {
                due.add(publication);
            }
        }
        return due;
    }

    /** Withdraws a publication that was closed. */
    void withdraw(LocalPublication publication) {
        @Nullable SignedAdvertisement tombstone;
        synchronized (lock) {
            if (byKey.get(publication.signedAdvertisement().key()) != publication) {
                return; // replaced or withdrawn concurrently
            }
            remove(publication);
            schedule();
            tombstone = tombstone(publication);
        }
        publication.end(sendTombstone(tombstone));
    }

    private CompletableFuture<Void> sendTombstone(@Nullable SignedAdvertisement tombstone) {
        if (tombstone == null) {
            return CompletableFuture.completedFuture(null);
        }
        announcer.withdraw(tombstone);
        return indexPublisher.withdraw(tombstone);
    }

    /** Withdraws all publications and rejects new ones. Completes when the withdrawals have been sent and all have ended. */
    CompletableFuture<Void> close() {
        List<LocalPublication> remaining;
        synchronized (lock) {
            closed = true;
            remaining = List.copyOf(byNumber.values());
            remaining.forEach(this::remove);
            schedule();
        }
        List<CompletableFuture<Void>> withdrawals = new ArrayList<>();
        for (LocalPublication publication : remaining) {
            withdrawals.add(publication.end(sendTombstone(tombstone(publication))));
        }
        return CompletableFuture.allOf(withdrawals.toArray(CompletableFuture<?>[]::new));
    }

    /** Returns the publications visible to other peers, in order of publication. */
    Stream<LocalPublication> remote() {
        return byNumber.values().stream()
                .filter(publication -> publication.options().remote());
    }

    /** Returns the matching publications, in order of publication. */
    Stream<LocalPublication> matching(DiscoveryQuery query) {
        return byNumber.values().stream().filter(publication -> publication.matches(query));
    }

    /** Returns the peer advertisement of this peer; {@code null} if it is not published for other peers. */
    @Nullable
    SignedAdvertisement peerAdvertisement() {
        LocalPublication publication = peerPublication;
        return publication == null ? null : publication.signedAdvertisement();
    }

    private static RuntimeException closedException() {
        return ErrorCode.CLOSED.exception("discovery: closed");
    }
}
