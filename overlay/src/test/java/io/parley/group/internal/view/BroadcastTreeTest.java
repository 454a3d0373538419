package io.parley.group.internal.view;

import static io.parley.group.internal.view.UnsignedGroupMessages.message;
import static io.parley.group.internal.view.UnsignedGroupMessages.peer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.parley.common.internal.Counters;
import io.parley.group.internal.view.MemberViewCounters.Counter;
import io.parley.group.internal.view.TreeMessage.Gossip;
import io.parley.group.internal.view.TreeMessage.Graft;
import io.parley.group.internal.view.TreeMessage.IHave;
import io.parley.group.internal.view.TreeMessage.Prune;
import io.parley.id.PeerId;
import io.parley.rendezvous.internal.SignedGroupMessage;
import io.parley.testkit.ManualScheduler;
import io.parley.testkit.ProcessorTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rules by which a member sends, announces and requests messages. */
class BroadcastTreeTest {

    private record Sent(PeerId neighbor, TreeMessage message) {}

    private static final BroadcastTreeLimits DEFAULTS = BroadcastTreeLimits.DEFAULTS;

    /** Each request at its earliest time. */
    private static final BroadcastTreeLimits LIMITS = limits(
            Duration.ZERO,
            DEFAULTS.maxKnown(),
            DEFAULTS.maxMissing(),
            DEFAULTS.graftsPerSecond(),
            DEFAULTS.graftedBytesPerSecond());

    private static final PeerId A = peer(1);
    private static final PeerId B = peer(2);
    private static final PeerId C = peer(3);
    private static final PeerId SENDER = peer(99);
    private static final SignedGroupMessage M = message(SENDER, 7);
    private static final SignedGroupMessage.Key KEY = M.key();

    private final ManualScheduler scheduler = new ManualScheduler();
    private final List<Sent> sent = new ArrayList<>();
    private final List<SignedGroupMessage> received = new ArrayList<>();
    private final Set<PeerId> unwritable = new HashSet<>();
    private final Counters<Counter> counters = new Counters<>(Counter.class);
    private BroadcastTree tree;

    @BeforeEach
    void createTree() {
        createTree(LIMITS);
    }

    private void createTree(BroadcastTreeLimits limits) {
        TreeLinks links = new TreeLinks() {
            @Override
            public boolean isWritable(PeerId neighbor) {
                return !unwritable.contains(neighbor);
            }

            @Override
            public void send(PeerId neighbor, TreeMessage message) {
                assertThat(unwritable).as("neighbors that are not writable").doesNotContain(neighbor);
                sent.add(new Sent(neighbor, message));
            }
        };
        tree = new BroadcastTree(limits, scheduler, scheduler.newExecutor(), links, received::add, counters::add);
    }

    private static BroadcastTreeLimits limits(
            Duration graftSpread, int maxKnown, int maxMissing, int graftsPerSecond, int graftedBytesPerSecond) {
        return new BroadcastTreeLimits(
                DEFAULTS.cacheBytes(),
                DEFAULTS.cacheTime(),
                maxKnown,
                DEFAULTS.knownTime(),
                maxMissing,
                DEFAULTS.announceDelay(),
                DEFAULTS.graftDelay(),
                graftSpread,
                DEFAULTS.graftRetryDelay(),
                graftsPerSecond,
                graftedBytesPerSecond);
    }

    private static BroadcastTreeLimits limits(
            int maxKnown, int maxMissing, int graftsPerSecond, int graftedBytesPerSecond) {
        return limits(Duration.ZERO, maxKnown, maxMissing, graftsPerSecond, graftedBytesPerSecond);
    }

    private void connect(PeerId... neighbors) {
        List.of(neighbors).forEach(tree::onNeighborUp);
    }

    /** Makes the link lazy. */
    private void prune(PeerId neighbor) {
        tree.onMessage(neighbor, new Prune());
    }

    private void announce(PeerId neighbor, SignedGroupMessage.Key... keys) {
        tree.onMessage(neighbor, new IHave(List.of(keys)));
    }

    private List<Sent> takeSent() {
        List<Sent> taken = List.copyOf(sent);
        sent.clear();
        return taken;
    }

    private static Sent gossip(PeerId neighbor, SignedGroupMessage message) {
        return new Sent(neighbor, new Gossip(message));
    }

    private static Sent iHave(PeerId neighbor, SignedGroupMessage.Key... keys) {
        return new Sent(neighbor, new IHave(List.of(keys)));
    }

    private static Sent graft(PeerId neighbor) {
        return new Sent(neighbor, new Graft(KEY));
    }

    private List<SignedGroupMessage.Key> requested(PeerId neighbor) {
        return sent.stream()
                .filter(message -> message.neighbor().equals(neighbor) && message.message() instanceof Graft)
                .map(message -> ((Graft) message.message()).key())
                .toList();
    }

    private static SignedGroupMessage.Key[] keys(int from, int to) {
        return LongStream.range(from, to)
                .mapToObj(number -> new SignedGroupMessage.Key(SENDER, number))
                .toArray(SignedGroupMessage.Key[]::new);
    }

    // Sending

    @Test
    void broadcast_isSentToNewNeighbors_andNotDelivered() {
        connect(A, B);
        tree.broadcast(M);
        assertThat(takeSent()).containsExactly(gossip(A, M), gossip(B, M));
        assertThat(received).isEmpty();
        assertThat(tree.isKnown(KEY)).isTrue();
    }

    @Test
    void gossip_isDeliveredOnce_andSentToTheOtherEagerNeighbors() {
        connect(A, B, C);
        assertThat(tree.isKnown(KEY)).isFalse();
        tree.onMessage(A, new Gossip(M));
        assertThat(received).containsExactly(M);
        assertThat(takeSent()).containsExactly(gossip(B, M), gossip(C, M));
        tree.onMessage(B, new Gossip(M));
        assertThat(received).containsExactly(M);
    }

    @Test
    void receiver_thatFails_doesNotStopTheMessage() {
        BroadcastTree failing = new BroadcastTree(
                LIMITS,
                scheduler,
                Runnable::run,
                new TreeLinks() {
                    @Override
                    public boolean isWritable(PeerId neighbor) {
                        return true;
                    }

                    @Override
                    public void send(PeerId neighbor, TreeMessage message) {
                        sent.add(new Sent(neighbor, message));
                    }
                },
                message -> {
                    throw new IllegalStateException("expected");
                },
                counters::add);
        failing.onNeighborUp(A);
        failing.onNeighborUp(B);
        catchThrowable(() -> failing.onMessage(A, new Gossip(M)));
        assertThat(takeSent()).containsExactly(gossip(B, M));
    }

    @Test
    void duplicate_makesTheLinkLazy_atBothEnds() {
        connect(A, B);
        tree.onMessage(A, new Gossip(M));
        sent.clear();
        tree.onDuplicate(B, KEY);
        assertThat(takeSent()).containsExactly(new Sent(B, new Prune()));
        tree.onMessage(A, new Gossip(message(SENDER, 8)));
        assertThat(takeSent()).isEmpty(); // to be announced to B
        assertThat(counters.get(Counter.GROUPCASTS_DUPLICATE)).isEqualTo(1);
    }

    @Test
    void gossip_thatBecameKnownWhileItWasVerified_isADuplicate() {
        connect(A, B);
        tree.onMessage(A, new Gossip(M));
        sent.clear();
        tree.onMessage(B, new Gossip(M));
        assertThat(takeSent()).containsExactly(new Sent(B, new Prune()));
        assertThat(received).containsExactly(M);
    }

    @Test
    void ownMessage_thatReturns_isADuplicate() {
        connect(A);
        tree.broadcast(M);
        sent.clear();
        tree.onMessage(A, new Gossip(M));
        assertThat(received).isEmpty();
        assertThat(takeSent()).containsExactly(new Sent(A, new Prune()));
    }

    @Test
    void firstCopyFromALazyNeighbor_makesTheLinkEager() {
        connect(A, B);
        prune(A);
        tree.onMessage(A, new Gossip(M));
        sent.clear();
        SignedGroupMessage next = message(SENDER, 8);
        tree.onMessage(B, new Gossip(next));
        assertThat(takeSent()).containsExactly(gossip(A, next));
    }

    // Announcements

    @Test
    void message_isAnnouncedToLazyNeighbors_afterTheDelay_inOneMessage() {
        connect(A, B);
        prune(B);
        SignedGroupMessage next = message(SENDER, 8);
        tree.onMessage(A, new Gossip(M));
        tree.onMessage(A, new Gossip(next));
        scheduler.advance(LIMITS.announceDelay().minusNanos(1));
        assertThat(takeSent()).isEmpty();
        scheduler.advance(Duration.ofNanos(1));
        assertThat(takeSent()).containsExactly(iHave(B, KEY, next.key()));
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void announcements_asManyAsOneMessageMayHave_areSentAtOnce() {
        connect(A);
        prune(A);
        for (SignedGroupMessage.Key key : keys(0, IHave.MAX_ANNOUNCEMENTS + 1)) {
            tree.broadcast(message(SENDER, key.number(), 1));
        }
        assertThat(takeSent()).containsExactly(iHave(A, keys(0, IHave.MAX_ANNOUNCEMENTS)));
        scheduler.advance(LIMITS.announceDelay());
        assertThat(takeSent()).containsExactly(iHave(A, keys(IHave.MAX_ANNOUNCEMENTS, IHave.MAX_ANNOUNCEMENTS + 1)));
    }

    @Test
    void announcements_toANeighborThatIsNotWritable_waitAndAreBounded() {
        connect(A);
        unwritable.add(A);
        for (SignedGroupMessage.Key key : keys(0, IHave.MAX_ANNOUNCEMENTS + 3)) {
            tree.broadcast(message(SENDER, key.number(), 1));
        }
        scheduler.advance(LIMITS.announceDelay().multipliedBy(3));
        assertThat(takeSent()).isEmpty();
        unwritable.clear();
        scheduler.advance(LIMITS.announceDelay());
        assertThat(takeSent()).containsExactly(iHave(A, keys(3, IHave.MAX_ANNOUNCEMENTS + 3)));
        assertThat(counters.get(Counter.GROUPCASTS_ANNOUNCEMENTS_DROPPED)).isEqualTo(3);
    }

    @Test
    void announcement_ofAMessageThatCannotBeRequestedAnyMore_isNotSent() {
        connect(A);
        unwritable.add(A);
        tree.broadcast(M);
        scheduler.advance(LIMITS.cacheTime());
        unwritable.clear();
        scheduler.advance(LIMITS.announceDelay());
        assertThat(takeSent()).isEmpty();
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void message_thatANeighborHas_isNeitherSentNorAnnouncedToIt() {
        connect(A, B, C, peer(4));
        prune(C);
        prune(peer(4));
        announce(B, KEY);
        tree.onMessage(A, new Gossip(M)); // B has announced it
        announce(C, KEY);
        tree.onDuplicate(peer(4), KEY);
        scheduler.advance(LIMITS.announceDelay());
        assertThat(takeSent()).containsExactly(new Sent(peer(4), new Prune()));
    }

    @Test
    void neighborThatIsNotWritable_isLazyForThisMessage() {
        connect(A, B);
        unwritable.add(B);
        tree.onMessage(A, new Gossip(M));
        assertThat(takeSent()).isEmpty();
        unwritable.clear();
        SignedGroupMessage next = message(SENDER, 8);
        tree.onMessage(A, new Gossip(next));
        scheduler.advance(LIMITS.announceDelay());
        assertThat(takeSent()).containsExactly(gossip(B, next), iHave(B, KEY));
    }

    @Test
    void prune_ofANeighborThatIsNotWritable_isSentAfterTheNextDuplicate() {
        connect(A, B);
        tree.onMessage(A, new Gossip(M));
        sent.clear();
        unwritable.add(B);
        tree.onDuplicate(B, KEY);
        assertThat(takeSent()).isEmpty();
        unwritable.clear();
        tree.onDuplicate(B, KEY);
        assertThat(takeSent()).containsExactly(new Sent(B, new Prune()));
    }

    // Requests

    @Test
    void missingMessage_isRequestedFromTheFirstAnnouncer_thenAfterAShorterDelayFromTheNext() {
        connect(A, B, C);
        announce(A, KEY);
        announce(B, KEY);
        scheduler.advance(LIMITS.graftDelay().minusNanos(1));
        assertThat(takeSent()).isEmpty();
        scheduler.advance(Duration.ofNanos(1));
        assertThat(takeSent()).containsExactly(graft(A));
        scheduler.advance(LIMITS.graftRetryDelay().minusNanos(1));
        assertThat(takeSent()).isEmpty();
        scheduler.advance(Duration.ofNanos(1));
        assertThat(takeSent()).containsExactly(graft(B));
        scheduler.advance(Duration.ofMinutes(5));
        assertThat(takeSent()).isEmpty();
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void requests_areSpread() {
        createTree(DEFAULTS);
        connect(A);
        announce(A, keys(0, 50));
        scheduler.advance(DEFAULTS.graftDelay());
        assertThat(requested(A)).hasSizeLessThan(25);
        scheduler.advance(DEFAULTS.graftSpread().plus(DEFAULTS.announceDelay()));
        assertThat(requested(A)).hasSize(50);
    }

    @Test
    void request_makesTheLinkEager() {
        connect(A, B);
        prune(A);
        announce(A, KEY);
        scheduler.advance(LIMITS.graftDelay());
        sent.clear();
        SignedGroupMessage next = message(SENDER, 8);
        tree.onMessage(B, new Gossip(next));
        assertThat(takeSent()).containsExactly(gossip(A, next));
    }

    @Test
    void message_thatArrivesInTime_isNotRequested() {
        connect(A, B);
        announce(A, KEY);
        scheduler.advance(LIMITS.graftDelay().minusNanos(1));
        tree.onMessage(B, new Gossip(M));
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(takeSent()).isEmpty();
        announce(A, KEY);
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void request_skipsANeighborThatIsNotWritable() {
        connect(A, B);
        announce(A, KEY);
        announce(B, KEY);
        unwritable.add(A);
        scheduler.advance(LIMITS.graftDelay());
        assertThat(takeSent()).containsExactly(graft(B));
        unwritable.clear();
        scheduler.advance(LIMITS.graftRetryDelay());
        assertThat(takeSent()).containsExactly(graft(A));
    }

    @Test
    void message_announcedAgain_isRequestedAgain() {
        connect(A);
        announce(A, KEY);
        scheduler.advance(LIMITS.graftDelay());
        announce(A, KEY); // A was not writable when the request arrived
        sent.clear();
        scheduler.advance(LIMITS.graftRetryDelay());
        assertThat(takeSent()).containsExactly(graft(A));
    }

    @Test
    void neighborDown_removesItAndItsAnnouncements() {
        connect(A, B);
        announce(A, KEY);
        announce(B, KEY);
        tree.onNeighborDown(A);
        scheduler.advance(LIMITS.graftDelay());
        assertThat(takeSent()).containsExactly(graft(B));
        tree.onNeighborDown(B);
        scheduler.advance(LIMITS.announceDelay());
        assertThat(scheduler.pending()).isZero(); // nothing is missing
        tree.broadcast(message(A, 1));
        assertThat(takeSent()).isEmpty();
        assertThat(scheduler.pending()).isZero();
    }

    @Test
    void missingMessages_ofOneNeighbor_areBounded_andLeaveRoomForOthers() {
        createTree(limits(100, 3, 100, 1000));
        connect(A, B);
        announce(A, keys(0, 5));
        announce(A, keys(0, 3)); // counted once
        announce(B, keys(5, 8));
        assertThat(counters.get(Counter.GROUPCASTS_ANNOUNCEMENTS_DROPPED)).isEqualTo(2);
        scheduler.advance(LIMITS.graftDelay());
        assertThat(requested(A)).containsExactly(keys(0, 3));
        assertThat(requested(B)).containsExactly(keys(5, 8));
    }

    @Test
    void missingMessages_leaveRoomForNewOnes_whenTheyArriveExpireOrAreGivenUp() {
        createTree(limits(100, 1, 100, 1000));
        connect(A);
        announce(A, KEY);
        tree.onMessage(A, new Gossip(M)); // arrives
        announce(A, keys(100, 101));
        scheduler.advance(LIMITS.graftDelay().plus(LIMITS.graftRetryDelay())); // is requested from all, and given up
        unwritable.add(A);
        announce(A, keys(101, 102));
        scheduler.advance(LIMITS.cacheTime()); // expires
        assertThat(scheduler.pending()).isZero();
        unwritable.clear();
        announce(A, keys(102, 103));
        scheduler.advance(LIMITS.graftDelay());
        assertThat(requested(A)).containsExactly(keys(100, 101)[0], keys(102, 103)[0]);
        assertThat(counters.get(Counter.GROUPCASTS_ANNOUNCEMENTS_DROPPED)).isZero();
    }

    @Test
    void neighborThatDoesNotSendWhatItAnnounces_getsRequestsAtALimitedRate_andDoesNotDelayOthers() {
        createTree(limits(100, 1000, 2, 1000));
        connect(A, B);
        announce(A, keys(0, 100));
        announce(B, keys(50, 51));
        scheduler.advance(LIMITS.graftDelay());
        assertThat(requested(A)).hasSize(4); // the burst of two seconds
        assertThat(requested(B)).containsExactly(keys(50, 51));
        for (int second = 0; second < 100; second++) {
            announce(A, keys(0, 100));
            scheduler.advance(Duration.ofSeconds(1));
        }
        assertThat(requested(A)).hasSizeBetween(150, 4 + 2 * 101);
    }

    @Test
    void neighborThatSendsWhatItAnnounces_isNotLimited() {
        createTree(limits(1000, 1000, 2, 1000));
        connect(A);
        announce(A, keys(0, 100));
        Set<SignedGroupMessage.Key> sentByA = new HashSet<>();
        for (int i = 0; i < 30; i++) {
            scheduler.advance(LIMITS.graftRetryDelay());
            requested(A).stream()
                    .filter(sentByA::add)
                    .forEach(key -> tree.onMessage(A, new Gossip(message(SENDER, key.number()))));
        }
        assertThat(received).hasSize(100); // 4 at a time; the rate alone gives 18
    }

    @Test
    void request_forACachedMessage_sendsIt_andMakesTheLinkEager() {
        connect(A, B);
        prune(B);
        tree.onMessage(A, new Gossip(M));
        tree.onMessage(B, new Graft(KEY));
        assertThat(takeSent()).containsExactly(gossip(B, M));
        scheduler.advance(LIMITS.announceDelay());
        assertThat(takeSent()).isEmpty(); // no longer to be announced
        SignedGroupMessage next = message(SENDER, 8);
        tree.onMessage(A, new Gossip(next));
        assertThat(takeSent()).containsExactly(gossip(B, next));
    }

    @Test
    void request_forAnUnknownOrExpiredMessage_isRefused() {
        connect(A);
        tree.onMessage(A, new Graft(KEY));
        tree.broadcast(M);
        sent.clear();
        scheduler.advance(LIMITS.cacheTime());
        tree.onMessage(A, new Graft(KEY));
        assertThat(takeSent()).isEmpty();
        assertThat(counters.get(Counter.GROUPCASTS_GRAFTS_REFUSED)).isEqualTo(2);
    }

    @Test
    void request_ofANeighborThatIsNotWritable_causesAnAnnouncement() {
        connect(A);
        tree.broadcast(M);
        sent.clear();
        unwritable.add(A);
        tree.onMessage(A, new Graft(KEY));
        unwritable.clear();
        scheduler.advance(LIMITS.announceDelay());
        assertThat(takeSent()).containsExactly(iHave(A, KEY));
    }

    @Test
    void requests_ofOneNeighbor_areLimitedInBytes() {
        int messageBytes = GossipCache.bytes(new Gossip(M));
        createTree(limits(100, 100, 100, messageBytes));
        connect(A, B);
        tree.broadcast(M);
        sent.clear();
        IntStream.range(0, 50).forEach(i -> tree.onMessage(A, new Graft(KEY)));
        assertThat(takeSent()).hasSize(2); // the burst of two seconds
        tree.onMessage(B, new Graft(KEY));
        assertThat(takeSent()).hasSize(1);
        scheduler.advance(Duration.ofSeconds(1));
        IntStream.range(0, 50).forEach(i -> tree.onMessage(A, new Graft(KEY)));
        assertThat(takeSent()).hasSize(1);
    }

    @Test
    void request_forAMessageLargerThanTheBurst_isAccepted() {
        createTree(limits(100, 100, 100, 1));
        connect(A);
        tree.broadcast(M);
        sent.clear();
        tree.onMessage(A, new Graft(KEY));
        assertThat(takeSent()).hasSize(1);
    }

    // Other peers, limits, end

    @Test
    void messagesOfOtherPeers_areDropped() {
        connect(A);
        tree.onMessage(B, new Gossip(M));
        tree.onDuplicate(B, KEY);
        announce(B, KEY);
        tree.onMessage(B, new Graft(KEY));
        assertThat(takeSent()).isEmpty();
        assertThat(received).isEmpty();
        assertThat(scheduler.pending()).isZero();
        assertThat(counters.get(Counter.MEMBERS_MESSAGES_UNAUTHORIZED)).isEqualTo(4);
    }

    @Test
    void neighborUp_ofANeighbor_doesNotMakeItEager() {
        connect(A);
        prune(A);
        connect(A);
        tree.broadcast(M);
        assertThat(takeSent()).isEmpty();
    }

    @Test
    void knownMessages_areBounded() {
        createTree(limits(2, 100, 100, 1000));
        tree.broadcast(M);
        tree.broadcast(message(SENDER, 8));
        assertThat(tree.isKnown(KEY)).isTrue();
        tree.broadcast(message(SENDER, 9));
        assertThat(tree.isKnown(KEY)).isFalse();
    }

    @Test
    void timer_runsOnTheExecutor() {
        List<Runnable> tasks = new ArrayList<>();
        tree = new BroadcastTree(
                LIMITS,
                scheduler,
                tasks::add,
                new TreeLinks() {
                    @Override
                    public boolean isWritable(PeerId neighbor) {
                        return true;
                    }

                    @Override
                    public void send(PeerId neighbor, TreeMessage message) {
                        sent.add(new Sent(neighbor, message));
                    }
                },
                received::add,
                counters::add);
        connect(A);
        announce(A, KEY);
        scheduler.advance(LIMITS.graftDelay());
        assertThat(takeSent()).isEmpty();
        scheduler.advance(LIMITS.graftDelay());
        tasks.remove(0).run();
        assertThat(takeSent()).containsExactly(graft(A));
    }

    @Test
    void close_stopsTheTimer_andLaterCallsDoNothing() {
        connect(A, B);
        announce(A, KEY);
        prune(B);
        tree.broadcast(message(SENDER, 8));
        sent.clear();
        tree.close();
        assertThat(scheduler.pending()).isZero();
        connect(C);
        tree.broadcast(message(SENDER, 9));
        tree.onMessage(A, new Gossip(M));
        announce(C, KEY);
        scheduler.advance(Duration.ofMinutes(1));
        assertThat(takeSent()).isEmpty();
        assertThat(received).isEmpty();
        assertThat(tree.isKnown(new SignedGroupMessage.Key(SENDER, 9))).isFalse();
        tree.close();
    }

    @Test
    void announcements_ofKeysWithOneHash_takeLinearTime() {
        ProcessorTime.assertLinear("announcements", 250, n -> {
            List<SignedGroupMessage.Key> keys = LongStream.range(0, n)
                    .mapToObj(i -> new SignedGroupMessage.Key(SENDER, i << 32 | i))
                    .toList();
            return () -> {
                createTree();
                connect(A);
                for (SignedGroupMessage.Key key : keys) {
                    tree.onMessage(A, new IHave(List.of(key)));
                }
                tree.close();
            };
        });
    }
}
