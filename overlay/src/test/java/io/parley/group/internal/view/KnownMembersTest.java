package io.parley.group.internal.view;

import static io.parley.group.internal.view.UnsignedGroupMessages.peer;
import static io.parley.group.internal.view.UnsignedMemberEntries.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.parley.id.PeerId;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KnownMembersTest {

    private static final int CAPACITY = 10;

    private final KnownMembers known = new KnownMembers(CAPACITY, new Random(1));

    private void add(int from, int count, String host) {
        IntStream.range(from, from + count).forEach(i -> known.add(entry(peer(i), 1000), host));
    }

    private List<PeerId> sampled(int count) {
        return known.sample(count).stream().map(MemberEntry::peer).toList();
    }

    @Test
    void newerEntry_replacesTheEarlierOne_andALaterArrivalOfTheEarlierOneDoesNot() {
        known.add(entry(peer(1), 2000), "a");
        known.add(entry(peer(1), 1000), "a");
        assertThat(known.sample(5))
                .singleElement()
                .satisfies(each -> assertThat(each.issuedMillis()).isEqualTo(2000));
        known.add(entry(peer(1), 3000), "a");
        assertThat(known.sample(5))
                .singleElement()
                .satisfies(each -> assertThat(each.issuedMillis()).isEqualTo(3000));
    }

    @Test
    void fullView_replacesMembersOfTheSameHost() {
        add(0, CAPACITY, "a");
        add(100, CAPACITY, "a");
        assertThat(known.ids()).hasSize(CAPACITY);
        assertThat(known.ids().stream().filter(id -> id.compareTo(peer(100)) >= 0))
                .isNotEmpty();
    }

    @Test
    void hostThatBringsMany_cannotReplaceWhatOthersHaveBrought() {
        add(0, 5, "honest");
        add(100, 1000, "attacker");
        assertThat(known.ids()).hasSize(CAPACITY).contains(peer(0), peer(1), peer(2), peer(3), peer(4));
    }

    @Test
    void hostThatHasBroughtAll_losesTheShareOfAnother() {
        add(100, 1000, "attacker");
        add(0, 5, "honest");
        assertThat(known.ids()).hasSize(CAPACITY).contains(peer(0), peer(1), peer(2), peer(3), peer(4));
    }

    @Test
    void anotherHost_doesNotTakeOverAMember_byANewerEntry() {
        add(0, 5, "honest");
        known.add(entry(peer(0), 9000), "attacker");
        add(100, 1000, "attacker");
        assertThat(known.ids()).contains(peer(0), peer(1), peer(2), peer(3), peer(4));
    }

    @Test
    void expiredMembers_areRemoved() {
        known.add(entry(peer(1), 1000, Duration.ofMillis(10)), "a");
        known.add(entry(peer(2), 1000, Duration.ofMillis(11)), "a");
        known.removeExpired(1010);
        assertThat(known.ids()).containsExactly(peer(2));
        assertThat(known.contains(peer(1))).isFalse();
    }

    @Test
    void random_returnsEachMemberThatPasses_andNoOther() {
        add(0, 6, "a");
        for (int i = 0; i < 100; i++) {
            assertThat(known.random(peer -> !peer.equals(peer(3))))
                    .hasValueSatisfying(each -> assertThat(each.peer()).isNotEqualTo(peer(3)));
        }
        assertThat(IntStream.range(0, 200)
                        .mapToObj(i -> known.random(peer -> true).orElseThrow().peer())
                        .distinct())
                .hasSize(6);
        assertThat(known.random(peer -> false)).isEmpty();
        known.remove(peer(3));
        assertThat(known.ids()).hasSize(5);
    }

    @Test
    void sample_hasDistinctMembers_atMostAsManyAsThereAre() {
        add(0, 6, "a");
        assertThat(sampled(4)).hasSize(4).doesNotHaveDuplicates();
        assertThat(sampled(100)).hasSize(6).doesNotHaveDuplicates();
        assertThat(sampled(0)).isEmpty();
    }
}
