package io.parley.group.internal.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.common.internal.Counters;
import io.parley.group.internal.view.MemberViewCounters.Counter;
import io.parley.group.internal.view.TreeMessage.Gossip;
import io.parley.id.PeerId;
import io.parley.rendezvous.internal.SignedGroupMessage;
import io.parley.testkit.ManualClock;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.TestSeed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * 200 members in a random connected graph, in manual time. The links keep the order of their messages, which take random times. The
 * seed determines the graph, the times and the failures.
 */
@Tag("extended")
class BroadcastTreeSimulationTest {

    private static final int MEMBERS = 200;
    private static final int CHORDS = 300; // with the ring, 5 neighbors on average
    private static final int MAX_DELAY_MILLIS = 30;
    private static final int MAX_DETECTION_MILLIS = 3000;
    private static final Duration SETTLE_TIME = Duration.ofSeconds(20);

    /** One member and its end of each link. */
    private final class Member implements TreeLinks {

        private final PeerId peer;
        private final BroadcastTree tree;
        private final Set<PeerId> neighbors = new LinkedHashSet<>();
        private final Map<PeerId, Long> lastArrivalNanos = new HashMap<>();
        private final List<SignedGroupMessage.Key> received = new ArrayList<>();
        private boolean alive = true;

        private Member(PeerId peer) {
            this.peer = peer;
            this.tree = new BroadcastTree(
                    BroadcastTreeLimits.DEFAULTS,
                    scheduler,
                    task -> {
                        if (alive) {
                            task.run(); // one thread runs all timers
                        }
                    },
                    this,
                    message -> received.add(message.key()),
                    counters::add);
        }

        @Override
        public boolean isWritable(PeerId neighbor) {
            return random.nextDouble() >= unwritableShare;
        }

        @Override
        public void send(PeerId neighbor, TreeMessage message) {
            if (message instanceof Gossip) {
                gossips++;
            }
            long now = scheduler.nanoTime();
            long arrival = now
                    + Duration.ofMillis(1 + random.nextInt(MAX_DELAY_MILLIS)).toNanos();
            long last = lastArrivalNanos.getOrDefault(neighbor, arrival);
            long inOrder = last - arrival > 0 ? last : arrival;
            lastArrivalNanos.put(neighbor, inOrder);
            scheduler.schedule(
                    Duration.ofNanos(inOrder - now), () -> members.get(neighbor).receive(peer, message));
        }

        private void receive(PeerId from, TreeMessage message) {
            if (!alive || !neighbors.contains(from)) {
                return;
            }
            if (message instanceof Gossip gossip
                    && tree.isKnown(gossip.message().key())) {
                tree.onDuplicate(from, gossip.message().key());
            } else {
                tree.onMessage(from, message);
            }
        }
    }

    private final Random random = TestSeed.random("the broadcast tree simulation");
    private final ManualScheduler scheduler =
            new ManualScheduler(new ManualClock(Instant.parse("2026-01-01T00:00:00Z")), random);
    private final Counters<Counter> counters = new Counters<>(Counter.class);
    private final Map<PeerId, Member> members = new HashMap<>();
    private final List<Member> list = new ArrayList<>();
    private double unwritableShare;
    private int gossips;
    private long number;

    @BeforeEach
    void connect() {
        for (int i = 0; i < MEMBERS; i++) {
            Member member = new Member(UnsignedGroupMessages.peer(i));
            members.put(member.peer, member);
            list.add(member);
        }
        for (int i = 0; i < MEMBERS; i++) {
            link(list.get(i), list.get((i + 1) % MEMBERS));
        }
        for (int i = 0; i < CHORDS; i++) {
            Member member = randomMember();
            Member other = randomMember();
            if (member != other) {
                link(member, other);
            }
        }
    }

    private void link(Member member, Member other) {
        if (member.neighbors.add(other.peer) && other.neighbors.add(member.peer)) {
            member.tree.onNeighborUp(other.peer);
            other.tree.onNeighborUp(member.peer);
        }
    }

    /** Both ends of the link notice its end later, each at its own time. */
    private void cut(Member member, PeerId other) {
        member.neighbors.remove(other);
        Duration detection = Duration.ofMillis(random.nextInt(MAX_DETECTION_MILLIS));
        scheduler.schedule(detection, () -> member.tree.onNeighborDown(other));
    }

    private Member randomMember() {
        return list.get(random.nextInt(list.size()));
    }

    /** Sends messages of random members at random times, and returns them with the members that each of them reaches. */
    private Map<SignedGroupMessage.Key, Set<PeerId>> broadcast(int count, int maxPauseMillis) {
        Map<SignedGroupMessage.Key, Set<PeerId>> reachable = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Member sender = randomMember();
            SignedGroupMessage message = UnsignedGroupMessages.message(sender.peer, number++);
            sender.tree.broadcast(message);
            Set<PeerId> receivers = component(sender);
            receivers.remove(sender.peer);
            reachable.put(message.key(), receivers);
            scheduler.advance(Duration.ofMillis(random.nextInt(maxPauseMillis)));
        }
        scheduler.advance(SETTLE_TIME);
        return reachable;
    }

    private Set<PeerId> component(Member start) {
        Set<PeerId> seen = new HashSet<>(Set.of(start.peer));
        Deque<Member> open = new ArrayDeque<>(List.of(start));
        while (!open.isEmpty()) {
            for (PeerId neighbor : open.remove().neighbors) {
                if (seen.add(neighbor)) {
                    open.add(members.get(neighbor));
                }
            }
        }
        return seen;
    }

    /** Each message has reached each member that it can reach, once. */
    private void assertReceived(Map<SignedGroupMessage.Key, Set<PeerId>> reachable) {
        for (Member member : list) {
            Set<SignedGroupMessage.Key> expected = new HashSet<>();
            reachable.forEach((key, receivers) -> {
                if (receivers.contains(member.peer)) {
                    expected.add(key);
                }
            });
            List<SignedGroupMessage.Key> actual =
                    member.received.stream().filter(reachable::containsKey).toList();
            assertThat(actual).containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    /** Sends messages of random members, each of which reaches all members over hardly more links than a tree has. */
    private void assertTree() {
        gossips = 0;
        Map<SignedGroupMessage.Key, Set<PeerId>> reachable = broadcast(20, 500);
        assertReceived(reachable);
        int deliveries = reachable.values().stream().mapToInt(Set::size).sum();
        assertThat(gossips).isBetween(deliveries, deliveries * 11 / 10);
    }

    private void stabilize() {
        assertReceived(broadcast(20, 500));
    }

    @Test
    void messages_reachEveryMemberOnce_andSoonOverATree() {
        assertReceived(broadcast(1, 1));
        assertThat(gossips).isGreaterThan(2 * MEMBERS); // all links are eager at first
        stabilize();
        assertTree();
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void messages_reachTheSurvivors_afterMembersHaveFailed() {
        stabilize();
        for (int i = 0; i < MEMBERS / 10; i++) {
            Member failed = list.remove(random.nextInt(list.size()));
            failed.alive = false;
            for (PeerId neighbor : List.copyOf(failed.neighbors)) {
                cut(members.get(neighbor), failed.peer);
            }
            failed.neighbors.clear();
        }
        stabilize(); // some of these are sent before the failures are noticed
        assertTree();
    }

    @Test
    void messages_reachEveryMember_afterLinksHaveFailed() {
        stabilize();
        List<Runnable> links = new ArrayList<>();
        for (Member member : list) {
            for (PeerId other : member.neighbors) {
                if (member.peer.compareTo(other) < 0 && random.nextInt(10) == 0) {
                    links.add(() -> {
                        cut(member, other);
                        cut(members.get(other), member.peer);
                    });
                }
            }
        }
        links.forEach(Runnable::run);
        stabilize();
        assertTree();
    }

    @Test
    void messages_reachEveryMember_ifNeighborsAreOftenNotWritable() {
        stabilize();
        long requests = counters.get(Counter.GROUPCASTS_GRAFTED);
        unwritableShare = 0.05;
        assertReceived(broadcast(40, 500));
        assertThat(counters.get(Counter.GROUPCASTS_GRAFTED)).isGreaterThan(requests);
        unwritableShare = 0;
        stabilize();
        assertTree();
    }

    @Test
    void burst_reachesEveryMemberOnce() {
        Map<SignedGroupMessage.Key, Set<PeerId>> reachable = new HashMap<>();
        IntStream.range(0, 5).forEach(i -> reachable.putAll(broadcast(50, 5)));
        assertReceived(reachable);
    }
}
