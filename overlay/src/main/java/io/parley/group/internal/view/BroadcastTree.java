package io.parley.group.internal.view;

import io.parley.common.Scheduler;
import io.parley.common.internal.DuplicateFilter;
import io.parley.common.internal.Timers;
import io.parley.group.internal.view.MemberViewCounters.Counter;
import io.parley.group.internal.view.TreeMessage.Gossip;
import io.parley.group.internal.view.TreeMessage.Graft;
import io.parley.group.internal.view.TreeMessage.IHave;
import io.parley.group.internal.view.TreeMessage.Prune;
import io.parley.id.PeerId;
import io.parley.rendezvous.internal.SignedGroupMessage;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The part of one member in the broadcast tree of a group, after Leitão, Pereira and Rodrigues, "Epidemic Broadcast Trees", SRDS 2007.
 *
 * <p>A message is sent at once to the eager neighbors, and announced to the lazy ones. All neighbors are eager at first. A duplicate
 * makes its link lazy, so the eager links become a tree that spans the group. A message that is announced and does not arrive is
 * requested from a neighbor that has announced it, and the link to that neighbor becomes eager: so the tree is repaired. A neighbor
 * that is not writable gets an announcement instead of the message, and later requests the message.
 *
 * <p>The replacement of long paths by shorter ones, section 3.8 of the paper, is left out: the shortest paths of one sender are not
 * those of another, so the messages of several senders would change the tree again and again, and tear it each time.
 *
 * <p>Other peers choose the keys. A neighbor that announces messages which it does not send causes a limited rate of requests.
 *
 * <p>Not thread-safe: all calls must be made on the serial executor, on which the timer runs too.
 */
final class BroadcastTree {

    private static final Prune PRUNE = new Prune();

    private final BroadcastTreeLimits limits;
    private final Scheduler scheduler;
    private final Executor serial;
    private final TreeLinks links;
    private final Consumer<SignedGroupMessage> receiver;
    private final ObjLongConsumer<Counter> counters;
    private final Map<PeerId, TreeNeighbor> neighbors = new LinkedHashMap<>();
    private final DuplicateFilter<SignedGroupMessage.Key> known;
    private final GossipCache cache;
    private final MissingMessages missing;
    private Scheduler.@Nullable Timer timer;
    private boolean closed;

    /**
     * Creates a tree without neighbors.
     *
     * @param serial   an executor that runs one task at a time, in order
     * @param receiver receives each message of other members once, after it was forwarded
     */
    BroadcastTree(
            BroadcastTreeLimits limits,
            Scheduler scheduler,
            Executor serial,
            TreeLinks links,
            Consumer<SignedGroupMessage> receiver,
            ObjLongConsumer<Counter> counters) {
        this.limits = limits;
        this.scheduler = scheduler;
        this.serial = serial;
        this.links = links;
        this.receiver = receiver;
        this.counters = counters;
        this.known = new DuplicateFilter<>(limits.maxKnown(), limits.knownTime(), scheduler);
        this.cache = new GossipCache(limits.cacheBytes(), limits.cacheTime(), scheduler);
        this.missing = new MissingMessages(limits, scheduler.random());
    }

    /** Adds a neighbor, which is eager. */
    void onNeighborUp(PeerId peer) {
        if (!closed) {
            neighbors.putIfAbsent(peer, new TreeNeighbor(peer, limits, scheduler.nanoTime()));
        }
    }

    /** Removes a neighbor and its announcements. */
    void onNeighborDown(PeerId peer) {
        TreeNeighbor neighbor = neighbors.remove(peer);
        if (neighbor != null) {
            missing.removeAll(neighbor);
        }
    }

    /** Sends a message of this peer to all members. */
    void broadcast(SignedGroupMessage message) {
        if (!closed && known.add(message.key())) {
            forward(new Gossip(message), neighbor -> false);
        }
    }

    /** Returns whether this peer has sent or received the message. */
    boolean isKnown(SignedGroupMessage.Key key) {
        return known.contains(key);
    }

    /**
     * Processes a copy of a known message: makes the link lazy. The caller need not verify the copy.
     *
     * @param from the authenticated peer that has sent the copy
     */
    void onDuplicate(PeerId from, SignedGroupMessage.Key key) {
        TreeNeighbor neighbor = neighbor(from);
        if (neighbor != null) {
            onDuplicate(neighbor, key);
        }
    }

    /**
     * Processes a message of a neighbor. Drops messages of other peers.
     *
     * @param from    the authenticated peer that has sent the message
     * @param message if a {@link Gossip}, the caller has verified its signature, group and age
     */
    void onMessage(PeerId from, TreeMessage message) {
        TreeNeighbor neighbor = neighbor(from);
        if (neighbor == null) {
            return;
        }
        if (message instanceof Gossip gossip) {
            onGossip(neighbor, gossip);
        } else if (message instanceof IHave iHave) {
            iHave.keys().forEach(key -> onAnnouncement(neighbor, key));
        } else if (message instanceof Graft graft) {
            onGraft(neighbor, graft);
        } else {
            neighbor.setEager(false);
        }
    }

    private @Nullable TreeNeighbor neighbor(PeerId peer) {
        TreeNeighbor neighbor = neighbors.get(peer);
        if (neighbor == null) {
            counters.accept(Counter.MEMBERS_MESSAGES_UNAUTHORIZED, 1);
        }
        return neighbor;
    }

    private void onGossip(TreeNeighbor from, Gossip gossip) {
        SignedGroupMessage.Key key = gossip.message().key();
        if (!known.add(key)) {
            onDuplicate(from, key);
            return;
        }
        counters.accept(Counter.GROUPCASTS_RECEIVED, 1);
        from.setEager(true);
        MissingMessage announced = missing.remove(key);
        if (announced == null) {
            forward(gossip, from::equals);
        } else {
            if (announced.isRequestedFrom(from)) {
                from.onResponse();
            }
            forward(gossip, neighbor -> neighbor.equals(from) || announced.hasSource(neighbor));
        }
        receiver.accept(gossip.message());
    }

    private void onDuplicate(TreeNeighbor from, SignedGroupMessage.Key key) {
        counters.accept(Counter.GROUPCASTS_DUPLICATE, 1);
        from.onHas(key);
        prune(from);
    }

    /** Sends a message to the neighbors that may not have it. */
    private void forward(Gossip gossip, Predicate<TreeNeighbor> hasMessage) {
        cache.add(gossip);
        for (TreeNeighbor neighbor : neighbors.values()) {
            if (hasMessage.test(neighbor)) {
                continue;
            }
            if (neighbor.isEager() && trySend(neighbor, gossip)) {
                counters.accept(Counter.GROUPCASTS_FORWARDED, 1);
            } else {
                announce(neighbor, gossip.message().key());
            }
        }
    }

    /** Makes the link lazy. A neighbor that gets no message about it now gets one after the next duplicate. */
    private void prune(TreeNeighbor neighbor) {
        neighbor.setEager(false);
        if (trySend(neighbor, PRUNE)) {
            counters.accept(Counter.GROUPCASTS_PRUNES_SENT, 1);
        }
    }

    private void onAnnouncement(TreeNeighbor from, SignedGroupMessage.Key key) {
        if (known.contains(key)) {
            from.onHas(key);
        } else if (missing.add(from, key, scheduler.nanoTime())) {
            startTimer();
        } else {
            counters.accept(Counter.GROUPCASTS_ANNOUNCEMENTS_DROPPED, 1);
        }
    }

    private void onGraft(TreeNeighbor from, Graft graft) {
        from.setEager(true);
        Gossip cached = cache.get(graft.key());
        if (cached == null) {
            counters.accept(Counter.GROUPCASTS_GRAFTS_REFUSED, 1);
        } else if (!links.isWritable(from.peer())) {
            announce(from, graft.key());
        } else if (!from.tryRespond(GossipCache.bytes(cached), scheduler.nanoTime())) {
            counters.accept(Counter.GROUPCASTS_GRAFTS_REFUSED, 1);
        } else {
            from.onHas(graft.key());
            links.send(from.peer(), cached);
            counters.accept(Counter.GROUPCASTS_GRAFTED, 1);
        }
    }

    /** Announces a message with the next announcements, or at once if there are as many as one message may have. */
    private void announce(TreeNeighbor neighbor, SignedGroupMessage.Key key) {
        if (neighbor.isAnnouncementFull()) {
            sendAnnouncements(neighbor);
        }
        if (!neighbor.announce(key)) {
            counters.accept(Counter.GROUPCASTS_ANNOUNCEMENTS_DROPPED, 1);
        }
        startTimer();
    }

    /** Sends the announcements of messages that the neighbor can still request. They wait while it is not writable. */
    private void sendAnnouncements(TreeNeighbor neighbor) {
        if (!neighbor.hasAnnouncements() || !links.isWritable(neighbor.peer())) {
            return;
        }
        List<SignedGroupMessage.Key> keys = neighbor.takeAnnouncements().stream()
                .filter(key -> cache.get(key) != null)
                .toList();
        if (!keys.isEmpty()) {
            links.send(neighbor.peer(), new IHave(keys));
            counters.accept(Counter.GROUPCASTS_ANNOUNCEMENTS_SENT, keys.size());
        }
    }

    private boolean trySend(TreeNeighbor neighbor, TreeMessage message) {
        boolean writable = links.isWritable(neighbor.peer());
        if (writable) {
            links.send(neighbor.peer(), message);
        }
        return writable;
    }

    private void startTimer() {
        if (timer == null) {
            timer = Timers.schedule(scheduler, limits.announceDelay(), serial, this::onTimer);
        }
    }

    private void onTimer() {
        timer = null;
        neighbors.values().forEach(this::sendAnnouncements);
        long now = scheduler.nanoTime();
        missing.takeDue(now, neighbor -> links.isWritable(neighbor.peer()) && neighbor.tryRequest(now))
                .forEach(this::request);
        if (!missing.isEmpty() || neighbors.values().stream().anyMatch(TreeNeighbor::hasAnnouncements)) {
            startTimer();
        }
    }

    private void request(MissingMessages.Request request) {
        request.neighbor().setEager(true);
        links.send(request.neighbor().peer(), new Graft(request.key()));
        counters.accept(Counter.GROUPCASTS_GRAFTS_SENT, 1);
    }

    /** Stops the timer and removes all neighbors. Later calls have no effect. */
    void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        neighbors.clear();
        missing.clear();
        cache.clear();
    }
}
