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
 * The questions that all searches for the same share: to peers nearby, and to the index. It ends when all that were asked
 * have answered, or when no search is left that wants more. Thread-safe.
 */
final class RemoteSearch {

    /** As many as were asked for, with the peer advertisements of those who have published them. */
    private static final int MAX_DOCUMENTS = 2 * DiscoveryMessages.MAX_PAGE_RESULTS + 1;

    private final DiscoveryQuery query;
    private final AdvertisementReceiver intake;
    private final DiscoveryContext context;
    private final Object lock = new Object();
    private final List<SearchTask> members = new ArrayList<>();
    private final Map<AdvertisementKey, SignedAdvertisement> found = new LinkedHashMap<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final QueriedSources sources = new QueriedSources();
    private int askedSources = 1; // is being started
    private boolean over;

    RemoteSearch(DiscoveryQuery query, AdvertisementReceiver intake, DiscoveryContext context) {
        this.query = query;
        this.intake = intake;
        this.context = context;
    }

    DiscoveryQuery query() {
        return query;
    }

    QueriedSources sources() {
        return sources;
    }

    /** The search gets what has been found and what will be; false when it comes too late. */
    boolean join(SearchTask task) {
        List<SignedAdvertisement> soFar;
        synchronized (lock) {
            if (over) {
                return false;
            }
            members.add(task);
            task.setSources(sources);
            soFar = List.copyOf(found.values());
        }
        task.stopped().thenRun(() -> leave(task));
        soFar.forEach(result -> task.offer(result, true));
        return true;
    }

    private void leave(SearchTask task) {
        synchronized (lock) {
            members.remove(task);
            if (!members.isEmpty()) {
                return;
            }
        }
        end();
    }

    /** Completes when nothing is taken any more. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    /** One more source is asked, which is stopped at the end; false when it is too late for that. */
    boolean addSource(Runnable stop) {
        synchronized (lock) {
            if (over) {
                return false;
            }
            askedSources++;
        }
        ended.thenRun(stop);
        return true;
    }

    /** A source has no more to say, or all that are to be asked at first have been added. */
    void sourceDone() {
        synchronized (lock) {
            if (--askedSources > 0) {
                return;
            }
        }
        end();
    }

    private void end() {
        List<SearchTask> left;
        synchronized (lock) {
            if (over) {
                return;
            }
            over = true;
            left = List.copyOf(members);
        }
        left.forEach(SearchTask::finish);
        ended.complete(null);
    }

    boolean isOver() {
        synchronized (lock) {
            return over;
        }
    }

    /** How many results the search that wants most still wants. */
    int missing() {
        return members().stream().mapToInt(SearchTask::missing).max().orElse(0);
    }

    /** How long the search that waits longest still waits; zero when all are over. */
    Duration remaining() {
        long now = context.scheduler().nanoTime();
        long nanos = members().stream()
                .mapToLong(task -> task.remainingNanos(now))
                .max()
                .orElse(0);
        return Duration.ofNanos(Math.max(0, nanos));
    }

    private List<SearchTask> members() {
        synchronized (lock) {
            return List.copyOf(members);
        }
    }

    /**
     * Takes what somebody has answered, whatever it is: first all of it, so that the way to a publisher is known when a
     * search gets what it has published.
     */
    void take(List<byte[]> documents) {
        if (isOver()) {
            return;
        }
        int extra = documents.size() - MAX_DOCUMENTS;
        if (extra > 0) {
            context.metrics().add(Counter.ADVERTISEMENTS_UNSOLICITED, extra);
        }
        List<SignedAdvertisement> newest = new ArrayList<>();
        for (byte[] document : documents.subList(0, documents.size() - Math.max(0, extra))) {
            AdvertisementReceiver.Accepted taken = intake.take(document, this::isWanted);
            if (taken != null) {
                newest.add(taken.newest());
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
        List<SearchTask> interested;
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
            interested = List.copyOf(members);
        }
        for (SearchTask task : interested) {
            if (withdrawn) {
                task.takeBack(newest);
            } else {
                task.offer(newest, true);
            }
        }
    }
}
