package io.parley.discovery.internal;

import io.parley.advertisement.AdvertisementKey;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The queries to the local network and the index that all searches with equal criteria share. It ends when all sources have
 * responded or all its searches have ended. Thread-safe.
 */
final class RemoteSearch {

    /** The requested number of documents, with the peer advertisements of their publishers. */
    private static final int MAX_DOCUMENTS = 2 * DiscoveryMessages.MAX_PAGE_RESULTS + 1;

    private final DiscoveryQuery query;
    private final AdvertisementReceiver receiver;
    private final DiscoveryContext context;
    private final Object lock = new Object();
    private final List<SearchTask> tasks = new ArrayList<>();
    private final Map<AdvertisementKey, SignedAdvertisement> found = new LinkedHashMap<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final QueriedSources sources = new QueriedSources();
    private int openSources = 1; // held by the start
    private boolean hasEnded;

    RemoteSearch(DiscoveryQuery query, AdvertisementReceiver receiver, DiscoveryContext context) {
        this.query = query;
        this.receiver = receiver;
        this.context = context;
    }

    DiscoveryQuery query() {
        return query;
    }

    QueriedSources sources() {
        return sources;
    }

    /** Adds a search, which receives previous and future results. Returns {@code false} if this has ended already. */
    boolean join(SearchTask task) {
        List<SignedAdvertisement> previous;
        synchronized (lock) {
            if (hasEnded) {
                return false;
            }
            tasks.add(task);
            task.setSources(sources);
            previous = List.copyOf(found.values());
        }
        task.setStopAction(() -> remove(task));
        previous.forEach(result -> task.offer(result, true));
        return true;
    }

    private void remove(SearchTask task) {
        synchronized (lock) {
            tasks.remove(task);
            if (hasEnded || !tasks.isEmpty()) {
                return;
            }
            hasEnded = true; // with the same lock, so that no other search joins
        }
        ended.complete(null);
    }

    /** Returns a future that completes when no more results are accepted. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** Adds a source, which is stopped at the end. Returns {@code false} if this has ended already. */
    boolean addSource(Runnable stop) {
        synchronized (lock) {
            if (hasEnded) {
                return false;
            }
            openSources++;
        }
        ended.thenRun(stop);
        return true;
    }

    /** Called when a source has no more results, or when all initial sources have been added. */
    void sourceDone() {
        synchronized (lock) {
            if (--openSources > 0) {
                return;
            }
        }
        end();
    }

    private void end() {
        List<SearchTask> remaining;
        synchronized (lock) {
            if (hasEnded) {
                return;
            }
            hasEnded = true;
            remaining = List.copyOf(tasks);
        }
        ended.complete(null); // first, so that a search that goes on does not join this one again
        remaining.forEach(SearchTask::onSourcesDone);
    }

    boolean hasEnded() {
        synchronized (lock) {
            return hasEnded;
        }
    }

    /** Returns the largest number of results that a search still needs. */
    int missing() {
        return tasks().stream().mapToInt(SearchTask::missing).max().orElse(0);
    }

    /** Returns the longest remaining time of a search; zero if all have ended. */
    Duration remaining() {
        long now = context.scheduler().nanoTime();
        long nanos = tasks().stream()
                .mapToLong(task -> task.remainingNanos(now))
                .max()
                .orElse(0);
        return Duration.ofNanos(Math.max(0, nanos));
    }

    private List<SearchTask> tasks() {
        synchronized (lock) {
            return List.copyOf(tasks);
        }
    }

    /**
     * Processes untrusted documents: first all of them, so that the addresses of a publisher are known when a search receives its
     * advertisement.
     */
    void accept(List<byte[]> documents) {
        if (hasEnded()) {
            return;
        }
        int extra = documents.size() - MAX_DOCUMENTS;
        if (extra > 0) {
            context.metrics().add(Counter.ADVERTISEMENTS_UNSOLICITED, extra);
        }
        List<SignedAdvertisement> newest = new ArrayList<>();
        for (byte[] document : documents.subList(0, documents.size() - Math.max(0, extra))) {
            AdvertisementReceiver.Accepted accepted = receiver.accept(document, this::isWanted);
            if (accepted != null) {
                newest.add(accepted.newest());
            }
        }
        newest.forEach(this::offer);
    }

    private boolean isWanted(SignedAdvertisement signed) {
        return signed.advertisement() instanceof PeerAdvertisement || query.matches(signed.advertisement());
    }

    private void offer(SignedAdvertisement newest) {
        boolean withdrawn = StoreEntryMapper.isWithdrawn(newest);
        if (!query.matches(newest.advertisement())) {
            return;
        }
        List<SearchTask> receivers;
        synchronized (lock) {
            SignedAdvertisement known = found.get(newest.key());
            if (known != null && !newest.supersedes(known)) {
                return;
            }
            if (withdrawn) {
                found.remove(newest.key());
            } else if (known != null || found.size() < context.limits().maxResults()) {
                found.put(newest.key(), newest);
            }
            receivers = List.copyOf(tasks);
        }
        for (SearchTask task : receivers) {
            if (withdrawn) {
                task.withdraw(newest);
            } else {
                task.offer(newest, true);
            }
        }
    }
}
