package io.parley.examples.search;

import io.parley.Peer;
import io.parley.advertisement.AdvertisementKey;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Search;
import io.parley.discovery.SearchOptions;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Looks for what others have published in a group, until there is enough of it or the time is up. What this peer has
 * published itself does not count. For one run each.
 */
public final class AdvertisementSearch {

    private static final Duration PAUSE = Duration.ofMillis(300);

    private final Peer peer;
    private final PeerGroup group;
    private final DiscoveryQuery query;
    private final int limit;
    private final Consumer<SearchResult> listener;
    private final Set<AdvertisementKey> seen = new HashSet<>();
    private final CompletableFuture<Void> enough = new CompletableFuture<>();

    /**
     * Starts nothing yet.
     *
     * @param limit    how much is enough, at least 1
     * @param listener gets each result once, one at a time
     */
    public AdvertisementSearch(
            Peer peer, PeerGroup group, DiscoveryQuery query, int limit, Consumer<SearchResult> listener) {
        this.peer = peer;
        this.group = group;
        this.query = query;
        this.limit = limit;
        this.listener = listener;
    }

    /**
     * Asks the peers nearby, and the rendezvous, over and over: who has just started knows nobody yet, and nobody knows how
     * many there are.
     *
     * @return how much was found
     */
    public int everywhere(Duration time) throws InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        while (!enough.isDone() && left(deadline) > 0) {
            search(left(deadline));
            await(enough, Math.min(PAUSE.toNanos(), left(deadline)));
        }
        return count();
    }

    /**
     * Asks the rendezvous, once, as soon as there is one: its answer is complete.
     *
     * @return how much was found
     */
    public int inTheIndex(Duration time) throws InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        await(peer.whenOnline(), left(deadline));
        if (left(deadline) > 0) {
            search(left(deadline));
        }
        return count();
    }

    private void search(long nanos) throws InterruptedException {
        // One more than wanted, since this peer may be among the results.
        SearchOptions options =
                new SearchOptions(Duration.ofNanos(nanos), limit + 1, SearchOptions.Scope.LOCAL_AND_REMOTE);
        Search search = group.discovery().search(query, options, this::onFound);
        await(CompletableFuture.anyOf(search.whenDone(), enough), nanos);
        search.closeAsync();
    }

    private static void await(CompletableFuture<?> future, long nanos) throws InterruptedException {
        try {
            future.copy().completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS).get();
        } catch (java.util.concurrent.ExecutionException e) {
            throw ParleyException.unchecked(e);
        }
    }

    private synchronized void onFound(SignedAdvertisement signed) {
        if (enough.isDone() || signed.publisher().equals(peer.id()) || !seen.add(signed.key())) {
            return;
        }
        listener.accept(SearchResult.of(signed));
        if (seen.size() >= limit) {
            enough.complete(null);
        }
    }

    private synchronized int count() {
        return seen.size();
    }

    private static long left(long deadline) {
        return deadline - System.nanoTime();
    }
}
