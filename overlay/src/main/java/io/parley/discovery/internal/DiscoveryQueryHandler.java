package io.parley.discovery.internal;

import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.internal.DiscoveryMetrics.Counter;
import io.parley.message.Message;
import io.parley.resolver.internal.Query;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Responds to queries of other peers. A response to a propagated query contains only advertisements of this peer, so that peers do
 * not send the same results; a response to a direct query contains received ones as well. Thread-safe. Reads the store.
 */
final class DiscoveryQueryHandler {

    /** The handler's name. */
    static final String NAME = "discovery";

    private final LocalAdvertisements localAdvertisements;
    private final PublicationRegistry publications;
    private final DiscoveryMetrics metrics;

    DiscoveryQueryHandler(
            LocalAdvertisements localAdvertisements, PublicationRegistry publications, DiscoveryMetrics metrics) {
        this.localAdvertisements = localAdvertisements;
        this.publications = publications;
        this.metrics = metrics;
    }

    /** Called on the resolver's executor. */
    CompletionStage<Optional<Message>> onQuery(Query query) {
        PageRequest request = DiscoveryMessages.readRequest(query.body());
        IndexPage page = page(request, query.propagated() || request.publisherOnly());
        if (query.propagated() && page.documents().isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        metrics.increment(Counter.RESPONSES_SENT);
        return CompletableFuture.completedFuture(Optional.of(DiscoveryMessages.page(page)));
    }

    private IndexPage page(PageRequest request, boolean ownOnly) {
        SignedAdvertisement self = publications.peerAdvertisement();
        byte[] peer = self == null ? null : self.toByteArray();
        int remainingBytes = DiscoveryMessages.MAX_PAGE_BYTES - (peer == null ? 0 : peer.length);
        int limit = Math.min(request.limit(), DiscoveryMessages.MAX_PAGE_RESULTS);
        Iterator<Supplier<byte[]>> matches = localAdvertisements
                .shared(request.query(), ownOnly)
                .skip(request.offset())
                .iterator();
        List<byte[]> page = new ArrayList<>();
        int next = request.offset();
        boolean more = false;
        while (matches.hasNext() && !more) {
            Supplier<byte[]> match = matches.next();
            if (page.size() >= limit) { // before the document is read
                more = true;
                break;
            }
            byte[] document = match.get();
            boolean fits = document.length <= remainingBytes;
            more = !fits && !page.isEmpty();
            if (!more) {
                next++; // also skips a document larger than a page, which would block those after it
                if (fits && document.length > 0) {
                    remainingBytes -= document.length;
                    page.add(document);
                }
            }
        }
        return new IndexPage(withPeerAdvertisement(page, peer), more ? OptionalInt.of(next) : OptionalInt.empty(), 0);
    }

    /** Adds this peer's peer advertisement, unless the page contains it or is empty. */
    private static List<byte[]> withPeerAdvertisement(List<byte[]> page, byte @Nullable [] peer) {
        if (peer != null && !page.isEmpty() && page.stream().noneMatch(document -> Arrays.equals(document, peer))) {
            page.add(peer);
        }
        return page;
    }
}
