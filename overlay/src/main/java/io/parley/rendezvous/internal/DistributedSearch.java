package io.parley.rendezvous.internal;

import io.parley.id.PeerId;
import io.parley.rendezvous.internal.RendezvousMetrics.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * A search that visits other rendezvous, and continues if a later page needs more results. It passes over those that do not
 * respond, and visits the next instead. The results stay in the order of their arrival, each document once, so the pages fit
 * together. Thread-safe.
 */
final class DistributedSearch {

    /** The maximum number of documents that one search holds. */
    private static final int MAX_DOCUMENTS = 1000;

    /** The maximum size of the documents that one search holds, in bytes. */
    private static final long MAX_BYTES = 4 << 20;

    /** The offset of the signer's id in a signed advertisement. */
    private static final int PUBLISHER_START = Integer.BYTES + 1;

    private static final int PUBLISHER_END = PUBLISHER_START + PeerId.BYTES;

    /** The maximum number of rendezvous that are queried at the same time. */
    static final int MAX_CONCURRENCY = 8;

    /**
     * The rendezvous that a search visits.
     *
     * @param others      the other rendezvous, in the order in which they are queried
     * @param responses   the number of rendezvous after whose response no further one is queried; others are passed over
     * @param concurrency the number of rendezvous that are queried at the same time, until one is passed over
     * @param untilFound  whether no further rendezvous is queried after one had a result
     */
    record Route(List<PeerId> others, int responses, int concurrency, boolean untilFound) {}

    /** A rendezvous that is queried until it has no more results. */
    private final class RendezvousSource {

        private final PeerId rendezvous;
        private int offset;
        private boolean hasResponded;

        private RendezvousSource(PeerId rendezvous) {
            this.rendezvous = rendezvous;
        }

        /** Requests the next results. The future never fails; its value is whether the rendezvous has more. */
        private CompletableFuture<Boolean> fetch(int limit, Duration timeout) {
            context.metrics().increment(Counter.SEARCHES_FORWARDED);
            IndexSearchRequest localRequest =
                    new IndexSearchRequest(request.group(), request.query(), offset, limit, true, timeout);
            return context.query(rendezvous, RendezvousContext.FIND, localRequest.write(), timeout)
                    .thenApply(IndexSearchResponse::read)
                    .handle((response, failure) -> {
                        if (failure != null) {
                            view.onFailed(rendezvous, failure);
                            return false;
                        }
                        view.onServed(rendezvous);
                        return addResults(this, response);
                    });
        }
    }

    private final RendezvousContext context;
    private final PeerView view;
    private final IndexSearchRequest request;
    private final Route route;
    private final Iterator<PeerId> remaining;
    private final List<byte[]> documents = new ArrayList<>();
    private final Set<byte[]> knownDocuments = new TreeSet<>(Arrays::compareUnsigned);
    private final List<byte[]> peers = new ArrayList<>();
    private final Set<byte[]> knownPeers = new TreeSet<>(Arrays::compareUnsigned);
    private final List<RendezvousSource> unfinished = new ArrayList<>();
    private long bytes;
    private int visited;
    private int responded;
    private boolean found;
    private boolean visitedOthers;

    /** The last page. Pages are created one after the other. */
    private CompletableFuture<?> lastPage = CompletableFuture.completedFuture(null);

    /**
     * Creates a search.
     *
     * @param ownResults all results of this peer
     */
    DistributedSearch(
            RendezvousContext context,
            PeerView view,
            IndexSearchRequest request,
            List<IndexSearchResponse> ownResults,
            Route route) {
        this.context = context;
        this.view = view;
        this.request = request;
        this.route = route;
        this.remaining = route.others().iterator();
        ownResults.forEach(this::add);
    }

    /** Returns the page that begins at {@code offset}. Queries other rendezvous if too few results have arrived. */
    CompletableFuture<IndexSearchResponse> page(int offset, int limit, Duration timeout) {
        long deadline = context.scheduler().nanoTime() + timeout.toNanos();
        synchronized (this) {
            CompletableFuture<IndexSearchResponse> page = lastPage.handle((before, failure) -> null)
                    .thenCompose(previousDone -> gather(offset + limit, deadline))
                    .thenApply(gathered -> page(offset, limit));
            lastPage = page;
            return page;
        }
    }

    /** Completes when there are more than {@code count} results, no more can be found or the deadline has passed. */
    private CompletableFuture<Void> gather(int count, long deadline) {
        long left = deadline - context.scheduler().nanoTime();
        List<RendezvousSource> sources = left <= 0 ? List.of() : nextSources(count);
        if (sources.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        Duration hopTimeout = context.limits().hopTimeout();
        Duration timeout = left < hopTimeout.toNanos() ? Duration.ofNanos(left) : hopTimeout;
        int limit = Math.min(IndexSearchResponse.MAX_DOCUMENTS, count + 1);
        CompletableFuture<?>[] fetches = sources.stream()
                .map(source -> source.fetch(limit, timeout).thenAccept(more -> {
                    if (more) {
                        addUnfinished(source);
                    }
                }))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(fetches).thenComposeAsync(all -> gather(count, deadline), context.executor());
    }

    private synchronized void addUnfinished(RendezvousSource source) {
        unfinished.add(source);
    }

    private synchronized List<RendezvousSource> nextSources(int count) {
        List<RendezvousSource> sources = new ArrayList<>();
        if (documents.size() > count || isFull()) {
            return sources;
        }
        visitedOthers = true;
        sources.addAll(unfinished);
        unfinished.clear();
        if (!(route.untilFound() && found)) {
            int needed = route.responses() - responded;
            int concurrency = visited == responded
                    ? route.concurrency()
                    : Math.max(route.concurrency(), Math.min(needed, MAX_CONCURRENCY)); // makes up for the lost time
            for (int i = 0; i < needed && sources.size() < concurrency && remaining.hasNext(); i++) {
                sources.add(new RendezvousSource(remaining.next()));
                visited++;
            }
        }
        return sources;
    }

    private boolean isFull() {
        return documents.size() >= MAX_DOCUMENTS || bytes >= MAX_BYTES;
    }

    /**
     * Returns whether the rendezvous is queried again: if it has more results and has not sent as many as a search holds. A
     * rendezvous that repeats one document, or sends documents that are too short, does not extend the search further.
     */
    private synchronized boolean addResults(RendezvousSource source, IndexSearchResponse response) {
        if (!source.hasResponded) {
            source.hasResponded = true;
            responded++;
        }
        source.offset += response.documents().size();
        found |= !response.documents().isEmpty();
        add(response);
        return response.more() && !response.documents().isEmpty() && source.offset < MAX_DOCUMENTS;
    }

    private void add(IndexSearchResponse response) {
        response.documents().forEach(document -> add(document, knownDocuments, documents));
        response.peers().forEach(peer -> add(peer, knownPeers, peers));
    }

    private void add(byte[] document, Set<byte[]> known, List<byte[]> list) {
        if (!isFull() && document.length >= PUBLISHER_END && known.add(document)) {
            list.add(document);
            bytes += document.length;
        }
    }

    private synchronized IndexSearchResponse page(int offset, int limit) {
        List<byte[]> page = new ArrayList<>();
        int size = 0;
        int next = Math.min(offset, documents.size());
        while (next < documents.size() && page.size() < limit) {
            size += documents.get(next).length;
            if (size > IndexSearchResponse.MAX_DOCUMENT_BYTES && !page.isEmpty()) {
                break;
            }
            page.add(documents.get(next++));
        }
        return new IndexSearchResponse(
                page,
                publishers(page, IndexSearchResponse.MAX_TOTAL_BYTES - size),
                next < documents.size(),
                visitedOthers ? 2 : 1);
    }

    /** Returns the peer advertisements of the page's publishers. */
    private List<byte[]> publishers(List<byte[]> page, int maxBytes) {
        Set<byte[]> ids = new TreeSet<>(Arrays::compareUnsigned);
        page.forEach(document -> ids.add(publisherId(document)));
        List<byte[]> publishers = new ArrayList<>();
        int left = maxBytes;
        for (byte[] peer : peers) {
            if (peer.length <= left
                    && ids.contains(publisherId(peer))
                    && publishers.size() < IndexSearchResponse.MAX_DOCUMENTS) {
                left -= peer.length;
                publishers.add(peer);
            }
        }
        return publishers;
    }

    /** Returns the signer's id of a signed advertisement. The advertisement is not verified. */
    private static byte[] publisherId(byte[] document) {
        return Arrays.copyOfRange(document, PUBLISHER_START, PUBLISHER_END);
    }

    /** Returns the size of all documents that the search holds, in bytes. */
    synchronized long bytes() {
        return bytes;
    }
}
