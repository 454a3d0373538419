package io.parley.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.endpoint.ServiceAddress;
import io.parley.id.PeerId;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import io.parley.transport.memory.InMemoryNetwork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Views of real peers on an in-memory network, which find each other through a rendezvous. */
@Timeout(120)
class MemberViewTest {

    private static final ServiceAddress NEWS = ServiceAddress.of("news");
    private static final int MEMBERS = 12;
    private static final int MIN_NEIGHBORS = 3;

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();

    private PeerBuilder builder(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .multicast(false)
                .limits(limits ->
                        limits.toBuilder().handshakeTimeout(Eventually.DEADLINE).build())
                .memberViewLimits(limits -> new MemberViewLimits(
                        limits.maxNeighbors(),
                        limits.maxKnownMembers(),
                        Duration.ofMillis(500),
                        limits.maxMessageBytes(),
                        limits.messagesPerSecond()))
                .listen("mem://" + name);
    }

    private Peer start(PeerBuilder builder) {
        Peer peer = builder.start();
        peers.add(peer);
        return peer;
    }

    @AfterEach
    void close() {
        peers.forEach(Peer::closeAsync);
        peers.forEach(peer -> Eventually.get(peer.whenClosed(), "closing a peer"));
    }

    private record Member(Peer peer, MemberView view, Queue<String> received) {

        PeerId id() {
            return peer.id();
        }
    }

    private Member member(int number) {
        Peer peer = start(builder("member-" + number).rendezvous("mem://rdv"));
        MemberView view = peer.group("weather").join().members();
        Queue<String> received = new ConcurrentLinkedQueue<>();
        view.listen(
                NEWS,
                (sender, message) -> received.add(
                        sender.shortText() + ": " + message.text("text").orElseThrow()));
        return new Member(peer, view, received);
    }

    private List<Member> members(int count) {
        start(builder("rdv").actAsRendezvous());
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            members.add(member(i));
        }
        members.forEach(member -> Eventually.get(member.view().whenConnected(), "the first neighbor"));
        awaitSettled(members);
        return members;
    }

    /** Waits until no member has to look for neighbors: a message on a link that ends at that moment may be lost. */
    private static void awaitSettled(List<Member> members) {
        Eventually.until(
                () -> "neighbors: "
                        + members.stream()
                                .map(member -> member.view().neighbors())
                                .toList(),
                () -> isSettled(members));
    }

    private static boolean isSettled(List<Member> members) {
        Map<PeerId, Set<PeerId>> neighbors = members.stream()
                .collect(Collectors.toMap(Member::id, member -> member.view().neighbors()));
        boolean symmetric = neighbors.entrySet().stream()
                .allMatch(member -> member.getValue().size() >= MIN_NEIGHBORS
                        && member.getValue().stream()
                                .allMatch(neighbor -> neighbors
                                        .getOrDefault(neighbor, Set.of())
                                        .contains(member.getKey())));
        return symmetric && isOneComponent(members);
    }

    private static void awaitReceived(Member receiver, List<String> expected) {
        Eventually.until(
                () -> receiver.peer().name() + " received " + receiver.received() + ", expected " + expected,
                () -> receiver.received().size() >= expected.size());
        assertThat(receiver.received()).containsExactlyInAnyOrderElementsOf(expected);
    }

    private static boolean isOneComponent(List<Member> members) {
        Set<PeerId> all = members.stream().map(Member::id).collect(Collectors.toSet());
        Set<PeerId> reached = new HashSet<>(Set.of(members.get(0).id()));
        boolean grows = true;
        while (grows) {
            grows = false;
            for (Member member : members) {
                if (reached.contains(member.id())) {
                    grows |= reached.addAll(member.view().neighbors());
                }
            }
        }
        return reached.containsAll(all);
    }

    private static String text(Member from, String text) {
        return from.id().shortText() + ": " + text;
    }

    @Test
    void groupcast_reachesEachMemberOnce() {
        List<Member> members = members(MEMBERS);
        for (Member member : members) {
            member.view()
                    .groupcast(NEWS, Message.of("text", "from " + member.peer().name()));
        }
        for (Member receiver : members) {
            List<String> expected = members.stream()
                    .filter(sender -> sender != receiver)
                    .map(sender -> text(sender, "from " + sender.peer().name()))
                    .toList();
            awaitReceived(receiver, expected);
        }
        assertThat(members).allSatisfy(member -> {
            assertThat(member.view().neighbors()).hasSizeBetween(1, MemberViewLimits.DEFAULTS.maxNeighbors());
            assertThat(member.view().members()).doesNotContain(member.id());
        });
    }

    @Test
    void lostMembers_areReplaced_andMessagesReachTheOthers() {
        List<Member> members = members(MEMBERS);
        List<Member> lost = members.subList(0, MEMBERS / 3);
        List<Member> left = members.subList(MEMBERS / 3, MEMBERS);
        lost.forEach(member -> member.peer().closeAsync());
        Set<PeerId> gone = lost.stream().map(Member::id).collect(Collectors.toSet());
        Eventually.until(
                () -> "neighbors that are gone",
                () -> left.stream()
                        .allMatch(member -> Collections.disjoint(member.view().neighbors(), gone)));
        awaitSettled(left);
        left.get(0).view().groupcast(NEWS, Message.of("text", "later"));
        for (Member receiver : left.subList(1, left.size())) {
            awaitReceived(receiver, List.of(text(left.get(0), "later")));
        }
    }
}
