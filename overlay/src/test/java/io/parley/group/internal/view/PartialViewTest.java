package io.parley.group.internal.view;

import static io.parley.group.internal.view.UnsignedGroupMessages.peer;
import static io.parley.group.internal.view.UnsignedMemberEntries.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.MemberViewLimits;
import io.parley.group.internal.view.ViewMessage.Kind;
import io.parley.id.PeerId;
import io.parley.testkit.ManualScheduler;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** One view, whose messages the test reads and writes. Peer 0 is this one; a host is named by a letter. */
class PartialViewTest {

    private static final PeerId SELF = peer(0);
    private static final int MAX_NEIGHBORS = 5;
    private static final int MAX_KNOWN = 10;

    private record Sent(PeerId to, Kind kind, int hops, List<PeerId> entries) {}

    private final ManualScheduler scheduler = new ManualScheduler();
    private final List<Sent> sent = new ArrayList<>();
    private final List<String> changes = new ArrayList<>();
    private final PartialView view = new PartialView(
            SELF,
            () -> current(SELF),
            new MemberViewLimits(MAX_NEIGHBORS, MAX_KNOWN, Duration.ofSeconds(10), 1000, 1000),
            scheduler,
            new ViewLinks() {
                @Override
                public void send(PeerAddress member, ViewMessage message) {
                    sent.add(new Sent(
                            member.peer(),
                            message.kind(),
                            message.hops(),
                            message.entries().stream().map(MemberEntry::peer).toList()));
                }

                @Override
                public void onNeighborUp(PeerId neighbor) {
                    changes.add("+" + neighbor.shortText());
                }

                @Override
                public void onNeighborDown(PeerId neighbor) {
                    changes.add("-" + neighbor.shortText());
                }
            });

    private MemberEntry current(PeerId peer) {
        return entry(peer, scheduler.clock().millis());
    }

    private List<Sent> takeSent() {
        List<Sent> taken = List.copyOf(sent);
        sent.clear();
        return taken;
    }

    private static Sent bare(int to, Kind kind) {
        return new Sent(peer(to), kind, 0, List.of());
    }

    private static Sent withOwnEntry(int to, Kind kind) {
        return new Sent(peer(to), kind, 0, List.of(SELF));
    }

    private static Sent forwarded(int to, int member, int hops) {
        return new Sent(peer(to), Kind.FORWARD_JOIN, hops, List.of(peer(member)));
    }

    private void receive(int from, String host, Kind kind) {
        ViewMessage message = kind.minEntries() == 0 ? ViewMessage.of(kind) : ViewMessage.of(kind, current(peer(from)));
        view.onMessage(peer(from), host, message);
    }

    private void receiveForwardedJoin(int from, int member, int hops) {
        view.onMessage(peer(from), "a", new ViewMessage(Kind.FORWARD_JOIN, hops, List.of(current(peer(member)))));
    }

    private void receiveShuffle(int from, String host, MemberEntry... entries) {
        view.onMessage(peer(from), host, new ViewMessage(Kind.SHUFFLE_RESPONSE, 0, List.of(entries)));
    }

    /** Makes neighbors from other hosts. */
    private void addNeighbors(int from, int count) {
        for (int i = from; i < from + count; i++) {
            receive(i, "host " + i, Kind.URGENT_NEIGHBOR);
        }
        takeSent();
    }

    private static Set<PeerId> peers(int... numbers) {
        Set<PeerId> peers = new HashSet<>();
        for (int number : numbers) {
            peers.add(peer(number));
        }
        return peers;
    }

    // ---- join

    @Test
    void memberWithoutNeighbors_joinsAtThreeOfTheFoundOnes() {
        view.onFound(peers(0, 1, 2, 3, 4, 5));
        List<Sent> joins = takeSent();
        assertThat(joins)
                .hasSize(3)
                .allMatch(each -> each.kind() == Kind.JOIN && !each.to().equals(SELF));
        assertThat(joins).extracting(Sent::to).doesNotHaveDuplicates();
        assertThat(view.neighbors()).isEmpty();
    }

    @Test
    void memberWithNeighbors_asksOneUnknownMemberThatWasFound() {
        addNeighbors(1, 2);
        receiveShuffle(1, "a", current(peer(3)));
        takeSent();
        view.onFound(peers(1, 2, 3, 4, 5));
        assertThat(takeSent()).singleElement().satisfies(each -> {
            assertThat(each.kind()).isEqualTo(Kind.URGENT_NEIGHBOR);
            assertThat(each.to()).isIn(peer(4), peer(5));
        });
        view.onFound(peers(1, 2, 3));
        assertThat(takeSent()).isEmpty();
    }

    @Test
    void memberThatHasLostItsNeighbors_asksKnownMembers_ifNoOtherIsFound() {
        addNeighbors(1, 1);
        receive(1, "a", Kind.DISCONNECT);
        assertThat(takeSent()).isEmpty();
        view.runRound();
        receive(1, "a", Kind.REFUSE);
        takeSent();
        view.onFound(peers(1));
        assertThat(takeSent()).isEmpty(); // it has refused in this round
        view.onFound(peers(1, 2));
        assertThat(takeSent()).containsExactly(withOwnEntry(2, Kind.JOIN));
    }

    @Test
    void join_isAccepted_andForwardedToAllOtherNeighbors() {
        addNeighbors(1, 3);
        receive(4, "a", Kind.JOIN);
        assertThat(takeSent())
                .containsExactlyInAnyOrder(
                        withOwnEntry(4, Kind.ACCEPT),
                        forwarded(1, 4, PartialView.JOIN_HOPS),
                        forwarded(2, 4, PartialView.JOIN_HOPS),
                        forwarded(3, 4, PartialView.JOIN_HOPS));
        assertThat(view.neighbors()).isEqualTo(peers(1, 2, 3, 4));
        receive(4, "a", Kind.JOIN);
        assertThat(takeSent()).containsExactly(withOwnEntry(4, Kind.ACCEPT)); // known to the others already
        assertThat(changes).doesNotHaveDuplicates();
    }

    @Test
    void joins_beyondTheLimitOfARound_areAcceptedButNotForwarded() {
        addNeighbors(1, 1);
        for (int i = 0; i < PartialView.FORWARDED_JOINS_PER_ROUND + 10; i++) {
            receive(100 + i, "a", Kind.JOIN);
            receive(100 + i, "a", Kind.DISCONNECT);
        }
        List<Sent> all = takeSent();
        assertThat(all)
                .filteredOn(each -> each.kind() == Kind.ACCEPT)
                .hasSize(PartialView.FORWARDED_JOINS_PER_ROUND + 10);
        assertThat(all)
                .filteredOn(each -> each.kind() == Kind.FORWARD_JOIN)
                .hasSize(PartialView.FORWARDED_JOINS_PER_ROUND);
        view.runRound();
        takeSent();
        receive(99, "a", Kind.JOIN);
        assertThat(takeSent()).anyMatch(each -> each.kind() == Kind.FORWARD_JOIN);
    }

    @Test
    void forwardedJoin_goesToOneOtherNeighbor_withOneHopLess() {
        addNeighbors(1, 3);
        receiveForwardedJoin(1, 9, PartialView.JOIN_HOPS);
        assertThat(takeSent()).singleElement().satisfies(each -> {
            assertThat(each)
                    .isIn(forwarded(2, 9, PartialView.JOIN_HOPS - 1), forwarded(3, 9, PartialView.JOIN_HOPS - 1));
        });
        receiveForwardedJoin(1, 8, 255);
        assertThat(takeSent())
                .singleElement()
                .satisfies(each -> assertThat(each.hops()).isEqualTo(PartialView.JOIN_HOPS - 1));
        assertThat(view.members()).isEqualTo(peers(1, 2, 3));
    }

    @Test
    void forwardedJoin_isNotedOnTheWay() {
        addNeighbors(1, 2);
        receiveForwardedJoin(1, 9, PartialView.KNOWN_HOPS);
        assertThat(takeSent()).containsExactly(forwarded(2, 9, PartialView.KNOWN_HOPS - 1));
        assertThat(view.members()).isEqualTo(peers(1, 2, 9));
    }

    @Test
    void forwardedJoin_endsWithARequest() {
        addNeighbors(1, 2);
        receiveForwardedJoin(1, 9, 1);
        assertThat(takeSent()).containsExactly(withOwnEntry(9, Kind.NEIGHBOR));
        receiveForwardedJoin(1, 9, 1); // is asked already
        receiveForwardedJoin(1, 2, 1); // is a neighbor
        receiveForwardedJoin(1, 0, 1); // is this peer
        assertThat(takeSent()).isEmpty();
    }

    @Test
    void forwardedJoin_endsEarly_ifThereIsNoOtherNeighbor() {
        addNeighbors(1, 1);
        receiveForwardedJoin(1, 9, PartialView.JOIN_HOPS);
        assertThat(takeSent()).containsExactly(withOwnEntry(9, Kind.NEIGHBOR));
    }

    @Test
    void forwardedJoins_doNotMakeMoreRequestsThanThereArePlaces() {
        addNeighbors(1, 1);
        for (int i = 0; i < 100; i++) {
            receiveForwardedJoin(1, 100 + i, 1);
        }
        assertThat(takeSent()).hasSize(MAX_NEIGHBORS).allMatch(each -> each.kind() == Kind.NEIGHBOR);
        assertThat(view.members()).hasSize(1 + MAX_KNOWN);
    }

    // ---- requests

    @Test
    void request_isAcceptedIfThereIsRoom_otherwiseRefusedUnlessItIsUrgent() {
        receive(1, "a", Kind.NEIGHBOR);
        assertThat(takeSent()).containsExactly(withOwnEntry(1, Kind.ACCEPT));
        addNeighbors(2, 4);
        receive(6, "b", Kind.NEIGHBOR);
        assertThat(takeSent()).containsExactly(bare(6, Kind.REFUSE));
        assertThat(view.neighbors()).isEqualTo(peers(1, 2, 3, 4, 5));
        receive(3, "b", Kind.NEIGHBOR); // is a neighbor and does not know it
        assertThat(takeSent()).containsExactly(withOwnEntry(3, Kind.ACCEPT));
        receive(6, "b", Kind.URGENT_NEIGHBOR);
        assertThat(takeSent())
                .satisfiesExactly(
                        disconnect -> assertThat(disconnect.kind()).isEqualTo(Kind.DISCONNECT),
                        accept -> assertThat(accept).isEqualTo(withOwnEntry(6, Kind.ACCEPT)));
        assertThat(view.neighbors()).hasSize(MAX_NEIGHBORS).contains(peer(6));
        assertThat(view.members()).isEqualTo(peers(1, 2, 3, 4, 5, 6)); // the evicted one is known
    }

    @Test
    void acceptance_makesANeighbor_ofAnAskedMemberOnly() {
        view.onFound(peers(1));
        takeSent();
        receive(1, "a", Kind.ACCEPT);
        assertThat(view.neighbors()).isEqualTo(peers(1));
        receive(2, "a", Kind.ACCEPT);
        assertThat(takeSent()).containsExactly(bare(2, Kind.DISCONNECT));
        assertThat(view.neighbors()).isEqualTo(peers(1));
    }

    @Test
    void refusal_isFollowedByARequestToAnother_andNotRepeatedInTheRound() {
        addNeighbors(1, 1);
        receiveShuffle(1, "a", current(peer(8)), current(peer(9)));
        assertThat(takeSent())
                .containsExactlyInAnyOrder(
                        withOwnEntry(8, Kind.URGENT_NEIGHBOR), withOwnEntry(9, Kind.URGENT_NEIGHBOR));
        receive(8, "b", Kind.REFUSE);
        receive(9, "b", Kind.REFUSE);
        assertThat(takeSent()).isEmpty();
        view.runRound();
        assertThat(takeSent())
                .filteredOn(each -> each.kind() == Kind.URGENT_NEIGHBOR)
                .hasSize(2);
    }

    @Test
    void refusal_thatWasNotAskedFor_hasNoEffect() {
        addNeighbors(1, 5);
        receiveShuffle(1, "a", current(peer(9)));
        receive(9, "b", Kind.REFUSE);
        view.onFailed(peer(2));
        assertThat(takeSent()).containsExactly(withOwnEntry(9, Kind.NEIGHBOR));
    }

    @Test
    void fullMember_asksNoMore_andOneWithRoomTwoInARound() {
        addNeighbors(1, 3);
        receiveShuffle(1, "a", current(peer(6)), current(peer(7)), current(peer(8)), current(peer(9)));
        assertThat(takeSent()).hasSize(2);
        receive(6, "b", Kind.REFUSE);
        receive(7, "b", Kind.REFUSE);
        receive(8, "b", Kind.REFUSE);
        receive(9, "b", Kind.REFUSE);
        assertThat(takeSent()).isEmpty();
        addNeighbors(4, 2);
        view.runRound();
        assertThat(takeSent()).noneMatch(each -> each.kind() == Kind.NEIGHBOR);
    }

    @Test
    void memberWithOneNeighbor_asksUrgently_allThatItKnows() {
        addNeighbors(1, 1);
        receiveShuffle(1, "a", current(peer(6)), current(peer(7)), current(peer(8)), current(peer(9)));
        assertThat(takeSent()).hasSize(4).allMatch(each -> each.kind() == Kind.URGENT_NEIGHBOR);
    }

    @Test
    void requestWithoutResponse_timesOut_andItsMemberIsNotKnownAnyMore() {
        addNeighbors(1, 1);
        receiveShuffle(1, "a", current(peer(6)));
        takeSent();
        scheduler.advance(PartialView.REQUEST_TIMEOUT.minusMillis(1));
        view.runRound();
        assertThat(view.isLinked(peer(6))).isTrue();
        scheduler.advance(Duration.ofMillis(1));
        view.runRound();
        assertThat(view.isLinked(peer(6))).isFalse();
        assertThat(view.members()).isEqualTo(peers(1));
        takeSent();
        receive(6, "b", Kind.ACCEPT); // late
        assertThat(takeSent()).containsExactly(bare(6, Kind.DISCONNECT));
        assertThat(view.neighbors()).isEqualTo(peers(1));
    }

    @Test
    void entryOfAnotherPeerThanTheSender_isMalformed() {
        view.onFound(peers(1, 2));
        takeSent();
        for (Kind kind : List.of(Kind.JOIN, Kind.NEIGHBOR, Kind.URGENT_NEIGHBOR, Kind.ACCEPT)) {
            assertThatThrownBy(() -> view.onMessage(peer(1), "a", ViewMessage.of(kind, current(peer(2)))))
                    .isInstanceOfSatisfying(
                            ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_MESSAGE))
                    .hasMessageContaining("expected: of the sender");
        }
        assertThat(view.neighbors()).isEmpty();
        assertThat(takeSent()).isEmpty();
    }

    // ---- links

    @Test
    void messageForNeighborsOnly_ofAnotherPeer_isRefused() {
        addNeighbors(1, 1);
        for (Kind kind : List.of(Kind.FORWARD_JOIN, Kind.SHUFFLE, Kind.SHUFFLE_RESPONSE, Kind.ALIVE)) {
            receive(2, "a", kind);
            assertThat(takeSent()).containsExactly(bare(2, Kind.DISCONNECT));
        }
        receive(2, "a", Kind.REFUSE);
        receive(2, "a", Kind.DISCONNECT);
        assertThat(takeSent()).isEmpty(); // otherwise two peers would send them to each other without end
        assertThat(view.members()).isEqualTo(peers(1));
    }

    @Test
    void disconnect_endsTheLink_andItsMemberIsNotAskedAtOnce() {
        addNeighbors(1, 1);
        receive(1, "a", Kind.DISCONNECT);
        assertThat(view.neighbors()).isEmpty();
        assertThat(view.members()).isEqualTo(peers(1));
        assertThat(takeSent()).isEmpty();
        view.runRound();
        assertThat(takeSent()).containsExactly(withOwnEntry(1, Kind.URGENT_NEIGHBOR));
    }

    @Test
    void failure_endsTheLink_andAnotherMemberIsAsked() {
        addNeighbors(1, 5);
        receiveShuffle(1, "a", current(peer(9)));
        assertThat(takeSent()).isEmpty();
        view.onFailed(peer(2));
        assertThat(takeSent()).containsExactly(withOwnEntry(9, Kind.NEIGHBOR));
        assertThat(view.members()).isEqualTo(peers(1, 3, 4, 5, 9));
        assertThat(changes).last().isEqualTo("-" + peer(2).shortText());
        view.onFailed(peer(9));
        assertThat(view.members()).isEqualTo(peers(1, 3, 4, 5));
        assertThat(view.isLinked(peer(9))).isFalse();
    }

    @Test
    void check_sendsToANeighborOnly() {
        addNeighbors(1, 1);
        view.check(peer(1));
        view.check(peer(2));
        assertThat(takeSent()).containsExactly(bare(1, Kind.ALIVE));
    }

    @Test
    void leave_disconnectsNeighbors_andMembersThatWereAsked() {
        addNeighbors(1, 1);
        receiveForwardedJoin(1, 9, 1);
        takeSent();
        view.leave();
        assertThat(takeSent()).containsExactlyInAnyOrder(bare(1, Kind.DISCONNECT), bare(9, Kind.DISCONNECT));
        assertThat(view.neighbors()).isEmpty();
        assertThat(view.isLinked(peer(9))).isFalse();
        assertThat(changes).last().isEqualTo("-" + peer(1).shortText());
    }

    // ---- hosts

    @Test
    void hostWithManyIdentities_holdsOnePlace_amongNeighborsOfOtherHosts() {
        addNeighbors(1, 4);
        for (int i = 0; i < 100; i++) {
            receive(100 + i, "attacker", i % 2 == 0 ? Kind.JOIN : Kind.URGENT_NEIGHBOR);
        }
        assertThat(view.neighbors())
                .hasSize(MAX_NEIGHBORS)
                .containsAll(peers(1, 2, 3, 4))
                .contains(peer(199));
    }

    @Test
    void hostWithAllPlaces_losesThemToOtherHosts() {
        for (int i = 0; i < MAX_NEIGHBORS; i++) {
            receive(100 + i, "attacker", Kind.JOIN);
        }
        addNeighbors(1, 4);
        assertThat(view.neighbors()).hasSize(MAX_NEIGHBORS).containsAll(peers(1, 2, 3, 4));
    }

    @Test
    void hostThatComesAndGoes_displacesFewNeighborsOfOtherHosts_inEachRound() {
        addNeighbors(1, MAX_NEIGHBORS);
        for (int round = 1; round <= 2; round++) {
            for (int i = 0; i < 100; i++) {
                receive(100 + i, "attacker", i % 2 == 0 ? Kind.JOIN : Kind.URGENT_NEIGHBOR);
                receive(100 + i, "attacker", Kind.DISCONNECT);
                addNeighbors(1, MAX_NEIGHBORS); // those that were displaced return
            }
            assertThat(changes)
                    .filteredOn(change ->
                            peers(1, 2, 3, 4, 5).stream().anyMatch(honest -> change.equals("-" + honest.shortText())))
                    .hasSize(round * PartialView.MAX_DISPLACED_PER_ROUND);
            assertThat(view.neighbors()).isEqualTo(peers(1, 2, 3, 4, 5));
            receive(99, "attacker", Kind.JOIN);
            assertThat(takeSent()).containsExactly(bare(99, Kind.REFUSE));
            view.runRound();
        }
    }

    @Test
    void memberThatAccepts_isRejected_ifItsHostHasDisplacedTooMany() {
        addNeighbors(1, MAX_NEIGHBORS);
        for (int i = 0; i < PartialView.MAX_DISPLACED_PER_ROUND; i++) {
            receive(100 + i, "attacker", Kind.JOIN);
            receive(100 + i, "attacker", Kind.DISCONNECT);
            addNeighbors(1, MAX_NEIGHBORS);
        }
        receiveForwardedJoin(1, 110, 0);
        takeSent();
        receive(110, "attacker", Kind.ACCEPT);
        assertThat(takeSent()).containsExactly(bare(110, Kind.DISCONNECT));
        assertThat(view.neighbors()).isEqualTo(peers(1, 2, 3, 4, 5));
    }

    // ---- rounds

    @Test
    void round_sendsAShuffleToOneNeighbor_andShowsTheOthersThatThisOneIsAlive() {
        addNeighbors(1, 3);
        view.runRound();
        List<Sent> all = takeSent();
        assertThat(all).extracting(Sent::to).containsExactlyInAnyOrder(peer(1), peer(2), peer(3));
        assertThat(all)
                .filteredOn(each -> each.kind() == Kind.SHUFFLE)
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.entries()).hasSize(4).startsWith(SELF).doesNotHaveDuplicates();
                });
        assertThat(all).filteredOn(each -> each.kind() == Kind.ALIVE).hasSize(2);
    }

    @Test
    void shuffle_isRespondedTo_andItsMembersAreKnown() {
        addNeighbors(1, 5);
        view.onMessage(
                peer(1),
                "a",
                new ViewMessage(
                        Kind.SHUFFLE, 0, List.of(current(peer(1)), current(peer(2)), current(SELF), current(peer(9)))));
        assertThat(takeSent()).singleElement().satisfies(each -> {
            assertThat(each.kind()).isEqualTo(Kind.SHUFFLE_RESPONSE);
            assertThat(each.to()).isEqualTo(peer(1));
            assertThat(each.entries()).startsWith(SELF).doesNotContain(peer(9)).hasSize(4);
        });
        assertThat(view.members()).isEqualTo(peers(1, 2, 3, 4, 5, 9));
        receiveShuffle(1, "a", current(peer(8)));
        assertThat(view.members()).isEqualTo(peers(1, 2, 3, 4, 5, 8, 9));
    }

    @Test
    void sample_hasAtMostTheEntriesOfOneMessage() {
        addNeighbors(1, 5);
        for (int i = 0; i < MAX_KNOWN; i++) {
            receiveShuffle(1, "a", current(peer(100 + i)));
        }
        view.runRound();
        assertThat(takeSent())
                .filteredOn(each -> each.kind() == Kind.SHUFFLE)
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.entries()).hasSize(ViewMessage.MAX_ENTRIES).doesNotHaveDuplicates();
                    assertThat(each.entries().stream().filter(peers(1, 2, 3, 4, 5)::contains))
                            .hasSize(3);
                });
    }

    @Test
    void entriesThatExpireSoon_areNotSent() {
        addNeighbors(1, 5);
        receiveShuffle(1, "a", current(peer(9)));
        scheduler.advance(
                MemberEntryFactory.EXPIRATION.minus(PartialView.MIN_VALIDITY).minusMillis(1));
        view.onMessage(peer(1), "a", ViewMessage.of(Kind.SHUFFLE, current(peer(1))));
        assertThat(takeSent())
                .singleElement()
                .satisfies(each -> assertThat(each.entries()).contains(peer(9)));
        scheduler.advance(Duration.ofMillis(1));
        view.onMessage(peer(1), "a", ViewMessage.of(Kind.SHUFFLE, current(peer(1))));
        // The entry of peer 1 has been renewed by its shuffles.
        assertThat(takeSent())
                .singleElement()
                .satisfies(each -> assertThat(each.entries()).containsExactlyInAnyOrder(SELF, peer(1)));
        assertThat(view.neighbors()).hasSize(MAX_NEIGHBORS);
    }

    @Test
    void memberWithoutNeighbors_doesNotAskMembersWhoseEntriesHaveExpired() {
        addNeighbors(1, 1);
        receive(1, "a", Kind.DISCONNECT);
        assertThat(view.members()).isEqualTo(peers(1));
        scheduler.advance(MemberEntryFactory.EXPIRATION);
        view.runRound();
        assertThat(takeSent()).isEmpty();
        assertThat(view.members()).isEmpty();
    }

    @Test
    void expiredEntries_areForgottenInARound_andNotAdded() {
        addNeighbors(1, 5);
        MemberEntry entry = current(peer(9));
        receiveShuffle(1, "a", entry);
        assertThat(view.members()).contains(peer(9));
        scheduler.advance(MemberEntryFactory.EXPIRATION);
        view.runRound();
        assertThat(view.members()).doesNotContain(peer(9));
        takeSent();
        receiveShuffle(1, "a", entry);
        assertThat(view.members()).doesNotContain(peer(9));
        view.onMessage(peer(1), "a", new ViewMessage(Kind.FORWARD_JOIN, 1, List.of(entry)));
        assertThat(takeSent()).isEmpty();
    }
}
