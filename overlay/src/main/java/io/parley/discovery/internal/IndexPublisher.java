package io.parley.discovery.internal;

import io.parley.advertisement.AdvertisementKey;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.common.Scheduler;
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
 * Tells an index what this peer publishes and no longer publishes: in batches, one at a time, the newest version of each
 * advertisement alone. What fails for a reason that may pass is told again; where a batch is refused, smaller ones tell what
 * it is that the index does not take. Thread-safe.
 */
final class IndexPublisher {

    private static final Logger log = LoggerFactory.getLogger(IndexPublisher.class);

    private static final int MAX_BATCH = 100;
    private static final int MAX_BATCH_BYTES = 128 * 1024;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    /**
     * Something to tell.
     *
     * @param order       who comes first
     * @param publication {@code null} for one that is withdrawn
     * @param told        completes when that was tried
     */
    private record PendingEntry(
            long order,
            SignedAdvertisement signed,
            @Nullable LocalPublication publication,
            CompletableFuture<Void> told) {

        /** False when it was closed in the meantime. */
        boolean isWanted() {
            return publication == null || !publication.isClosing();
        }

        /** Without the lock, as users' own code may wait for that. */
        void complete() {
            told.complete(null);
        }
    }

    private final RemoteIndex index;
    private final DiscoveryContext context;
    private final Object lock = new Object();
    private final NavigableMap<Long, PendingEntry> waiting = new TreeMap<>();
    private final Map<AdvertisementKey, PendingEntry> waitingByKey = new HashMap<>();
    private long lastOrder;
    private int batchSize = MAX_BATCH;
    private Duration pause = FIRST_PAUSE;
    private Scheduler.Timer timer = () -> {};
    private boolean busy;
    private boolean pausing;

    IndexPublisher(RemoteIndex index, DiscoveryContext context) {
        this.index = index;
        this.context = context;
    }

    /** Tells it, as soon as there is an index that can be told. */
    void tell(LocalPublication publication) {
        PendingEntry done;
        synchronized (lock) {
            done = put(new PendingEntry(
                    ++lastOrder, publication.signedAdvertisement(), publication, new CompletableFuture<>()));
        }
        complete(done);
        proceed();
    }

    /** Tells it if that can be done now; completes, normally, when it has been tried. */
    CompletableFuture<Void> withdraw(SignedAdvertisement tombstone) {
        CompletableFuture<Void> told = new CompletableFuture<>();
        boolean available = index.isAvailable(); // asked without a lock, as it may have locks of its own
        boolean tried;
        PendingEntry done;
        synchronized (lock) {
            tried = !pausing && available;
            done = tried
                    ? put(new PendingEntry(++lastOrder, tombstone, null, told))
                    : remove(tombstone.key()); // which nobody needs to hear of any more
        }
        complete(done);
        if (tried) {
            proceed();
        } else {
            told.complete(null);
        }
        return told;
    }

    /** There is an index now, perhaps another one; it is told all. */
    void onAvailable(Iterable<LocalPublication> all) {
        List<PendingEntry> done = new ArrayList<>();
        synchronized (lock) {
            for (LocalPublication publication : all) {
                PendingEntry over = put(new PendingEntry(
                        ++lastOrder, publication.signedAdvertisement(), publication, new CompletableFuture<>()));
                if (over != null) {
                    done.add(over);
                }
            }
            endPause();
        }
        done.forEach(PendingEntry::complete);
        proceed();
    }

    /** With the lock held; gives the one that is not told, this one or the one before, to complete. */
    private @Nullable PendingEntry put(PendingEntry item) {
        PendingEntry old = waitingByKey.get(item.signed().key());
        if (old != null && old.signed().supersedes(item.signed())) { // which came later, and was quicker
            return item;
        }
        remove(item.signed().key());
        waiting.put(item.order(), item);
        waitingByKey.put(item.signed().key(), item);
        return old;
    }

    /** With the lock held; gives what was removed, to complete. */
    private @Nullable PendingEntry remove(AdvertisementKey key) {
        PendingEntry old = waitingByKey.remove(key);
        if (old != null) {
            waiting.remove(old.order());
        }
        return old;
    }

    private static void complete(@Nullable PendingEntry done) {
        if (done != null) {
            done.complete();
        }
    }

    private void endPause() {
        timer.cancel();
        pausing = false;
        pause = FIRST_PAUSE;
        batchSize = MAX_BATCH;
    }

    /** Sends the next batch, if there is one and none is under way. */
    private void proceed() {
        boolean available = index.isAvailable();
        synchronized (lock) {
            if (busy || pausing || waiting.isEmpty() || !available) {
                return;
            }
            busy = true;
        }
        try {
            context.executor().execute(this::sendBatch); // an index that answers at once would nest calls
        } catch (RejectedExecutionException e) {
            close();
        }
    }

    private void sendBatch() {
        List<PendingEntry> batch = takeBatch();
        CompletableFuture<Void> publishing;
        try {
            publishing = batch.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : index.publish(
                            context.group(),
                            batch.stream().map(PendingEntry::signed).toList());
        } catch (RuntimeException e) {
            publishing = CompletableFuture.failedFuture(e);
        }
        publishing.whenComplete((done, failure) -> onSent(batch, failure));
    }

    private List<PendingEntry> takeBatch() {
        List<PendingEntry> batch = new ArrayList<>();
        List<PendingEntry> unwanted = new ArrayList<>();
        int bytes = 0;
        Instant now = context.scheduler().clock().instant();
        synchronized (lock) {
            while (!waiting.isEmpty() && batch.size() < batchSize) {
                PendingEntry next = waiting.firstEntry().getValue();
                bytes += next.signed().size();
                if (bytes > MAX_BATCH_BYTES && !batch.isEmpty()) {
                    break;
                }
                waiting.remove(next.order());
                waitingByKey.remove(next.signed().key());
                if (next.isWanted() && now.isBefore(next.signed().expiresAt())) {
                    batch.add(next);
                } else {
                    unwanted.add(next);
                }
            }
        }
        unwanted.forEach(PendingEntry::complete);
        return batch;
    }

    private void onSent(List<PendingEntry> batch, @Nullable Throwable failure) {
        if (failure == null) {
            context.metrics().add(Counter.ADVERTISEMENTS_INDEXED, batch.size());
        } else {
            context.metrics().increment(Counter.INDEX_FAILURES);
        }
        Throwable cause = failure == null ? null : Throwables.unwrap(failure);
        boolean again = false;
        synchronized (lock) {
            busy = false;
            if (cause == null) {
                pause = FIRST_PAUSE;
                batchSize = Math.min(MAX_BATCH, 2 * batchSize);
            } else {
                again = isToldAgain(batch, cause);
            }
        }
        if (!again) {
            batch.forEach(item -> onOutcome(item.publication(), cause));
        }
        batch.forEach(PendingEntry::complete);
        proceed();
    }

    private static void onOutcome(@Nullable LocalPublication publication, @Nullable Throwable cause) {
        if (publication == null) {
            return;
        }
        if (cause == null) {
            publication.onIndexed();
        } else {
            publication.onRefused(cause);
        }
    }

    /** With the lock held. False when the batch is the one that the index does not take. */
    private boolean isToldAgain(List<PendingEntry> batch, Throwable cause) {
        log.debug("The index has not taken {} advertisements: {}", batch.size(), cause.toString());
        if (Throwables.isRetryable(cause)) {
            putBack(batch);
            pauseForAWhile();
        } else if (batch.size() > 1) {
            putBack(batch);
            batchSize = Math.max(1, batch.size() / 2);
        } else {
            return false;
        }
        return true;
    }

    /** Unless something newer waits. What is withdrawn is told once: later it would have expired. */
    private void putBack(List<PendingEntry> batch) {
        for (PendingEntry item : batch) {
            if (item.publication() != null
                    && item.isWanted()
                    && waitingByKey.putIfAbsent(item.signed().key(), item) == null) {
                waiting.put(item.order(), item);
            }
        }
    }

    private void pauseForAWhile() {
        pausing = true;
        timer = context.scheduler().schedule(context.jittered(pause), this::onPauseOver);
        Duration longer = pause.multipliedBy(2);
        pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
    }

    private void onPauseOver() {
        synchronized (lock) {
            pausing = false;
        }
        proceed();
    }

    /** Forgets what it has not told. */
    void close() {
        List<PendingEntry> left;
        synchronized (lock) {
            timer.cancel();
            left = List.copyOf(waiting.values());
            waiting.clear();
            waitingByKey.clear();
        }
        left.forEach(PendingEntry::complete);
    }
}
