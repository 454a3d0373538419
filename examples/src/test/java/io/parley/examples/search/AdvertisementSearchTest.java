package io.parley.examples.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.examples.MemoryNet;
import io.parley.id.GroupId;
import io.parley.id.PipeId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AdvertisementSearchTest {

    private final MemoryNet network = new MemoryNet();

    @AfterEach
    void close() {
        network.close();
    }

    @Test
    void search_reportsEachResultOnceAndEndsAtTheLimit() throws Exception {
        Peer alice = network.start("alice");
        PipeId pipe = PipeId.ofName(GroupId.NET, "rain");
        alice.netGroup().discovery().publish(PipeAdvertisement.of(pipe, PipeType.UNICAST, "rain\u202e[2J"));
        Peer bob = network.start("bob");
        List<SearchResult> found = new CopyOnWriteArrayList<>();

        int count = new AdvertisementSearch(
                        bob, bob.netGroup(), AdvertisementKinds.query("pipes", "Name", "ra*"), 1, found::add)
                .searchAll(Duration.ofSeconds(30));

        assertThat(count).isEqualTo(1);
        SearchResult result = found.get(0);
        assertThat(found).hasSize(1);
        assertThat(result.kind()).isEqualTo("pipe");
        assertThat(result.publisher()).isEqualTo(alice.id());
        assertThat(result.addresses()).isEmpty();
        assertThat(result.toString())
                .matches("pipe rain \\[2J  " + pipe.text() + "  of (alice \\()?"
                        + alice.id().shortText() + "\\)?  published \\d+ s ago");
    }

    @Test
    void searchOfPeers_containsAddressesAndOmitsItself() throws Exception {
        Peer alice = network.start("alice");
        Peer bob = network.start("bob");
        List<SearchResult> found = new CopyOnWriteArrayList<>();

        new AdvertisementSearch(bob, bob.netGroup(), AdvertisementKinds.query("peers", "Name", null), 1, found::add)
                .searchAll(Duration.ofSeconds(30));

        assertThat(found).hasSize(1);
        assertThat(found.get(0).isPeer()).isTrue();
        assertThat(found.get(0).publisherName())
                .isEqualTo("alice (" + alice.id().shortText() + ")");
        assertThat(found.get(0).toString())
                .matches("peer alice  " + alice.id().text() + "  at mem://alice  published \\d+ s ago");
    }

    @Test
    void resultOfAPeerThatHasFailed_statesItsAge() throws Exception {
        Peer alice = network.start("alice");
        SignedAdvertisement signed = alice.netGroup()
                .discovery()
                .publish(PipeAdvertisement.of(PipeId.ofName(GroupId.NET, "rain"), PipeType.UNICAST, "rain"))
                .signedAdvertisement();

        SearchResult old = SearchResult.of(
                signed, new PeerNames(alice.netGroup()), signed.issuedAt().plus(Duration.ofHours(3)));
        SearchResult future = SearchResult.of(
                signed, new PeerNames(alice.netGroup()), signed.issuedAt().minus(Duration.ofHours(3)));

        assertThat(old.toString()).endsWith("published 3 h ago");
        assertThat(old.toJson().toString()).endsWith(",\"age_s\":10800}");
        assertThat(future.age()).as("with a clock that is ahead").isZero();
    }

    @Test
    void groupOfSeveralPeers_isOneResult() throws Exception {
        network.start("alice").group("tea").join();
        network.start("carol").group("tea").join();
        Peer bob = network.start("bob");
        DiscoveryQuery groups = AdvertisementKinds.query("groups", "Name", "tea");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> bob.netGroup()
                                .discovery()
                                .find(groups, SearchOptions.of(Duration.ofSeconds(2), 2))
                                .join()
                                .size()
                        == 2);
        List<SearchResult> found;
        int count;
        do { // on a loaded machine the time of a search can be over before its first result
            List<SearchResult> results = new CopyOnWriteArrayList<>();
            count = new AdvertisementSearch(bob, bob.netGroup(), groups, 10, results::add)
                    .searchAll(Duration.ofMillis(500));
            found = results;
        } while (count == 0);

        assertThat(count).isEqualTo(1);
        assertThat(found).hasSize(1);
    }

    @Test
    void query_acceptsKindsAndTypes() {
        assertThat(AdvertisementKinds.query("groups", "Name", null).type()).isEqualTo("jxta:PGA");
        assertThat(AdvertisementKinds.query("jxta:MCA", "Name", "x").type()).isEqualTo("jxta:MCA");
        assertThat(AdvertisementKinds.query(null, "Name", null).type()).isNull();
        assertThat(AdvertisementKinds.query("all", "Name", null).type()).isNull();
    }
}
