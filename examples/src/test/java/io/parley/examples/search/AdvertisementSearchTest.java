package io.parley.examples.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
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
    void finding_showsEachOnceAndEndsWhenThereIsEnough() throws Exception {
        Peer alice = network.start("alice");
        PipeId pipe = PipeId.ofName(GroupId.NET, "rain");
        alice.netGroup().discovery().publish(PipeAdvertisement.of(pipe, PipeType.UNICAST, "rain\u202e[2J"));
        Peer bob = network.start("bob");
        List<SearchResult> found = new CopyOnWriteArrayList<>();

        int count = new AdvertisementSearch(
                        bob, bob.netGroup(), AdvertisementKinds.query("pipes", "Name", "ra*"), 1, found::add)
                .everywhere(Duration.ofSeconds(30));

        assertThat(count).isEqualTo(1);
        assertThat(found).containsExactly(new SearchResult("pipe", "rain [2J", pipe.text(), alice.id(), List.of()));
        assertThat(found.get(0))
                .hasToString("pipe rain [2J  " + pipe.text() + "  of peer "
                        + alice.id().text());
    }

    @Test
    void finding_ofPeers_tellsWhereTheyAreAndLeavesOutItself() throws Exception {
        Peer alice = network.start("alice");
        Peer bob = network.start("bob");
        List<SearchResult> found = new CopyOnWriteArrayList<>();

        new AdvertisementSearch(bob, bob.netGroup(), AdvertisementKinds.query("peers", "Name", null), 1, found::add)
                .everywhere(Duration.ofSeconds(30));

        assertThat(found)
                .containsExactly(
                        new SearchResult("peer", "alice", alice.id().text(), alice.id(), List.of("mem://alice")));
        assertThat(found.get(0)).hasToString("peer alice  " + alice.id().text() + "  at mem://alice");
    }

    @Test
    void query_takesWordsForTypesAndTypesThemselves() {
        assertThat(AdvertisementKinds.query("groups", "Name", null).type()).isEqualTo("jxta:PGA");
        assertThat(AdvertisementKinds.query("jxta:MCA", "Name", "x").type()).isEqualTo("jxta:MCA");
        assertThat(AdvertisementKinds.query(null, "Name", null).type()).isNull();
    }
}
