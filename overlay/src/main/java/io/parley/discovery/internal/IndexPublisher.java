package io.parley.discovery.internal;

import io.parley.advertisement.AdvertisementKey;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.Scheduler;
import io.parley.common.internal.Backoff;
import io.parley.common.internal.Throwables;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes and withdraws this peer's advertisements at a remote index, one batch at a time. Only the newest version of each
 * advertisement is sent. Retries retryable failures. Bisects a rejected batch to find the invalid item. Thread-safe.
 */
final class IndexPublisher {

    private static final Logger log = LoggerFactory.getLogger(IndexPublisher.class);

    private static final int MAX_BATCH = 100;
    private static final int MAX_BATCH_BYTES = 128 * 1024;
    private static final Duration MIN_RETRY_DELAY = Duration.ofMillis(500);
    private static final Duration MAX_RETRY_DELAY = Duration.ofSeconds(10);

    /**
     * An advertisement to send.
     *
     * @param order       the position in the queue
     * @param publication {@code null} if the advertisement is withdrawn
     * @param attempted   completes after an attempt to send
     */
    private record PendingEntry(
            long order,
            SignedAdvertisement signed,
            @Nullable LocalPublication publication,
            CompletableFuture<Void> attempted) {

        /** Returns {@code false} if the publication was closed in the meantime. */
        boolean isCurrent() {
            return publication == null || !publication.isClosing();
        }

        /** Must be called without the lock, because dependent actions of users may block. */
        void complete() {
            attempted.complete(null);
        }
    }

    private final @Nullable RemoteIndex index;
    private final DiscoveryContext context;
    private final Backoff backoff;
    private final Object lock = new Object();
    private final NavigableMap<Long, PendingEntry> pending = new TreeMap<>();
    private final Map<AdvertisementKey, PendingEntry> pendingByKey = new HashMap<>();
    private long lastOrder;
    private int batchSize = MAX_BATCH;
    private Scheduler.Timer timer = () -> {};
    private boolean sending;
    private boolean delayed;
    private boolean closed;

    /** @param index {@code null} if there is none, in which case publications are not sent */
    IndexPublisher(@Nullable RemoteIndex index, DiscoveryContext context) {
        this.index = index;
        this.context = context;
        this.backoff = new Backoff(context.scheduler().random(), MIN_RETRY_DELAY, MAX_RETRY_DELAY);
    }

    /** Enqueues publications, which are sent together when an index is available. */
    void publish(Iterable<LocalPublication> publications) {
        if (index == null) {
            return;
        }
        List<PendingEntry> done;
        synchronized (lock) {
            if (closed) {
                return;
            }
            done = put(publications);
        }
        done.forEach(PendingEntry::complete);
        sendNext();
    }

    /** Sends a tombstone if an index is available. The result completes, always normally, after the attempt. */
    CompletableFuture<Void> withdraw(SignedAdvertisement tombstone) {
        CompletableFuture<Void> attempted = new CompletableFuture<>();
        boolean available = isAvailable(); // called without the lock, because the index may have locks of its own
        boolean tried;
        PendingEntry done;
        synchronized (lock) {
            tried = !closed && !delayed && available;
            done = tried
                    ? put(new PendingEntry(++lastOrder, tombstone, null, attempted))
                    : remove(tombstone.key()); // obsolete
        }
        complete(done);
        if (tried) {
            sendNext();
        } else {
            attempted.complete(null);
        }
        return attempted;
    }

    /** Enqueues all publications again, because an index, perhaps another one, has become available. */
    void onAvailable(Iterable<LocalPublication> all) {
        List<PendingEntry> done;
        synchronized (lock) {
            done = put(all);
            resetDelay();
        }
        done.forEach(PendingEntry::complete);
        sendNext();
    }

    /** The caller must hold the lock. Returns the superseded entries, to complete. */
    private List<PendingEntry> put(Iterable<LocalPublication> publications) {
        List<PendingEntry> done = new ArrayList<>();
        for (LocalPublication publication : publications) {
            PendingEntry superseded = put(new PendingEntry(
                    ++lastOrder, publication.signedAdvertisement(), publication, new CompletableFuture<>()));
            if (superseded != null) {
                done.add(superseded);
            }
        }
        return done;
    }

    /** The caller must hold the lock. Returns the superseded entry, either this one or the previous one, to complete. */
    private @Nullable PendingEntry put(PendingEntry item) {
        PendingEntry old = pendingByKey.get(item.signed().key());
        if (!item.isCurrent() || (old != null && isWithdrawnBetween(item, old))) {
            return item;
        }
        remove(item.signed().key());
        pending.put(item.order(), item);
        pendingByKey.put(item.signed().key(), item);
        return old;
    }

    /**
     * Returns whether one of the entries is a tombstone and the previous one is newer, because both were enqueued concurrently. Of two
     * versions that are published the later enqueued one counts, because the time of issue is earlier after the clock was set back.
     */
    private static boolean isWithdrawnBetween(PendingEntry item, PendingEntry old) {
        return (item.publication() == null || old.publication() == null)
                && old.signed().supersedes(item.signed());
    }

    /** The caller must hold the lock. Returns the removed entry, to complete. */
    private @Nullable PendingEntry remove(AdvertisementKey key) {
        PendingEntry old = pendingByKey.remove(key);
        if (old != null) {
            pending.remove(old.order());
        }
        return old;
    }

    private static void complete(@Nullable PendingEntry done) {
        if (done != null) {
            done.complete();
        }
    }

    private void resetDelay() {
        timer.cancel();
        delayed = false;
        backoff.reset();
        batchSize = MAX_BATCH;
    }

    /** Sends the next batch, if there is one and none is in progress. */
    private void sendNext() {
        boolean available = isAvailable();
        synchronized (lock) {
            if (closed || sending || delayed || pending.isEmpty() || !available) {
                return;
            }
            sending = true;
        }
        try {
            context.executor().execute(this::sendBatch); // an index that completes immediately would cause recursion
        } catch (RejectedExecutionException e) {
            close();
        } catch (RuntimeException | Error e) { // such as a thread that cannot be created
            log.warn("Cannot publish at the index; trying again", e);
            synchronized (lock) {
                sending = false;
                scheduleRetry();
            }
        }
    }

    private boolean isAvailable() {
        return index != null && index.isAvailable();
    }

    private void sendBatch() {
        List<PendingEntry> batch = pollBatch();
        CompletableFuture<Void> publishing;
        try {
            publishing = batch.isEmpty() || index == null
                    ? CompletableFuture.completedFuture(null)
                    : index.publish(
                            context.group(),
                            batch.stream().map(PendingEntry::signed).toList());
        } catch (RuntimeException e) {
            publishing = CompletableFuture.failedFuture(e);
        }
        publishing.whenComplete((done, failure) -> onSent(batch, failure));
    }

    private List<PendingEntry> pollBatch() {
        List<PendingEntry> batch = new ArrayList<>();
        List<PendingEntry> obsolete = new ArrayList<>();
        int bytes = 0;
        Instant now = context.scheduler().clock().instant();
        synchronized (lock) {
            while (!pending.isEmpty() && batch.size() < batchSize) {
                PendingEntry next = pending.firstEntry().getValue();
                bytes += next.signed().size();
                if (bytes > MAX_BATCH_BYTES && !batch.isEmpty()) {
                    break;
                }
                pending.remove(next.order());
                pendingByKey.remove(next.signed().key());
                if (next.isCurrent() && now.isBefore(next.signed().expiresAt())) {
                    batch.add(next);
                } else {
                    obsolete.add(next);
                }
            }
        }
        obsolete.forEach(PendingEntry::complete);
        return batch;
    }

    private void onSent(List<PendingEntry> batch, @Nullable Throwable failure) {
        if (failure == null) {
            context.metrics().add(Counter.ADVERTISEMENTS_INDEXED, batch.size());
        } else {
            context.metrics().increment(Counter.INDEX_FAILURES);
        }
        Throwable cause = failure == null ? null : Throwables.unwrap(failure);
        boolean retried = false;
        synchronized (lock) {
            sending = false;
            if (cause == null) {
                backoff.reset();
                batchSize = Math.min(MAX_BATCH, 2 * batchSize);
            } else {
                retried = requeue(batch, cause);
            }
        }
        if (!retried) {
            batch.forEach(item -> complete(item.publication(), cause));
        }
        batch.forEach(PendingEntry::complete);
        sendNext();
    }

    private static void complete(@Nullable LocalPublication publication, @Nullable Throwable cause) {
        if (publication == null) {
            return;
        }
        if (cause == null) {
            publication.onIndexed();
        } else {
            publication.onRejected(cause);
        }
    }

    /** The caller must hold the lock. Returns {@code false} if the batch is a single rejected item. */
    private boolean requeue(List<PendingEntry> batch, Throwable cause) {
        log.debug("Cannot publish a batch of {} advertisements at the index: {}", batch.size(), cause.toString());
        if (Throwables.isRetryable(cause)) {
            enqueueAgain(batch);
            scheduleRetry();
        } else if (batch.size() > 1) {
            enqueueAgain(batch);
            batchSize = Math.max(1, batch.size() / 2);
        } else {
            return false;
        }
        return true;
    }

    /** Enqueues entries again unless a newer version is pending. Tombstones are not retried: they would have expired. */
    private void enqueueAgain(List<PendingEntry> batch) {
        for (PendingEntry item : batch) {
            if (item.publication() != null
                    && item.isCurrent()
                    && !closed
                    && pendingByKey.putIfAbsent(item.signed().key(), item) == null) {
                pending.put(item.order(), item);
            }
        }
    }

    private void scheduleRetry() {
        if (closed) {
            return;
        }
        delayed = true;
        timer = context.scheduler().schedule(backoff.next(), this::onRetry);
    }

    private void onRetry() {
        synchronized (lock) {
            delayed = false;
        }
        sendNext();
    }

    /** Discards pending entries. */
    void close() {
        List<PendingEntry> remaining;
        synchronized (lock) {
            closed = true;
            timer.cancel();
            remaining = List.copyOf(pending.values());
            pending.clear();
            pendingByKey.clear();
        }
        remaining.forEach(PendingEntry::complete);
    }
}
