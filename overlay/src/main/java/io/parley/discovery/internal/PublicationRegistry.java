package io.parley.discovery.internal;

import io.parley.advertisement.Advertisement;
import io.parley.advertisement.AdvertisementKey;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.common.Scheduler;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.PublishOptions;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.error.ErrorCode;
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
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this peer publishes. It is kept here and not in the store, where what strangers say to last longer could push it
 * out. One alarm for all has each signed anew when two thirds of its time are over. Thread-safe.
 */
final class PublicationRegistry {

    private static final Logger log = LoggerFactory.getLogger(PublicationRegistry.class);

    /** When an advertisement is due to be signed anew, in parts of its expiration; drawn at random. */
    private static final double EARLIEST = 0.57;

    private static final double LATEST = 2.0 / 3;

    /** Clocks may be set, and machines sleep: how long nobody looks at the clock at most. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private static final Duration SHORTEST_WAIT = Duration.ofMillis(10);

    private final DiscoveryContext context;
    private final AdvertisementSigner signer;
    private final IndexPublisher telling;
    private final PeerAnnouncer announcing;
    private final Duration closeTimeout;
    private final Object lock = new Object();
    private final Map<AdvertisementKey, LocalPublication> byKey = new HashMap<>();
    private final NavigableMap<Long, LocalPublication> byNumber = new ConcurrentSkipListMap<>();
    private final TreeSet<LocalPublication> byDue = new TreeSet<>(
            Comparator.comparingLong(LocalPublication::dueMillis).thenComparingLong(LocalPublication::number));
    private volatile @Nullable LocalPublication peerPublication;
    private long lastNumber;
    private Scheduler.Timer timer = () -> {};
    private boolean closed;

    PublicationRegistry(
            DiscoveryContext context,
            AdvertisementSigner signer,
            IndexPublisher telling,
            PeerAnnouncer announcing,
            Duration closeTimeout) {
        this.context = context;
        this.signer = signer;
        this.telling = telling;
        this.announcing = announcing;
        this.closeTimeout = closeTimeout;
    }

    LocalPublication publish(Advertisement advertisement, PublishOptions options) {
        LocalPublication publication;
        LocalPublication replaced;
        SignedAdvertisement tombstone = null;
        synchronized (lock) { // so that of two with the same key the later is signed later
            if (closed) {
                throw closedException();
            }
            SignedAdvertisement signed = sign(advertisement, options);
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
            publication.renew(signed, dueMillis(signed, options));
            add(publication);
            schedule();
        }
        if (replaced != null) { // without the lock, as users' own code may wait for its end
            replaced.end(CompletableFuture.completedFuture(null));
        }
        if (tombstone != null) {
            sayWithdrawn(tombstone);
        }
        if (options.remote()) {
            telling.tell(publication);
            if (publication == peerPublication) {
                announcing.announce(publication);
            }
        }
        return publication;
    }

    /** Its publisher does not keep it longer than others may, as it is signed anew before. */
    private SignedAdvertisement sign(Advertisement advertisement, PublishOptions options) {
        Duration expiration = options.expiration();
        return signer.sign(advertisement, context.group(), expiration, options.remote() ? expiration : Duration.ZERO);
    }

    private SignedAdvertisement tombstone(LocalPublication publication) {
        return signer.sign(
                publication.advertisement(),
                context.group(),
                RemoteIndex.WITHDRAWAL_EXPIRATION,
                RemoteIndex.WITHDRAWAL_EXPIRATION);
    }

    private long dueMillis(SignedAdvertisement signed, PublishOptions options) {
        double part =
                EARLIEST + (LATEST - EARLIEST) * context.scheduler().random().nextDouble();
        return signed.issuedAt().toEpochMilli() + (long) (options.expiration().toMillis() * part);
    }

    private void add(LocalPublication publication) {
        byKey.put(publication.signedAdvertisement().key(), publication);
        byNumber.put(publication.number(), publication);
        byDue.add(publication);
        if (publication.options().remote() && publication.advertisement() instanceof PeerAdvertisement) {
            peerPublication = publication; // there is one at most, as only the peer itself may publish it
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

    /** With the lock held. */
    private void schedule() {
        timer.cancel();
        if (closed || byDue.isEmpty()) {
            timer = () -> {};
            return;
        }
        long millis = byDue.first().dueMillis() - context.scheduler().clock().millis();
        long within = Math.min(LONGEST_WAIT.toMillis(), Math.max(SHORTEST_WAIT.toMillis(), millis));
        timer = context.scheduler().schedule(Duration.ofMillis(within), this::onAlarm);
    }

    private void onAlarm() {
        try {
            context.executor().execute(this::renewDue);
        } catch (RejectedExecutionException e) {
            log.debug("Nothing is signed anew any more in group {}", context.group());
        }
    }

    private void renewDue() {
        List<LocalPublication> renewed = new ArrayList<>();
        synchronized (lock) {
            long now = context.scheduler().clock().millis();
            while (!closed && !byDue.isEmpty() && byDue.first().dueMillis() <= now) {
                LocalPublication due = byDue.first();
                byDue.remove(due);
                SignedAdvertisement anew = sign(due.advertisement(), due.options());
                due.renew(anew, dueMillis(anew, due.options()));
                byDue.add(due);
                renewed.add(due);
            }
            schedule();
        }
        context.metrics().add(Counter.RENEWALS, renewed.size());
        renewed.stream().filter(publication -> publication.options().remote()).forEach(telling::tell);
    }

    /** Ends one that its user has closed. */
    void withdraw(LocalPublication publication) {
        SignedAdvertisement tombstone;
        synchronized (lock) {
            if (byKey.get(publication.signedAdvertisement().key()) != publication) {
                return; // it was replaced at the same time, or all are withdrawn
            }
            remove(publication);
            schedule();
            tombstone = publication.options().remote() ? tombstone(publication) : null;
        }
        publication.end(tombstone == null ? CompletableFuture.completedFuture(null) : sayWithdrawn(tombstone));
    }

    private CompletableFuture<Void> sayWithdrawn(SignedAdvertisement tombstone) {
        announcing.withdraw(tombstone);
        return telling.withdraw(tombstone);
    }

    /** Ends all, for ever; completes when that was said where it could be said, and each has ended. */
    CompletableFuture<Void> close() {
        List<LocalPublication> left;
        synchronized (lock) {
            closed = true;
            left = List.copyOf(byNumber.values());
            left.forEach(this::remove);
            schedule();
        }
        List<CompletableFuture<Void>> said = new ArrayList<>();
        for (LocalPublication publication : left) {
            CompletableFuture<Void> last = publication.options().remote()
                    ? sayWithdrawn(tombstone(publication))
                    : CompletableFuture.completedFuture(null);
            said.add(publication.end(last));
        }
        return CompletableFuture.allOf(said.toArray(CompletableFuture<?>[]::new));
    }

    /** Those that others may find, in the order in which they were published. */
    Stream<LocalPublication> remote() {
        return byNumber.values().stream()
                .filter(publication -> publication.options().remote());
    }

    /** Those that match, in the order in which they were published. */
    Stream<LocalPublication> matching(DiscoveryQuery query) {
        return byNumber.values().stream().filter(publication -> publication.matches(query));
    }

    /** What this peer says of itself; {@code null} while it is not published for others. */
    @Nullable
    SignedAdvertisement peerAdvertisement() {
        LocalPublication publication = peerPublication;
        return publication == null ? null : publication.signedAdvertisement();
    }

    private static RuntimeException closedException() {
        return ErrorCode.CLOSED.exception("the discovery is closed");
    }
}
