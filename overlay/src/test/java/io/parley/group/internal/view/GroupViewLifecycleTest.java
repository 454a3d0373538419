package io.parley.group.internal.view;

import static io.parley.group.internal.view.GroupViewFixture.awaitCount;
import static io.parley.group.internal.view.GroupViewFixture.awaitNeighbor;
import static io.parley.group.internal.view.GroupViewFixture.awaitNeighbors;
import static io.parley.group.internal.view.GroupViewFixture.group;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.parley.Peer;
import io.parley.advertisement.AdvertisementId;
import io.parley.advertisement.PipeAdvertisement;
import io.parley.advertisement.PipeType;
import io.parley.advertisement.SignedAdvertisement;
import io.parley.discovery.DiscoveryQuery;
import io.parley.discovery.Publication;
import io.parley.discovery.SearchOptions;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.MemberView;
import io.parley.group.PeerGroup;
import io.parley.group.internal.view.MemberViewCounters.Counter;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import io.parley.message.Message;
import io.parley.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Views are opened, lose their neighbors and are closed. */
@Timeout(120)
class GroupViewLifecycleTest {

    private static final ServiceAddress NEWS = ServiceAddress.of("news");

    private final GroupViewFixture fixture = new GroupViewFixture();
    private final Queue<String> received = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        fixture.close();
    }

    private static void assertClosed(Throwable failure) {
        assertThat(failure)
                .isInstanceOfSatisfying(
                        ParleyException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CLOSED));
    }

    private MemberView listen(Peer peer) {
        MemberView view = group(peer).members();
        view.listen(NEWS, (sender, message) -> received.add(message.text("text").orElseThrow()));
        return view;
    }

    private void assertDelivered(MemberView sender, String text) {
        sender.groupcast(NEWS, Message.of("text", text));
        Eventually.until(() -> "received " + received, () -> received.contains(text));
    }

    private Set<PeerId> findMembers(Peer peer) {
        PeerGroup group = group(peer);
        DiscoveryQuery query = DiscoveryQuery.of(PipeAdvertisement.TYPE_NAME)
                .with(
                        "Id",
                        AdvertisementId.of(PipeId.ofName(group.id(), MemberSearch.NAME))
                                .urn());
        return Set.copyOf(
                Eventually.get(group.discovery().find(query, SearchOptions.of(Eventually.DEADLINE, 10)), "the search")
                        .stream()
                        .map(SignedAdvertisement::publisher)
                        .toList());
    }

    @Test
    void close_fromManyThreads_whileMessagesArrive_completes() {
        Peer alice = fixture.peer("alice");
        Peer bob = fixture.peer("bob");
        MemberView sender = group(alice).members();
        MemberView view = listen(bob);
        awaitNeighbors(alice, bob);
        CompletableFuture<Void> pending = view.whenConnected();
        List<CompletableFuture<Void>> closes = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            if (!sender.neighbors().isEmpty()) {
                try {
                    sender.groupcast(NEWS, Message.of("text", "message " + i));
                } catch (ParleyException e) {
                    assertThat(e.code()).isIn(ErrorCode.UNREACHABLE, ErrorCode.QUEUE_FULL);
                }
            }
            if (i >= 100 && i < 104) {
                closes.add(CompletableFuture.runAsync(view::close));
            }
        }
        closes.forEach(each -> Eventually.get(each, "close"));
        Eventually.get(view.whenClosed(), "the end");
        assertThat(pending).isCompleted(); // there was a neighbor
        assertThat(view.isClosing()).isTrue();
        assertThat(view.neighbors()).isEmpty();
        assertClosed(Eventually.failure(view.whenConnected(), "a closed view"));
        assertThatThrownBy(() -> view.listen(NEWS, (from, message) -> {}))
                .satisfies(GroupViewLifecycleTest::assertClosed);
        assertThatThrownBy(() -> view.addListener(neighbors -> {})).satisfies(GroupViewLifecycleTest::assertClosed);
        assertThatThrownBy(() -> view.groupcast(NEWS, Message.of("a", "b")))
                .satisfies(GroupViewLifecycleTest::assertClosed);
        int count = received.size();
        assertThat(received).doesNotHaveDuplicates();
        Eventually.until(
                () -> "alice has " + sender.neighbors(),
                () -> sender.neighbors().isEmpty());
        assertThat(received).hasSize(count);
    }

    @Test
    void close_ofAViewThatIsAlone_failsItsWaiters_andCompletes() {
        Peer alice = fixture.peer("alice");
        MemberView view = group(alice).members();
        CompletableFuture<Void> connected = view.whenConnected();
        view.closeAsync(); // while it searches
        assertClosed(Eventually.failure(connected, "a closed view"));
        Eventually.get(view.whenClosed(), "the end");
    }

    @Test
    void closeOfThePeer_closesTheView_andWithdrawsItsAdvertisement() {
        Peer alice = fixture.peer("alice");
        Peer bob = fixture.peer("bob");
        Peer carol = fixture.peer("carol");
        Peer dave = fixture.peer("dave"); // has not stored what carol has found
        MemberView view = group(bob).members();
        group(alice).members();
        awaitNeighbors(alice, bob);
        Eventually.until(() -> "bob is not found", () -> findMembers(carol).contains(bob.id()));
        bob.closeAsync();
        Eventually.get(view.whenClosed(), "the end of the view");
        Eventually.get(bob.whenClosed(), "the end of the peer");
        Eventually.until(
                () -> "neighbors of alice",
                () -> group(alice).members().neighbors().isEmpty());
        Eventually.get(group(dave).whenOnline(), "the lease of dave");
        assertThat(findMembers(dave)).containsExactly(alice.id());
    }

    @Test
    void memberThatCannotPublish_findsOthers_andIsPublishedLater() {
        Peer alice = fixture.peer(
                "alice",
                builder -> builder.discoveryLimits(
                        limits -> limits.toBuilder().maxPublications(2).build())); // one is that of the peer
        Publication other = group(alice)
                .discovery()
                .publish(PipeAdvertisement.of(PipeId.ofName(group(alice).id(), "other"), PipeType.UNICAST, "other"));
        Peer bob = fixture.peer("bob");
        MemberView view = group(alice).members();
        MemberView first = group(bob).members();
        awaitNeighbors(alice, bob);
        Eventually.get(other.closeAsync(), "the withdrawal");
        Eventually.get(first.closeAsync(), "the end of the other view");
        Eventually.until(
                () -> "neighbors " + view.neighbors(), () -> view.neighbors().isEmpty());
        Peer carol = fixture.peer("carol");
        Eventually.until(
                () -> "members " + findMembers(carol), () -> findMembers(carol).contains(alice.id()));
    }

    @Test
    void neighborThatFails_isLost_longBeforeItsQueuedMessages() {
        Peer alice = fixture.peer(
                "alice",
                builder -> builder.limits(limits -> limits.toBuilder()
                        .reconnectTimeout(Duration.ofMinutes(10))
                        .build()));
        Peer bob = fixture.peer("bob");
        MemberView view = group(alice).members();
        group(bob).members();
        awaitNeighbors(alice, bob);
        bob.endpoint().closeAsync(); // before its view can disconnect
        Eventually.until(
                () -> "neighbors " + view.neighbors(), () -> view.neighbors().isEmpty());
    }

    @Test
    void groupcast_failsWithQueueFull_whileMessagesWaitForTheView() {
        Peer alice = fixture.peer("alice");
        MemberView sender = group(alice).members();
        CountDownLatch release = new CountDownLatch(1);
        sender.whenConnected().thenRun(() -> Eventually.latch(release, "the end of the test")); // stops the view
        Peer bob = fixture.peer("bob");
        listen(bob);
        awaitNeighbor(alice, bob);
        int bytes = 200 << 10;
        int sent = 0;
        ParleyException failure = null;
        while (failure == null && sent < 1000) {
            try {
                sender.groupcast(ServiceAddress.of("other"), Message.of("b", new byte[bytes]));
                sent++;
            } catch (ParleyException e) {
                failure = e;
            }
        }
        assertThat(failure).isNotNull();
        assertThat(failure.code()).isEqualTo(ErrorCode.QUEUE_FULL);
        assertThat(sent).isEqualTo(1 + (GroupcastQueue.MAX_BYTES - 1) / bytes);
        CompletableFuture<Void> writable = sender.whenWritable();
        assertThat(writable).isNotDone();
        release.countDown();
        Eventually.get(writable, "room");
        while (!isSent(sender, "later")) { // what waited for the view may have filled the queues to the neighbors
            Eventually.get(sender.whenWritable(), "room");
        }
        awaitCount(alice, Counter.GROUPCASTS_SENT, sent + 1);
        Eventually.until(() -> "received " + received, () -> received.contains("later"));
    }

    private static boolean isSent(MemberView sender, String text) {
        try {
            sender.groupcast(NEWS, Message.of("text", text));
            return true;
        } catch (ParleyException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.QUEUE_FULL);
            return false;
        }
    }

    @Test
    void whenWritable_waitsForANeighbor_andFailsWithTheView() {
        Peer alice = fixture.peer("alice");
        MemberView sender = group(alice).members();
        CompletableFuture<Void> writable = sender.whenWritable();
        assertThat(writable).isNotDone();
        Peer bob = fixture.peer("bob");
        MemberView receiver = listen(bob);
        Eventually.get(writable, "a neighbor");
        assertThat(sender.neighbors()).containsExactly(bob.id());
        receiver.closeAsync();
        Eventually.until(
                () -> "alice has " + sender.neighbors(),
                () -> sender.neighbors().isEmpty());
        CompletableFuture<Void> again = sender.whenWritable();
        assertThat(again).isNotDone();
        sender.closeAsync();
        assertClosed(Eventually.failure(again, "a closed view"));
        assertClosed(Eventually.failure(sender.whenWritable(), "a closed view"));
    }

    @Test
    void viewThatIsOpenedWhileThePreviousOneCloses_works() {
        Peer alice = fixture.peer("alice");
        Peer bob = fixture.peer("bob");
        Peer carol = fixture.peer("carol");
        MemberView sender = group(alice).members();
        MemberView first = listen(bob);
        awaitNeighbors(alice, bob);
        first.closeAsync();
        MemberView second = listen(bob);
        assertThat(second).isNotSameAs(first);
        Eventually.get(first.whenClosed(), "the end of the first view");
        Eventually.get(second.whenConnected(), "a neighbor");
        awaitNeighbors(alice, bob);
        assertDelivered(sender, "to the second view");
        Eventually.until(() -> "bob is not found", () -> findMembers(carol).contains(bob.id()));
        assertThat(group(bob).members()).isSameAs(second);
    }

    @Test
    void whenConnected_waitsAgain_afterAllNeighborsAreLost() {
        Peer alice = fixture.peer("alice");
        Peer bob = fixture.peer("bob");
        MemberView view = group(alice).members();
        CompletableFuture<Void> first = view.whenConnected();
        MemberView other = group(bob).members();
        awaitNeighbors(alice, bob);
        Eventually.get(first, "a neighbor");
        assertThat(view.whenConnected()).isCompleted();
        other.close(); // its peer lives
        Eventually.until(
                () -> "neighbors " + view.neighbors(), () -> view.neighbors().isEmpty());
        Eventually.until(() -> "it does not wait", () -> !view.whenConnected().isDone());
        CompletableFuture<Void> second = view.whenConnected();
        assertThatThrownBy(() -> view.groupcast(NEWS, Message.of("a", "b"))).hasMessageContaining("whenConnected()");
        group(bob).members();
        Eventually.get(second, "a neighbor again");
        view.close();
        assertClosed(Eventually.failure(view.whenConnected(), "a closed view"));
    }

    @Test
    void listenersThatThrow_areCounted_andCalledAgain() {
        Peer alice = fixture.peer("alice");
        Peer bob = fixture.peer("bob");
        MemberView sender = group(alice).members();
        MemberView view = group(bob).members();
        Queue<Set<PeerId>> changes = new ConcurrentLinkedQueue<>();
        view.addListener(neighbors -> {
            changes.add(neighbors);
            throw new AssertionError("of the test");
        });
        view.listen(NEWS, (from, message) -> {
            received.add(message.text("text").orElseThrow());
            throw new IllegalStateException("of the test");
        });
        awaitNeighbors(alice, bob);
        assertDelivered(sender, "one");
        assertDelivered(sender, "two");
        sender.close();
        Eventually.until(
                () -> "changes " + changes, () -> List.copyOf(changes).equals(List.of(Set.of(alice.id()), Set.of())));
        awaitCount(bob, Counter.GROUPCASTS_LISTENER_FAILURES, 4);
    }
}
