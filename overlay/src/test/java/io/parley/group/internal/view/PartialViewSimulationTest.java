package io.parley.group.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.group.MemberViewLimits;
import io.parley.group.internal.view.ViewMessage.Kind;
import io.parley.id.PeerId;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.TestSeed;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;

/**
 * 200 members in manual time. The links keep the order of their messages, which take random times. The seed determines the times, the
 * failures and all choices of the members.
 */
@Tag("extended")
class PartialViewSimulationTest {

    private static final int MEMBERS = 200;
    private static final MemberViewLimits LIMITS = MemberViewLimits.DEFAULTS;
    private static final int SEEDS = 5;

    /** The rounds in which each member searches for members it does not know. */
    private static final int SEARCH_ROUNDS = (int)
            (MemberSearch.INTERVAL.toMillis() * 3 / 2 / LIMITS.roundInterval().toMillis());

    private static final int MAX_DELAY_MILLIS = 100;
    private static final int MAX_DETECTION_MILLIS = 3000;
    private static final int MANY_NEIGHBORS = LIMITS.maxNeighbors() - 1;

    /** One run of a member. After a restart another object has the same peer id. */
    private final class Member implements ViewLinks {

        private final PeerId peer;
        private final PartialView view;
        private final Set<PeerId> reported = new HashSet<>();
        private final Map<PeerId, Long> lastArrivalNanos = new HashMap<>();
        private boolean alive = true;

        private Member(PeerId peer) {
            this.peer = peer;
            this.view = new PartialView(
                    peer,
                    () -> UnsignedMemberEntries.entry(peer, scheduler.clock().millis()),
                    LIMITS,
                    scheduler,
                    this);
        }

        private void start() {
            running.put(peer, this);
            scheduleRound();
            scheduleSearch();
        }

        /** As {@link MemberSearch} of a member with neighbors. */
        private void scheduleSearch() {
            long millis = MemberSearch.INTERVAL.toMillis();
            later(Duration.ofMillis(millis / 2 + random.nextInt((int) millis)), () -> {
                if (searching && !paused) {
                    List<PeerId> found = new ArrayList<>(running.keySet());
                    Collections.shuffle(found, random);
                    view.onFound(found.subList(0, Math.min(MemberSearch.MAX_RESULTS, found.size())));
                }
                scheduleSearch();
            });
        }

        private void scheduleRound() {
            long millis = LIMITS.roundInterval().toMillis();
            later(Duration.ofMillis(millis * 9 / 10 + random.nextInt((int) millis / 5)), () -> {
                if (!paused) {
                    view.runRound();
                }
                scheduleRound();
            });
        }

        /** Runs a task if the member is alive then. */
        private void later(Duration delay, Runnable task) {
            scheduler.schedule(delay, () -> {
                if (alive) {
                    task.run();
                }
            });
        }

        @Override
        public void send(PeerAddress member, ViewMessage message) {
            messages++;
            boolean isDisconnect = message.kind() == Kind.DISCONNECT;
            if (isDisconnect && random.nextDouble() < lossShare) {
                return;
            }
            deliver(member.peer(), message);
            if (isDisconnect && random.nextDouble() < lossShare) {
                deliver(member.peer(), message);
            }
        }

        private void deliver(PeerId to, ViewMessage message) {
            long now = scheduler.nanoTime();
            long arrival = now
                    + Duration.ofMillis(1 + random.nextInt(MAX_DELAY_MILLIS)).toNanos();
            long last = lastArrivalNanos.getOrDefault(to, arrival);
            long inOrder = last - arrival > 0 ? last : arrival;
            lastArrivalNanos.put(to, inOrder);
            scheduler.schedule(Duration.ofNanos(inOrder - now), () -> {
                Member receiver = running.get(to);
                if (receiver != null) {
                    receiver.view.onMessage(peer, "host of " + peer, message);
                } else if (message.kind() != Kind.DISCONNECT && message.kind() != Kind.REFUSE) {
                    later(detection(), () -> view.onFailed(to));
                }
            });
        }

        @Override
        public void onNeighborUp(PeerId neighbor) {
            assertThat(reported.add(neighbor)).isTrue();
        }

        @Override
        public void onNeighborDown(PeerId neighbor) {
            assertThat(reported.remove(neighbor)).isTrue();
        }

        /** The connections of a crashed member end. */
        private void crash() {
            alive = false;
            running.remove(peer);
            for (Member other : running.values()) {
                if (other.view.isLinked(peer)) {
                    other.later(detection(), () -> other.view.check(peer));
                }
            }
        }
    }

    private final Random random = TestSeed.random("the partial view simulation");
    private final ManualScheduler scheduler =
            new ManualScheduler(new ManualClock(Instant.parse("2026-01-01T00:00:00Z")), random);
    private final Map<PeerId, Member> running = new HashMap<>();
    private double lossShare;
    private boolean paused;
    private boolean searching;
    private int messages;

    private Duration detection() {
        return Duration.ofMillis(random.nextInt(MAX_DETECTION_MILLIS));
    }

    private Member start(PeerId peer) {
        Member member = new Member(peer);
        member.start();
        return member;
    }

    /** Starts members, each of which joins at a random earlier one. */
    private List<Member> join(int from, int count) {
        List<Member> members = new ArrayList<>();
        for (int i = from; i < from + count; i++) {
            Member member = start(UnsignedGroupMessages.peer(i));
            if (!members.isEmpty()) {
                member.view.onFound(Set.of(random(members).peer));
            }
            members.add(member);
            scheduler.advance(Duration.ofMillis(random.nextInt(500)));
        }
        return members;
    }

    private Member random(List<Member> members) {
        return members.get(random.nextInt(members.size()));
    }

    private void runRounds(int count) {
        scheduler.advance(LIMITS.roundInterval().multipliedBy(count));
    }

    /** Runs rounds, and then waits until no message is on the way. */
    private void settle(int rounds) {
        runRounds(rounds);
        paused = true;
        runRounds(2);
        paused = false;
    }

    private Set<PeerId> component(Member start) {
        Set<PeerId> seen = new HashSet<>(Set.of(start.peer));
        Deque<Member> open = new ArrayDeque<>(List.of(start));
        while (!open.isEmpty()) {
            for (PeerId neighbor : open.remove().view.neighbors()) {
                if (seen.add(neighbor)) {
                    open.add(running.get(neighbor));
                }
            }
        }
        return seen;
    }

    /** The links connect all members, and each is known at both of its ends. */
    private void assertOneSymmetricGraph() {
        running.values().forEach(this::assertSymmetric);
        assertThat(component(running.values().iterator().next())).isEqualTo(running.keySet());
        long full = running.values().stream()
                .filter(member -> member.view.neighbors().size() >= MANY_NEIGHBORS)
                .count();
        assertThat(full).as("members with many neighbors").isGreaterThanOrEqualTo(running.size() * 9L / 10);
    }

    private void assertSymmetric(Member member) {
        Set<PeerId> neighbors = member.view.neighbors();
        assertThat(neighbors)
                .hasSizeLessThanOrEqualTo(LIMITS.maxNeighbors())
                .doesNotContain(member.peer)
                .isEqualTo(member.reported);
        assertThat(neighbors)
                .as("neighbors of %s", member.peer.shortText())
                .allMatch(neighbor -> running.containsKey(neighbor)
                        && running.get(neighbor).view.isNeighbor(member.peer));
    }

    @RepeatedTest(SEEDS)
    void joins_makeOneSymmetricGraph_whoseMembersKnowMany() {
        List<Member> members = join(0, MEMBERS);
        settle(10);
        assertOneSymmetricGraph();
        assertThat(members)
                .allSatisfy(member -> assertThat(member.view.members())
                        .doesNotContain(member.peer)
                        .hasSizeBetween(LIMITS.maxKnownMembers(), LIMITS.maxKnownMembers() + LIMITS.maxNeighbors()));
        messages = 0;
        runRounds(10);
        // A round takes a message to each neighbor and one response; some members still look for a fifth neighbor.
        assertThat(messages).isLessThan(MEMBERS * 10 * (LIMITS.maxNeighbors() + 1 + 4));
    }

    @RepeatedTest(SEEDS)
    void survivors_areOneSymmetricGraphAgain_afterHalfOfTheMembersHaveCrashed() {
        List<Member> members = new ArrayList<>(join(0, MEMBERS));
        settle(10);
        Collections.shuffle(members, random);
        members.subList(0, MEMBERS / 2).forEach(Member::crash);
        searching = true;
        settle(SEARCH_ROUNDS); // the survivors may be in two parts until some have searched
        assertThat(running).hasSize(MEMBERS / 2);
        assertOneSymmetricGraph();
    }

    @RepeatedTest(SEEDS)
    void separatedGroups_becomeOne_ifAMemberFindsAnotherOne() {
        List<Member> some = join(0, 50);
        List<Member> others = join(50, 50);
        settle(10);
        assertThat(component(some.get(0))).hasSize(50);
        random(some).view.onFound(List.of(random(others).peer));
        settle(10);
        assertOneSymmetricGraph();
    }

    @RepeatedTest(SEEDS)
    void restartedMembers_areLinkedAgain() {
        List<Member> members = new ArrayList<>(join(0, MEMBERS));
        settle(10);
        Collections.shuffle(members, random);
        for (Member member : members.subList(0, MEMBERS / 10)) {
            member.crash();
            start(member.peer).view.onFound(Set.of(random(members.subList(MEMBERS / 10, MEMBERS)).peer));
        }
        settle(10);
        assertThat(running).hasSize(MEMBERS);
        assertOneSymmetricGraph();
    }

    @RepeatedTest(SEEDS)
    void restartedMembers_whoseLostConnectionsAreNotNoticed_areLinkedAgain() {
        List<Member> members = new ArrayList<>(join(0, MEMBERS));
        settle(10);
        for (Member member : members.subList(0, MEMBERS / 10)) {
            member.alive = false;
            start(member.peer).view.onFound(Set.of(random(members.subList(MEMBERS / 10, MEMBERS)).peer));
        }
        settle(10);
        assertOneSymmetricGraph();
    }

    @RepeatedTest(SEEDS)
    void leftMembers_areReplaced() {
        List<Member> members = new ArrayList<>(join(0, MEMBERS));
        settle(10);
        Collections.shuffle(members, random);
        for (Member member : members.subList(0, MEMBERS / 2)) {
            member.view.leave();
            member.alive = false;
            running.remove(member.peer);
        }
        settle(10);
        assertOneSymmetricGraph();
    }

    @RepeatedTest(SEEDS)
    void lostAndRepeatedDisconnects_leaveNoAsymmetricLinkForTwoRounds() {
        lossShare = 0.5;
        join(0, MEMBERS);
        runRounds(10);
        lossShare = 0;
        settle(3); // two full rounds of each member
        running.values().forEach(this::assertSymmetric);
        settle(5);
        assertOneSymmetricGraph();
    }
}
