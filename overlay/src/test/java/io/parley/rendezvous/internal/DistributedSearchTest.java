package io.parley.rendezvous.internal;

import static io.parley.rendezvous.internal.Publisher.GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.discovery.DiscoveryQuery;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A search at one other rendezvous, in manual time, without a network. */
class DistributedSearchTest {

    private static final Duration TIMEOUT = Duration.ofHours(1);
    private static final PeerId RENDEZVOUS = Identity.generate().peerId();

    /** Full pages of as many documents as a search holds, and one that exceeds them. */
    private static final int MAX_QUERIES = 1000 / IndexSearchResponse.MAX_DOCUMENTS + 1;

    private final RendezvousContextFixture fixture = new RendezvousContextFixture(RendezvousLimits.DEFAULTS);

    private CompletableFuture<IndexSearchResponse> search() {
        IndexSearchRequest request =
                new IndexSearchRequest(GROUP, DiscoveryQuery.any().with("Name", "rain*"), 0, 10, false, TIMEOUT);
        return new DistributedSearch(fixture.context, request, List.of(), List.of(RENDEZVOUS), 1, false)
                .page(0, request.limit(), TIMEOUT);
    }

    /** Responds to each query with a full page of the same document, and claims to have more. */
    private int respondWith(byte[] document) {
        IndexSearchResponse page = new IndexSearchResponse(
                Collections.nCopies(IndexSearchResponse.MAX_DOCUMENTS, document), List.of(), true, 1);
        int queries = 0;
        while (!fixture.queries.isEmpty() && queries <= MAX_QUERIES) {
            queries++;
            fixture.onlyQuery().respond(page.write());
        }
        return queries;
    }

    @Test
    void page_rendezvousThatRepeatsADocument_ends() {
        byte[] document = fixture.publisher.signPipe("rain").toByteArray();
        CompletableFuture<IndexSearchResponse> page = search();
        assertThat(respondWith(document)).isLessThan(MAX_QUERIES);
        assertThat(page).isCompleted();
        assertThat(page.join().documents()).containsExactly(document);
        assertThat(page.join().more()).isFalse();
    }

    @Test
    void page_rendezvousThatSendsTooShortDocuments_ends() {
        CompletableFuture<IndexSearchResponse> page = search();
        assertThat(respondWith(new byte[1])).isLessThan(MAX_QUERIES);
        assertThat(page).isCompleted();
        assertThat(page.join().documents()).isEmpty();
    }
}
