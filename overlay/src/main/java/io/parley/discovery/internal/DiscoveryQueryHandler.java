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
 * Answers what others look for: with what this peer publishes when the question went to many, so that they don't all give the
 * same answer, else with what it has heard of as well. Thread-safe; reads the store.
 */
final class DiscoveryQueryHandler {

    /** The handler's name. */
    static final String NAME = "discovery";

    private final LocalAdvertisements documents;
    private final PublicationRegistry publications;
    private final DiscoveryMetrics metrics;

    DiscoveryQueryHandler(LocalAdvertisements documents, PublicationRegistry publications, DiscoveryMetrics metrics) {
        this.documents = documents;
        this.publications = publications;
        this.metrics = metrics;
    }

    /** On the resolver's executor. */
    CompletionStage<Optional<Message>> onQuery(Query query) {
        PageRequest request = DiscoveryMessages.readRequest(query.body());
        IndexPage page = page(request, query.propagated() || request.publisherOnly());
        if (query.propagated() && page.documents().isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        metrics.increment(Counter.RESPONSES_SENT);
        return CompletableFuture.completedFuture(Optional.of(DiscoveryMessages.page(page)));
    }

    private IndexPage page(PageRequest request, boolean own) {
        SignedAdvertisement self = publications.peerAdvertisement();
        byte[] way = self == null ? null : self.toByteArray();
        int room = DiscoveryMessages.MAX_PAGE_BYTES - (way == null ? 0 : way.length);
        int limit = Math.min(request.limit(), DiscoveryMessages.MAX_PAGE_RESULTS);
        Iterator<Supplier<byte[]>> matches =
                documents.shared(request.query(), own).skip(request.offset()).iterator();
        List<byte[]> page = new ArrayList<>();
        int next = request.offset();
        boolean more = false;
        while (matches.hasNext() && !more) {
            byte[] document = matches.next().get();
            boolean fits = document.length <= room;
            more = page.size() >= limit || (!fits && !page.isEmpty());
            if (!more) {
                next++; // also past one that no page has room for, which would hide all behind it
                if (fits) {
                    room -= document.length;
                    page.add(document);
                }
            }
        }
        return new IndexPage(withWay(page, way), more ? OptionalInt.of(next) : OptionalInt.empty(), 0);
    }

    /** With this peer's advertisement of itself, unless it is there or there is nothing to find the way for. */
    private static List<byte[]> withWay(List<byte[]> page, byte @Nullable [] way) {
        if (way != null && !page.isEmpty() && page.stream().noneMatch(document -> Arrays.equals(document, way))) {
            page.add(way);
        }
        return page;
    }
}
