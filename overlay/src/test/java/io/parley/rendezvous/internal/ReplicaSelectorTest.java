package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReplicaSelectorTest {

    private static final GroupId GROUP = GroupId.ofName("weather");
    private static final int ITEMS = 20_000;
    private static final int REPLICAS = 3;

    private final List<PeerId> peers = peers(new Random(4711), 10);

    private static List<PeerId> peers(Random random, int count) {
        List<PeerId> peers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[PeerId.BYTES];
            random.nextBytes(bytes);
            peers.add(PeerId.ofBytes(bytes));
        }
        return peers;
    }

    private static long item(int number) {
        return ReplicaSelector.item(GROUP, "Name", "station " + number);
    }

    @Test
    void select_overManyItems_isEvenForEachRank() {
        ReplicaSelector selector = new ReplicaSelector(peers);
        List<Map<PeerId, Integer>> counts = List.of(new HashMap<>(), new HashMap<>(), new HashMap<>());
        for (int i = 0; i < ITEMS; i++) {
            List<PeerId> ranked = selector.select(REPLICAS, item(i));
            for (int rank = 0; rank < REPLICAS; rank++) {
                counts.get(rank).merge(ranked.get(rank), 1, Integer::sum);
            }
        }
        int share = ITEMS / peers.size();
        // Five standard deviations of a binomial distribution; the items are constant.
        int tolerance = (int) (5 * Math.sqrt(share * (1 - 1.0 / peers.size())));
        for (Map<PeerId, Integer> ofRank : counts) {
            assertThat(ofRank).hasSize(peers.size());
            assertThat(ofRank.values())
                    .allSatisfy(count -> assertThat(count).isBetween(share - tolerance, share + tolerance));
        }
    }

    @Test
    void select_ofAll_returnsEachOnce() {
        ReplicaSelector selector = new ReplicaSelector(peers);
        for (int i = 0; i < 1000; i++) {
            assertThat(selector.select(peers.size(), item(i))).containsExactlyInAnyOrderElementsOf(peers);
        }
    }

    @Test
    void select_doesNotDependOnTheOrderOfPeers() {
        List<PeerId> others = new ArrayList<>(peers);
        Collections.reverse(others);
        assertThat(new ReplicaSelector(others).select(REPLICAS, item(7)))
                .isEqualTo(new ReplicaSelector(peers).select(REPLICAS, item(7)));
    }

    @Test
    void select_isThePrefixOfALargerSelection() {
        ReplicaSelector selector = new ReplicaSelector(peers);
        for (int i = 0; i < 1000; i++) {
            assertThat(selector.select(REPLICAS, item(i)))
                    .isEqualTo(selector.select(peers.size(), item(i)).subList(0, REPLICAS));
        }
    }

    @Test
    void select_afterOneHasLeft_movesOnlyItsShare() {
        PeerId gone = peers.get(3);
        List<PeerId> left = new ArrayList<>(peers);
        left.remove(gone);
        ReplicaSelector before = new ReplicaSelector(peers);
        ReplicaSelector after = new ReplicaSelector(left);
        int moved = 0;
        for (int i = 0; i < ITEMS; i++) {
            List<PeerId> expected = new ArrayList<>(before.select(REPLICAS + 1, item(i)));
            moved += expected.subList(0, REPLICAS).contains(gone) ? 1 : 0;
            expected.remove(gone);
            assertThat(after.select(REPLICAS, item(i))).isEqualTo(expected.subList(0, REPLICAS));
        }
        assertThat(moved).isBetween(ITEMS / 4, ITEMS * 7 / 20); // three tenths
    }

    @Test
    void select_fromFewPeers_returnsAll() {
        ReplicaSelector selector = new ReplicaSelector(peers.subList(0, 2));
        assertThat(selector.select(REPLICAS, item(1))).containsExactlyInAnyOrderElementsOf(peers.subList(0, 2));
    }

    @Test
    void item_dependsOnGroup_name_value_andTheirBoundary() {
        assertThat(new HashSet<>(List.of(
                        ReplicaSelector.item(GROUP, "Name", "a"),
                        ReplicaSelector.item(GROUP, "Name", "b"),
                        ReplicaSelector.item(GROUP, "Desc", "a"),
                        ReplicaSelector.item(GROUP, "Nam", "ea"),
                        ReplicaSelector.item(GroupId.NET, "Name", "a"))))
                .hasSize(5);
    }
}
