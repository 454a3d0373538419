package io.parley.rendezvous.internal;

import static io.parley.rendezvous.internal.Publisher.GROUP;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.discovery.DiscoveryQuery;
import io.parley.error.ErrorCode;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.rendezvous.RendezvousLimits;
import io.parley.rendezvous.internal.RendezvousContextFixture.PendingQuery;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A search at one other rendezvous, in manual time, without a network. */
class DistributedSearchTest {

    private static final Duration TIMEOUT = Duration.ofHours(1);
    private static final PeerId RENDEZVOUS = Identity.generate().peerId();

    /** Full pages of as many documents as a search holds, and one that exceeds them. */
    private static final int MAX_QUERIES = 1000 / IndexSearchResponse.MAX_DOCUMENTS + 1;

    private final RendezvousContextFixture fixture = new RendezvousContextFixture(RendezvousLimits.DEFAULTS);

    private final PeerView view = new PeerView(
            fixture.publisher.id(), RendezvousLimits.DEFAULTS.peerView(), fixture.scheduler, fixture.metrics);

    private CompletableFuture<IndexSearchResponse> search() {
        return search(new DistributedSearch.Route(List.of(RENDEZVOUS), 1, 1, false));
    }

    private CompletableFuture<IndexSearchResponse> search(DistributedSearch.Route route) {
        IndexSearchRequest request =
                new IndexSearchRequest(GROUP, DiscoveryQuery.any().with("Name", "rain*"), 0, 10, false, TIMEOUT);
        return new DistributedSearch(fixture.context, view, request, List.of(), route)
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

    private static IndexSearchResponse response(byte[]... documents) {
        return new IndexSearchResponse(List.of(documents), List.of(), false, 1);
    }

    private static List<PeerId> peers(int count) {
        return Stream.generate(() -> Identity.generate().peerId()).limit(count).toList();
    }

    @Test
    void page_rendezvousThatDoNotRespond_arePassedOver_andTheNextAreQueriedTogether() {
        List<PeerId> ranked = peers(6);
        CompletableFuture<IndexSearchResponse> page = search(new DistributedSearch.Route(ranked, 3, 1, true));
        PendingQuery first = fixture.onlyQuery();
        assertThat(first.to()).isEqualTo(ranked.get(0));
        first.fail(ErrorCode.TIMEOUT);
        List<PendingQuery> next = List.copyOf(fixture.queries);
        fixture.queries.clear();
        assertThat(next).extracting(PendingQuery::to).isEqualTo(ranked.subList(1, 4));
        byte[] document = fixture.publisher.signPipe("rain").toByteArray();
        next.get(0).fail(ErrorCode.NO_SUCH_SERVICE);
        next.get(1).fail(ErrorCode.UNREACHABLE);
        next.get(2).respond(response(document).write());
        assertThat(page).isCompleted();
        assertThat(page.join().documents()).containsExactly(document);
        assertThat(fixture.queries).isEmpty();
    }

    @Test
    void page_afterAsManyResponsesAsNeeded_ends() {
        List<PeerId> ranked = peers(6);
        CompletableFuture<IndexSearchResponse> page = search(new DistributedSearch.Route(ranked, 2, 1, true));
        fixture.onlyQuery().respond(response().write());
        fixture.onlyQuery().fail(ErrorCode.TIMEOUT);
        PendingQuery third = fixture.onlyQuery();
        assertThat(third.to()).isEqualTo(ranked.get(2));
        third.respond(response().write());
        assertThat(page).isCompleted();
        assertThat(page.join().documents()).isEmpty();
        assertThat(fixture.queries).isEmpty();
    }

    @Test
    void page_ofRendezvousThatAllFail_ends() {
        CompletableFuture<IndexSearchResponse> page = search(new DistributedSearch.Route(peers(6), 3, 1, true));
        int queries = 0;
        while (!fixture.queries.isEmpty()) {
            fixture.queries.remove().fail(ErrorCode.UNREACHABLE);
            queries++;
        }
        assertThat(page).isCompleted();
        assertThat(queries).isEqualTo(6);
    }

    @Test
    void rendezvousThatFails_isFailingInTheView_untilItResponds() {
        PeerId rendezvous = peers(1).get(0);
        view.offer(new PeerViewEntry(PeerAddress.of(rendezvous), 1, new byte[0]), "host");
        DistributedSearch.Route route = new DistributedSearch.Route(List.of(rendezvous), 1, 1, true);
        CompletableFuture<IndexSearchResponse> failed = search(route);
        fixture.onlyQuery().fail(ErrorCode.TIMEOUT);
        assertThat(failed).isCompleted();
        assertThat(view.isFailing(rendezvous)).isTrue();
        CompletableFuture<IndexSearchResponse> served = search(route);
        fixture.onlyQuery().respond(response().write());
        assertThat(served).isCompleted();
        assertThat(view.isFailing(rendezvous)).isFalse();
    }
}
