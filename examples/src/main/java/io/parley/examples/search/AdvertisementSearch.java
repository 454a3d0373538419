package io.parley.examples.search;

import io.parley.Peer;
import io.parley.advertisement.PeerGroupAdvertisement;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Search;
import io.parley.discovery.SearchOptions;
import io.parley.examples.console.Futures;
import io.parley.group.PeerGroup;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Searches a group for advertisements of other peers until the result limit or the timeout is reached. A group that
 * several peers publish is one result. Each instance runs one search.
 */
public final class AdvertisementSearch {

    private static final Duration INTERVAL = Duration.ofMillis(300);

    private final Peer peer;
    private final PeerGroup group;
    private final DiscoveryQuery query;
    private final int limit;
    private final Consumer<SearchResult> listener;
    private final PeerNames names;
    private final Set<Object> seen = new HashSet<>();
    private final CompletableFuture<Void> limitReached = new CompletableFuture<>();

    /**
     * Creates a search without starting it.
     *
     * @param limit    the maximum number of results, at least 1
     * @param listener receives each result once; calls do not overlap
     */
    public AdvertisementSearch(
            Peer peer, PeerGroup group, DiscoveryQuery query, int limit, Consumer<SearchResult> listener) {
        this.peer = peer;
        this.group = group;
        this.query = query;
        this.limit = limit;
        this.listener = listener;
        this.names = new PeerNames(group);
    }

    /**
     * Queries the local network and the rendezvous repeatedly. A peer that has just started does not know the other peers
     * yet, and their number is unknown.
     *
     * @return the number of results
     */
    public int searchAll(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (!limitReached.isDone() && nanosLeft(deadline) > 0) {
            search(nanosLeft(deadline));
            await(limitReached, Math.min(INTERVAL.toNanos(), nanosLeft(deadline)));
        }
        return count();
    }

    /**
     * Queries the rendezvous once, after the peer has got a lease. The response is complete.
     *
     * @return the number of results
     */
    public int searchIndex(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        await(peer.whenOnline(), nanosLeft(deadline));
        if (nanosLeft(deadline) > 0) {
            search(nanosLeft(deadline));
        }
        return count();
    }

    private void search(long nanos) throws InterruptedException {
        // One result more than the limit, because this peer may be among the results.
        SearchOptions options =
                new SearchOptions(Duration.ofNanos(nanos), limit + 1, SearchOptions.Scope.LOCAL_AND_REMOTE);
        Search search = group.discovery().search(query, options, this::onResult);
        await(CompletableFuture.anyOf(search.whenDone(), limitReached), nanos);
        search.closeAsync();
    }

    private static void await(CompletableFuture<?> future, long nanos) throws InterruptedException {
        try {
            Futures.get(future, nanos);
        } catch (TimeoutException e) {
            // The caller checks its deadline.
        }
    }

    private synchronized void onResult(SignedAdvertisement signed) {
        if (limitReached.isDone() || signed.publisher().equals(peer.id()) || !seen.add(key(signed))) {
            return;
        }
        listener.accept(SearchResult.of(signed, names, Instant.now()));
        if (seen.size() >= limit) {
            limitReached.complete(null);
        }
    }

    private static Object key(SignedAdvertisement signed) {
        return signed.advertisement() instanceof PeerGroupAdvertisement published ? published.groupId() : signed.key();
    }

    private synchronized int count() {
        return seen.size();
    }

    private static long nanosLeft(long deadline) {
        return deadline - System.nanoTime();
    }
}
