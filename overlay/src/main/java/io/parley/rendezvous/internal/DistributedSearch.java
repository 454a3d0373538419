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
 * A search that goes to other rendezvous, and goes on when more is wanted than has been found: so its pages fit together.
 * What is found stays in the order in which it came, each document once. Thread-safe.
 */
final class DistributedSearch {

    /** What one search holds. */
    private static final int MAX_DOCUMENTS = 1000;

    private static final long MAX_BYTES = 4 << 20;

    /** Where signed advertisements have their signer's id. */
    private static final int PUBLISHER_START = Integer.BYTES + 1;

    private static final int PUBLISHER_END = PUBLISHER_START + PeerId.BYTES;

    /** One that is asked, until it has no more. */
    private final class RendezvousSource {

        private final PeerId member;
        private int offset;

        private RendezvousSource(PeerId member) {
            this.member = member;
        }

        /** Completes, always normally, with whether it has more. */
        private CompletableFuture<Boolean> ask(int limit, Duration timeout) {
            overlay.metrics().increment(Counter.SEARCHES_FORWARDED);
            IndexSearchRequest here =
                    new IndexSearchRequest(request.group(), request.query(), offset, limit, true, timeout);
            return overlay.ask(member, RendezvousContext.FIND, here.write(), timeout)
                    .thenApply(IndexSearchResponse::read)
                    .handle((reply, failure) -> failure == null && take(this, reply.found()));
        }
    }

    private final RendezvousContext overlay;
    private final IndexSearchRequest request;
    private final int atATime;

    /** Whether one who has something has all there is. */
    private final boolean untilFound;

    private final Iterator<PeerId> members;
    private final List<byte[]> documents = new ArrayList<>();
    private final Set<byte[]> known = new TreeSet<>(Arrays::compareUnsigned);
    private final List<byte[]> peers = new ArrayList<>();
    private final Set<byte[]> knownPeers = new TreeSet<>(Arrays::compareUnsigned);
    private final List<RendezvousSource> unfinished = new ArrayList<>();
    private long bytes;
    private boolean found;
    private boolean asked;

    /** Pages are made one after the other. */
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

    /**
     * A search.
     *
     * @param own     what this peer itself has, all of it
     * @param members the others, in the order in which they are asked
     * @param atATime how many of them at a time
     */
    DistributedSearch(
            RendezvousContext overlay,
            IndexSearchRequest request,
            List<IndexSearchResult> own,
            List<PeerId> members,
            int atATime,
            boolean untilFound) {
        this.overlay = overlay;
        this.request = request;
        this.members = members.iterator();
        this.atATime = atATime;
        this.untilFound = untilFound;
        own.forEach(this::add);
    }

    /** What stands there from an offset on; asks others when there is not enough of it yet. */
    CompletableFuture<IndexSearchResult> page(int offset, int limit, Duration timeout) {
        long deadline = overlay.scheduler().nanoTime() + timeout.toNanos();
        synchronized (this) {
            CompletableFuture<IndexSearchResult> page = last.handle((before, failure) -> null)
                    .thenCompose(free -> gather(offset + limit, deadline))
                    .thenApply(gathered -> page(offset, limit));
            last = page;
            return page;
        }
    }

    /** Completes when there are more than that many, or all that can be had. */
    private CompletableFuture<Void> gather(int count, long deadline) {
        long left = deadline - overlay.scheduler().nanoTime();
        List<RendezvousSource> next = left <= 0 ? List.of() : next(count);
        if (next.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        Duration most = overlay.limits().hopTimeout();
        Duration timeout = left < most.toNanos() ? Duration.ofNanos(left) : most;
        int limit = Math.min(IndexSearchResult.MAX_DOCUMENTS, count + 1);
        CompletableFuture<?>[] asking = next.stream()
                .map(source -> source.ask(limit, timeout).thenAccept(more -> {
                    if (more) {
                        keep(source);
                    }
                }))
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(asking).thenComposeAsync(all -> gather(count, deadline), overlay.executor());
    }

    private synchronized void keep(RendezvousSource source) {
        unfinished.add(source);
    }

    private synchronized List<RendezvousSource> next(int count) {
        List<RendezvousSource> next = new ArrayList<>();
        if (documents.size() > count || isFull()) {
            return next;
        }
        asked = true;
        next.addAll(unfinished);
        unfinished.clear();
        if (!(untilFound && found)) {
            while (next.size() < atATime && members.hasNext()) {
                next.add(new RendezvousSource(members.next()));
            }
        }
        return next;
    }

    private boolean isFull() {
        return documents.size() >= MAX_DOCUMENTS || bytes >= MAX_BYTES;
    }

    private synchronized boolean take(RendezvousSource source, IndexSearchResult part) {
        source.offset += part.documents().size();
        found |= !part.documents().isEmpty();
        add(part);
        return part.more() && !part.documents().isEmpty();
    }

    private void add(IndexSearchResult part) {
        part.documents().forEach(document -> add(document, known, documents));
        part.peers().forEach(peer -> add(peer, knownPeers, peers));
    }

    private void add(byte[] document, Set<byte[]> all, List<byte[]> list) {
        if (!isFull() && document.length >= PUBLISHER_END && all.add(document)) {
            list.add(document);
            bytes += document.length;
        }
    }

    private synchronized IndexSearchResult page(int offset, int limit) {
        List<byte[]> page = new ArrayList<>();
        int size = 0;
        int next = Math.min(offset, documents.size());
        while (next < documents.size() && page.size() < limit) {
            size += documents.get(next).length;
            if (size > IndexSearchResult.MAX_BYTES && !page.isEmpty()) {
                break;
            }
            page.add(documents.get(next++));
        }
        return new IndexSearchResult(
                page, peers(page, IndexSearchResult.MAX_ALL_BYTES - size), next < documents.size());
    }

    /** Those of the page's publishers. */
    private List<byte[]> peers(List<byte[]> page, int room) {
        Set<byte[]> publishers = new TreeSet<>(Arrays::compareUnsigned);
        page.forEach(document -> publishers.add(publisher(document)));
        List<byte[]> matching = new ArrayList<>();
        int left = room;
        for (byte[] peer : peers) {
            if (peer.length <= left
                    && publishers.contains(publisher(peer))
                    && matching.size() < IndexSearchResult.MAX_DOCUMENTS) {
                left -= peer.length;
                matching.add(peer);
            }
        }
        return matching;
    }

    /** The signer's id in a signed advertisement; none of them are verified here. */
    private static byte[] publisher(byte[] document) {
        return Arrays.copyOfRange(document, PUBLISHER_START, PUBLISHER_END);
    }

    /** Whether others had to be asked. */
    synchronized boolean hasAsked() {
        return asked;
    }

    synchronized long bytes() {
        return bytes;
    }
}
