package io.parley.rendezvous.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import java.util.ArrayList;
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

    private final List<PeerId> members = members(new Random(4711), 10);

    private static List<PeerId> members(Random random, int count) {
        List<PeerId> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[PeerId.BYTES];
            random.nextBytes(bytes);
            members.add(PeerId.ofBytes(bytes));
        }
        return members;
    }

    private static long item(int number) {
        return ReplicaSelector.item(GROUP, "Name", "station " + number);
    }

    @Test
    void first_overManyItems_isEvenForEachRank() {
        ReplicaSelector selector = new ReplicaSelector(members);
        List<Map<PeerId, Integer>> counts = List.of(new HashMap<>(), new HashMap<>(), new HashMap<>());
        for (int i = 0; i < ITEMS; i++) {
            List<PeerId> ranked = selector.select(REPLICAS, item(i));
            for (int rank = 0; rank < REPLICAS; rank++) {
                counts.get(rank).merge(ranked.get(rank), 1, Integer::sum);
            }
        }
        int share = ITEMS / members.size();
        // Five standard deviations of a binomial distribution; the items are always the same.
        int tolerance = (int) (5 * Math.sqrt(share * (1 - 1.0 / members.size())));
        for (Map<PeerId, Integer> ofRank : counts) {
            assertThat(ofRank).hasSize(members.size());
            assertThat(ofRank.values())
                    .allSatisfy(count -> assertThat(count).isBetween(share - tolerance, share + tolerance));
        }
    }

    @Test
    void first_namesEachMemberOnce() {
        ReplicaSelector selector = new ReplicaSelector(members);
        for (int i = 0; i < 1000; i++) {
            assertThat(selector.select(members.size(), item(i))).containsExactlyInAnyOrderElementsOf(members);
        }
    }

    @Test
    void first_ofAllInAnyOrder_isTheSame() {
        List<PeerId> others = new ArrayList<>(members);
        java.util.Collections.reverse(others);
        assertThat(new ReplicaSelector(others).select(REPLICAS, item(7)))
                .isEqualTo(new ReplicaSelector(members).select(REPLICAS, item(7)));
    }

    @Test
    void first_isTheBeginningOfAll() {
        ReplicaSelector selector = new ReplicaSelector(members);
        for (int i = 0; i < 1000; i++) {
            assertThat(selector.select(REPLICAS, item(i)))
                    .isEqualTo(selector.select(members.size(), item(i)).subList(0, REPLICAS));
        }
    }

    @Test
    void first_afterOneHasLeft_movesOnlyWhatWasItsOwn() {
        PeerId gone = members.get(3);
        List<PeerId> left = new ArrayList<>(members);
        left.remove(gone);
        ReplicaSelector before = new ReplicaSelector(members);
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
    void first_withFewMembers_namesThemAll() {
        ReplicaSelector selector = new ReplicaSelector(members.subList(0, 2));
        assertThat(selector.select(REPLICAS, item(1))).containsExactlyInAnyOrderElementsOf(members.subList(0, 2));
    }

    @Test
    void item_differsWithGroupNameAndValue_andWithWhereOneEnds() {
        assertThat(new HashSet<>(List.of(
                        ReplicaSelector.item(GROUP, "Name", "a"),
                        ReplicaSelector.item(GROUP, "Name", "b"),
                        ReplicaSelector.item(GROUP, "Desc", "a"),
                        ReplicaSelector.item(GROUP, "Nam", "ea"),
                        ReplicaSelector.item(GroupId.NET, "Name", "a"))))
                .hasSize(5);
    }
}
