package io.parley.group.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.parley.Peer;
import io.parley.PeerBuilder;
import io.parley.advertisement.PeerAdvertisement;
import io.parley.advertisement.PeerGroupAdvertisement;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.SearchOptions;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.PeerGroup;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.rendezvous.internal.RendezvousRole;
import io.parley.resolver.internal.PropagateOptions;
import io.parley.resolver.internal.Resolver;
import io.parley.testkit.Eventually;
import io.parley.transport.memory.InMemoryNetwork;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Groups of complete peers, through a rendezvous or on the local network. */
@Timeout(60)
class GroupRegistryTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration BRIEF = Duration.ofMillis(300);

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();

    @AfterEach
    void close() {
        for (int i = peers.size() - 1; i >= 0; i--) {
            peers.get(i).close();
        }
        peers.forEach(peer -> Eventually.get(peer.whenClosed(), "close of " + peer));
    }

    private PeerBuilder builder(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
                .limits(limits ->
                        limits.toBuilder().handshakeTimeout(Eventually.DEADLINE).build())
                .multicast(false)
                .listen("mem://" + name);
    }

    private Peer start(PeerBuilder builder) {
        Peer peer = builder.start();
        peers.add(peer);
        return peer;
    }

    private Peer rendezvous() {
        return start(builder("rendezvous").actAsRendezvous());
    }

    private Peer edge(String name) {
        return start(builder(name).rendezvous("mem://rendezvous"));
    }

    private Peer near(String name) {
        return start(builder(name).multicast(true).propagationTransport(network.propagationProvider()));
    }

    private static List<SignedAdvertisement> find(PeerGroup group, DiscoveryQuery query, Duration deadline) {
        return group.discovery()
                .find(query, new SearchOptions(deadline, 10, SearchOptions.Scope.LOCAL_AND_REMOTE))
                .orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    private static void assertFails(CompletableFuture<?> future, ErrorCode code) {
        assertThat(Eventually.failure(future, "the call"))
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    private static void awaitFound(PeerGroup group, DiscoveryQuery query, Peer publisher) {
        await().atMost(TIMEOUT)
                .untilAsserted(() -> assertThat(find(group, query, BRIEF))
                        .extracting(SignedAdvertisement::publisher)
                        .contains(publisher.id()));
    }

    private static DiscoveryQuery peerNamed(String name) {
        return DiscoveryQuery.of(PeerAdvertisement.TYPE_NAME).with("Name", name);
    }

    @Test
    void netGroup_peersFindEachOtherThroughARendezvous() {
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");

        awaitFound(bob.netGroup(), peerNamed("alice"), alice);
        awaitFound(alice.netGroup(), peerNamed("bo*"), bob);
        assertThat(bob.netGroup().locate(alice.id())).succeedsWithin(TIMEOUT);
        assertThat(bob.endpoint().ping(alice.id())).succeedsWithin(TIMEOUT);
    }

    @Test
    void netGroup_peersOnTheLocalNetwork_discoverEachOther() {
        Peer alice = near("alice");
        Peer bob = near("bob");

        await().atMost(TIMEOUT).untilAsserted(() -> {
            assertThat(alice.netGroup().discovery().findLocal(peerNamed("bob"), 1))
                    .hasSize(1);
            assertThat(bob.netGroup().discovery().findLocal(peerNamed("alice"), 1))
                    .hasSize(1);
        });
        assertThat(alice.endpoint().ping(bob.id())).succeedsWithin(TIMEOUT);
    }

    @Test
    void join_isPublishedInTheNetGroup_untilTheGroupIsLeft() {
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        DiscoveryQuery query =
                DiscoveryQuery.of(PeerGroupAdvertisement.TYPE_NAME).with("Name", "weather");

        PeerGroup weather = alice.group("weather").join();
        awaitFound(bob.netGroup(), query, alice);
        assertThat(alice.groups()).containsExactly(weather);
        weather.close();

        assertThat(alice.groups()).isEmpty();
        await().atMost(TIMEOUT)
                .untilAsserted(
                        () -> assertThat(find(bob.netGroup(), query, BRIEF)).isEmpty());
    }

    @Test
    void publish_inAGroup_isFoundOnlyByItsMembers() {
        rendezvous();
        Peer alice = edge("alice");
        Peer bob = edge("bob");
        Peer carol = edge("carol");
        PeerGroup ofAlice = alice.group("weather").join();
        PeerGroup ofBob = bob.group("weather").join();
        PipeId pipe = PipeId.ofName(ofAlice.id(), "forecast");
        DiscoveryQuery query = DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME).with("Name", "forecast");

        assertThat(ofAlice.discovery()
                        .publish(PipeAdvertisement.of(pipe, PipeType.UNICAST, "forecast"))
                        .whenIndexed())
                .succeedsWithin(TIMEOUT);

        awaitFound(ofBob, query, alice);
        // Carol can search: what follows is empty for no other reason than the group.
        awaitFound(carol.netGroup(), peerNamed("alice"), alice);
        assertThat(find(carol.netGroup(), query, BRIEF)).isEmpty();
        assertThat(find(carol.group("sports").join(), query, BRIEF)).isEmpty();
        // A peer that violates the protocol and queries the index of the group is refused.
        assertFails(
                ((RendezvousRole) carol.rendezvous()).index().find(ofAlice.id(), query, 0, 10, TIMEOUT),
                ErrorCode.NO_SUCH_SERVICE);
    }

    @Test
    void propagate_inAGroup_reachesOnlyItsMembers_acrossTheRendezvous() {
        rendezvous();
        Peer alice = edge("alice");
        PeerGroup ofAlice = alice.group("weather").join();
        PeerGroup ofBob = edge("bob").group("weather").join();
        Peer carol = edge("carol");
        List<String> receivedByCarol = new CopyOnWriteArrayList<>();
        resolver(ofBob).registerHandler("sky", query -> response("grey"));
        resolver(carol.netGroup()).registerHandler("sky", query -> {
            receivedByCarol.add(query.body().text("text").orElseThrow());
            return response("blue");
        });
        resolver(carol.group("sports").join()).registerHandler("sky", query -> {
            receivedByCarol.add(query.body().text("text").orElseThrow());
            return response("blue");
        });
        // Carol receives queries of her own groups, so that it has force below that one is missing.
        assertThat(queryUntilAnswered(alice.netGroup())).containsOnly("blue");
        assertThat(queryUntilAnswered(alice.group("sports").join())).containsOnly("blue");

        assertThat(queryUntilAnswered(ofAlice)).containsOnly("grey");
        assertThat(receivedByCarol).contains(alice.netGroup().name(), "sports").doesNotContain(ofAlice.name());
    }

    /**
     * Propagates a query with the name of the group until there is a response, because not all peers may have a lease yet. Returns
     * the responses.
     */
    private static List<String> queryUntilAnswered(PeerGroup group) {
        List<String> responses = new CopyOnWriteArrayList<>();
        await().atMost(TIMEOUT).untilAsserted(() -> {
            resolver(group)
                    .propagate(
                            "sky",
                            Message.of("text", group.name()),
                            new PropagateOptions(BRIEF, 1),
                            response ->
                                    responses.add(response.body().text("text").orElseThrow()))
                    .whenDone()
                    .handle((count, failure) -> null) // there may be no rendezvous yet
                    .join();
            assertThat(responses).isNotEmpty();
        });
        return responses;
    }

    private static Resolver resolver(PeerGroup group) {
        return ((JoinedGroup) group).resolver();
    }

    private static CompletableFuture<Optional<Message>> response(String text) {
        return CompletableFuture.completedFuture(Optional.of(Message.of("text", text)));
    }

    @Test
    void join_again_isTheSameGroupUntilItIsLeft() {
        Peer alice = start(builder("alice"));
        PeerGroup first = alice.group("weather").join();

        assertThat(alice.group("weather").join()).isSameAs(first);
        first.close();
        first.close();
        PeerGroup second = alice.group("weather").join();

        assertThat(second).isNotSameAs(first);
        assertThat(second.isClosing()).isFalse();
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(second.name()).isEqualTo("weather");
    }

    @Test
    void whenOnline_ofAGroupThatWasLeft_failsWithClosed() {
        rendezvous();
        Peer alice = edge("alice");
        PeerGroup weather = alice.group("weather").join();
        assertThat(weather.whenOnline()).succeedsWithin(TIMEOUT);
        weather.close();

        assertFails(weather.whenOnline(), ErrorCode.CLOSED);
    }

    @Test
    void locate_afterClose_failsWithClosed() {
        Peer alice = start(builder("alice"));
        PeerId other = start(builder("bob")).id();
        alice.close();

        assertFails(alice.netGroup().locate(other), ErrorCode.CLOSED);
    }

    @Test
    void join_badName_isRejected() {
        Peer alice = start(builder("alice"));

        assertThatThrownBy(() -> alice.group("").join())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group name");
        assertThatThrownBy(() -> alice.group("x".repeat(257)).join())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("257");
        for (String name : List.of(" ", "weather ", "\tweather")) { // whose advertisement would have the trimmed name
            assertThatThrownBy(() -> alice.group(name).join())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("white space");
        }
    }

    @Test
    void join_afterThePeerHasClosed_isRefused() {
        Peer alice = start(builder("alice"));
        PeerGroup weather = alice.group("weather").join();
        alice.close();

        assertThat(weather.isClosing()).isTrue();
        assertThatThrownBy(() -> alice.group("sports").join())
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
    }

    @Test
    void locate_unknownPeer_fails() {
        Peer alice = near("alice");
        Peer unknown = start(builder("unknown"));

        assertFails(alice.netGroup().locate(unknown.id()), ErrorCode.UNREACHABLE);
        // The peer runs and is reachable by its address.
        alice.endpoint().addPeerAddress(unknown.address());
        assertThat(alice.endpoint().ping(unknown.id())).succeedsWithin(TIMEOUT);
    }

    @Test
    void locate_peerThatNoSearchFinds_connectsByItsKnownAddress() {
        Peer alice = near("alice");
        Peer unknown = start(builder("unknown"));
        alice.endpoint().addPeerAddress(unknown.address());

        assertThat(alice.netGroup().locate(unknown.id())).succeedsWithin(TIMEOUT);
        assertThat(alice.endpoint().isConnected(unknown.id())).isTrue();
    }

    @Test
    void locate_afterARestart_usesTheStoredAdvertisements(@TempDir Path home) {
        Peer alice = near("alice");
        Peer before =
                start(builder("bob").home(home).multicast(true).propagationTransport(network.propagationProvider()));
        await().atMost(TIMEOUT)
                .untilAsserted(() -> assertThat(before.netGroup().discovery().findLocal(peerNamed("alice"), 1))
                        .hasSize(1));
        before.close();

        Peer after = start(builder("bob").home(home)); // without any network to search

        assertThat(after.id()).isEqualTo(before.id());
        assertThat(after.netGroup().locate(alice.id())).succeedsWithin(TIMEOUT);
        assertThat(after.endpoint().ping(alice.id())).succeedsWithin(TIMEOUT);
    }

    @Test
    void rendezvous_badAddress_isRejected() {
        assertThatThrownBy(() -> Peer.builder().rendezvous("nowhere"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nowhere");
    }
}
