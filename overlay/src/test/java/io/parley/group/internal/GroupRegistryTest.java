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
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.rendezvous.internal.RendezvousRole;
import io.parley.resolver.internal.PropagateOptions;
import io.parley.resolver.internal.QueryResponse;
import io.parley.resolver.internal.Resolver;
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

/** Groups of whole peers, with a rendezvous or nearby each other. */
@Timeout(60)
class GroupRegistryTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration BRIEF = Duration.ofMillis(300);

    private final InMemoryNetwork network = new InMemoryNetwork(2);
    private final List<Peer> peers = new ArrayList<>();

    @AfterEach
    void close() {
        for (int i = peers.size() - 1; i >= 0; i--) {
            peers.get(i).close();
        }
        assertThat(peers).allMatch(peer -> peer.whenClosed().isDone());
    }

    private PeerBuilder builder(String name) {
        return Peer.builder()
                .name(name)
                .transport(network.transportProvider())
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
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    private static void awaitFound(PeerGroup group, DiscoveryQuery query, Peer publisher) {
        await().atMost(PATIENCE)
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
        assertThat(bob.netGroup().locate(alice.id())).succeedsWithin(PATIENCE);
        assertThat(bob.endpoint().ping(alice.id())).succeedsWithin(PATIENCE);
    }

    @Test
    void netGroup_peersNearbyKnowEachOtherUnasked() {
        Peer alice = near("alice");
        Peer bob = near("bob");

        await().atMost(PATIENCE).untilAsserted(() -> {
            assertThat(alice.netGroup().discovery().findLocal(peerNamed("bob"), 1))
                    .hasSize(1);
            assertThat(bob.netGroup().discovery().findLocal(peerNamed("alice"), 1))
                    .hasSize(1);
        });
        assertThat(alice.endpoint().ping(bob.id())).succeedsWithin(PATIENCE);
    }

    @Test
    void join_isSeenInTheNetGroupUntilTheGroupIsLeft() {
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
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(find(bob.netGroup(), query, BRIEF)).isEmpty());
    }

    @Test
    void publish_inAGroup_isSeenByItsMembersAlone() {
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
                .succeedsWithin(PATIENCE);

        awaitFound(ofBob, query, alice);
        assertThat(find(carol.netGroup(), query, BRIEF)).isEmpty();
        assertThat(find(carol.group("sports").join(), query, BRIEF)).isEmpty();
        // Not even by asking for that group's index, as a peer could that does not keep to the rules.
        assertThat(((RendezvousRole) carol.rendezvous()).index().find(ofAlice.id(), query, 0, 10, PATIENCE))
                .failsWithin(PATIENCE);
    }

    @Test
    void propagate_inAGroup_isHeardByItsMembersAloneAndAcrossTheRendezvous() {
        rendezvous();
        PeerGroup ofAlice = edge("alice").group("weather").join();
        PeerGroup ofBob = edge("bob").group("weather").join();
        Peer carol = edge("carol");
        List<String> heardByCarol = new CopyOnWriteArrayList<>();
        resolver(ofBob).registerHandler("sky", query -> answer("grey"));
        resolver(carol.netGroup()).registerHandler("sky", query -> {
            heardByCarol.add("heard");
            return answer("blue");
        });
        resolver(carol.group("sports").join()).registerHandler("sky", query -> {
            heardByCarol.add("heard");
            return answer("blue");
        });
        List<QueryResponse> answers = new CopyOnWriteArrayList<>();

        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> { // until all have a lease
                            resolver(ofAlice)
                                    .propagate(
                                            "sky",
                                            Message.of("text", "?"),
                                            new PropagateOptions(BRIEF, 1),
                                            answers::add)
                                    .whenDone()
                                    .handle((count, failure) -> null) // as there may be no rendezvous yet
                                    .join();
                            assertThat(answers).isNotEmpty();
                        });

        assertThat(answers)
                .allSatisfy(answer -> assertThat(answer.body().text("text")).contains("grey"));
        assertThat(heardByCarol).isEmpty();
    }

    private static Resolver resolver(PeerGroup group) {
        return ((JoinedGroup) group).resolver();
    }

    private static CompletableFuture<Optional<Message>> answer(String text) {
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
    void join_badName_isRefused() {
        Peer alice = start(builder("alice"));

        assertThatThrownBy(() -> alice.group("").join())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("group name");
        assertThatThrownBy(() -> alice.group("x".repeat(257)).join())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("257");
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
    void locate_aPeerThatNobodyKnows_fails() {
        Peer alice = near("alice");
        Peer stranger = start(builder("stranger"));

        assertThat(alice.netGroup().locate(stranger.id())).failsWithin(PATIENCE);
    }

    @Test
    void locate_afterARestart_remembersWhatWasHeardBefore(@TempDir Path home) {
        Peer alice = near("alice");
        Peer before =
                start(builder("bob").home(home).multicast(true).propagationTransport(network.propagationProvider()));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(before.netGroup().discovery().findLocal(peerNamed("alice"), 1))
                        .hasSize(1));
        before.close();

        Peer after = start(builder("bob").home(home)); // which hears and asks nobody

        assertThat(after.id()).isEqualTo(before.id());
        assertThat(after.netGroup().locate(alice.id())).succeedsWithin(PATIENCE);
        assertThat(after.endpoint().ping(alice.id())).succeedsWithin(PATIENCE);
    }

    @Test
    void start_withAHomeThatIsInUse_goesOnWithoutItsStore(@TempDir Path home) {
        start(builder("alice").home(home));

        Peer second = start(builder("second").home(home));

        assertThat(second.netGroup().discovery().findLocal(DiscoveryQuery.any(), 10))
                .isNotNull();
    }

    @Test
    void rendezvous_badAddress_isRefusedAtOnce() {
        assertThatThrownBy(() -> Peer.builder().rendezvous("nowhere"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nowhere");
    }
}
