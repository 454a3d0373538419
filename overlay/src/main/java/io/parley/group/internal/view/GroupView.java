package io.parley.group.internal.view;

import io.parley.advertisement.internal.AdvertisementSigner;
import io.parley.advertisement.internal.AdvertisementVerifier;
import io.parley.common.AsyncCloseable;
import io.parley.common.Scheduler;
import io.parley.common.internal.Closeables;
import io.parley.common.internal.SerialExecutor;
import io.parley.common.internal.Timers;
import io.parley.endpoint.Endpoint;
import io.parley.endpoint.PeerConnectionListener;
import io.parley.endpoint.ServiceAddress;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.group.MemberView;
import io.parley.group.MemberViewLimits;
import io.parley.group.PeerGroup;
import io.parley.group.internal.view.MemberViewCounters.Counter;
import io.parley.group.internal.view.ViewMessage.Kind;
import io.parley.id.PeerId;
import io.parley.identity.Identity;
import io.parley.message.Message;
import io.parley.rendezvous.internal.SignedGroupMessage;
import io.parley.transport.PeerAddress;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The view of one group: connects a {@link PartialView} and a {@link BroadcastTree} with the endpoint. Both run on one serial executor of
 * the peer's own work. Thread-safe.
 */
public final class GroupView implements MemberView {

    /** The service to which members send. Its parameter is the group. */
    static final String SERVICE = "members";

    /** The time in which a neighbor must connect again after its connection was lost. */
    private static final Duration RECONNECT_TIMEOUT = Duration.ofSeconds(5);

    /** The time after which this peer issues a new entry. */
    private static final Duration ENTRY_AGE = Duration.ofMinutes(1);

    private final PeerGroup group;
    private final Endpoint endpoint;
    private final GroupcastSigner groupcastSigner;
    private final MemberViewLimits limits;
    private final SerialExecutor serial;
    private final MemberEntryFactory entries;
    private final MemberLinks links;
    private final PartialView view;
    private final BroadcastTree tree;
    private final MemberSearch search;
    private final GroupcastQueue queue;
    private final GroupcastListeners listeners;
    private final MemberMessageReceiver receiver;
    private final NeighborListeners neighborListeners;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile CompletableFuture<Void> connected = new CompletableFuture<>();
    private volatile Set<PeerId> neighbors = Set.of();
    private volatile Set<PeerId> members = Set.of();
    private volatile @Nullable AsyncCloseable service;
    private volatile @Nullable AsyncCloseable connectionEvents;
    private @Nullable MemberEntry ownEntry;
    private Scheduler.Timer rounds = () -> {};

    private GroupView(
            PeerGroup group,
            Identity identity,
            AdvertisementSigner signer,
            AdvertisementVerifier verifier,
            MemberViewLimits limits) {
        this.group = group;
        this.endpoint = group.endpoint();
        this.groupcastSigner = new GroupcastSigner(identity, group.id(), limits.maxMessageBytes(), group.scheduler());
        this.limits = limits;
        Scheduler scheduler = group.scheduler();
        this.serial = new SerialExecutor(group.workExecutor());
        this.entries = new MemberEntryFactory(endpoint, group.id(), group.peerName(), signer, verifier);
        this.links = new MemberLinks(group, address(), serial, this::onFailed);
        this.view = new PartialView(endpoint.peerId(), this::ownEntry, limits, scheduler, new Links());
        this.tree = newTree();
        this.search = new MemberSearch(group, serial, () -> neighbors.isEmpty(), this::onFound);
        this.queue = new GroupcastQueue(serial, this::broadcast);
        this.listeners = new GroupcastListeners(group);
        this.receiver = new MemberMessageReceiver(group, serial, limits, new Receiver());
        this.neighborListeners = new NeighborListeners(group);
    }

    /**
     * Opens the view of a group. It starts when the previous one is closed: it has the same service and the same advertisement.
     *
     * @param previousClosed the end of the previous view of the group
     */
    public static GroupView open(
            PeerGroup group,
            Identity identity,
            AdvertisementSigner signer,
            AdvertisementVerifier verifier,
            MemberViewLimits limits,
            CompletableFuture<Void> previousClosed) {
        GroupView view = new GroupView(group, identity, signer, verifier, limits);
        previousClosed.whenComplete(
                (done, failure) -> Timers.schedule(group.scheduler(), Duration.ZERO, view.serial, view::start));
        return view;
    }

    private ServiceAddress address() {
        return new ServiceAddress(SERVICE, group.id().text());
    }

    private void start() {
        if (closing.get()) {
            return;
        }
        service = endpoint.listen(address(), receiver::onMessage);
        connectionEvents = endpoint.addPeerConnectionListener(new PeerConnectionListener() {
            @Override
            public void onDisconnected(PeerId peer) {
                if (neighbors.contains(peer)) {
                    serial.execute(() -> check(peer));
                }
            }
        });
        scheduleRound();
        search.start();
    }

    /** A message to a neighbor that is lost would wait until {@code reconnectTimeout}, and the neighbor keep its place. */
    private void check(PeerId neighbor) {
        view.check(neighbor);
        Timers.schedule(group.scheduler(), RECONNECT_TIMEOUT, serial, () -> {
            if (view.isNeighbor(neighbor) && !endpoint.isConnected(neighbor)) {
                onFailed(neighbor);
            }
        });
    }

    /** How the view and the tree reach other members. */
    private final class Links implements ViewLinks, TreeLinks {

        @Override
        public void send(PeerAddress member, ViewMessage message) {
            Message encoded = ViewMessageFormat.write(message);
            if (message.kind() == Kind.DISCONNECT || message.kind() == Kind.REFUSE) {
                links.respond(member.peer(), encoded);
            } else {
                links.send(member, encoded);
            }
        }

        @Override
        public void onNeighborUp(PeerId neighbor) {
            group.count(Counter.MEMBERS_NEIGHBORS_ADDED, 1);
            tree.onNeighborUp(neighbor);
            onNeighborsChanged();
        }

        @Override
        public void onNeighborDown(PeerId neighbor) {
            group.count(Counter.MEMBERS_NEIGHBORS_REMOVED, 1);
            tree.onNeighborDown(neighbor);
            onNeighborsChanged();
        }

        @Override
        public boolean isWritable(PeerId neighbor) {
            return links.isWritable(neighbor);
        }

        @Override
        public void send(PeerId neighbor, TreeMessage message) {
            links.send(new PeerAddress(neighbor, List.of()), TreeMessageFormat.write(message));
        }
    }

    private BroadcastTree newTree() {
        return new BroadcastTree(
                BroadcastTreeLimits.DEFAULTS, group.scheduler(), serial, new Links(), this::deliver, group::count);
    }

    private MemberEntry ownEntry() {
        MemberEntry entry = ownEntry;
        long age = entry == null ? 0 : Math.abs(group.scheduler().clock().millis() - entry.issuedMillis());
        if (entry == null || age >= ENTRY_AGE.toMillis()) {
            entry = entries.sign();
            ownEntry = entry;
        }
        return entry;
    }

    private void scheduleRound() {
        if (closing.get()) {
            return;
        }
        long nanos = limits.roundInterval().toNanos();
        // Up to a tenth more or less, so that the rounds of several members do not coincide.
        long jittered = nanos - nanos / 10 + group.scheduler().random().nextLong(nanos / 5 + 1);
        rounds = Timers.schedule(group.scheduler(), Duration.ofNanos(jittered), serial, () -> {
            try {
                view.runRound();
                links.retain(view::isLinked);
                members = view.members();
            } finally {
                scheduleRound();
            }
        });
    }

    private void onFound(Collection<PeerId> found) {
        view.onFound(found);
    }

    private void onFailed(PeerId peer) {
        if (!closing.get()) {
            view.onFailed(peer);
        }
    }

    private void onNeighborsChanged() {
        boolean wasAlone = neighbors.isEmpty();
        Set<PeerId> changed = view.neighbors();
        if (changed.equals(neighbors)) {
            return; // one was added in the place of another
        }
        boolean becomesAlone = changed.isEmpty() && !wasAlone && !closing.get();
        if (becomesAlone) {
            connected = new CompletableFuture<>(); // who sees that there is no neighbor waits for it
        }
        neighbors = changed;
        members = view.members();
        if (!changed.isEmpty()) {
            connected.complete(null);
        } else if (becomesAlone) {
            search.onAlone();
        }
        if (closing.get()) { // meanwhile
            connected.completeExceptionally(closedException());
        } else {
            neighborListeners.notifyAll(changed);
        }
    }

    /** What the view does with messages of other members. */
    private final class Receiver implements MemberMessageReceiver.Owner {

        @Override
        public boolean isClosing() {
            return closing.get();
        }

        /** Verifies no entry of a peer that may not send the message. */
        @Override
        public void onViewMessage(PeerId from, String host, Message message) {
            boolean isPermitted = switch (ViewMessageFormat.readKind(message)) {
                case FORWARD_JOIN, SHUFFLE, SHUFFLE_RESPONSE, ALIVE -> isNeighbor(from);
                default -> true;
            };
            if (isPermitted) {
                view.onMessage(from, host, ViewMessageFormat.read(message, entries::verify));
                members = view.members();
            }
        }

        /** Verifies no signature of a known message, nor one that is from no neighbor. */
        @Override
        public void onTreeMessage(PeerId from, Message message) {
            if (!isNeighbor(from)) {
                return;
            }
            TreeMessage read = TreeMessageFormat.read(message, limits.maxMessageBytes());
            if (read instanceof TreeMessage.Gossip gossip) {
                SignedGroupMessage signed = gossip.message();
                if (tree.isKnown(signed.key())) {
                    tree.onDuplicate(from, signed.key());
                    return;
                }
                groupcastSigner.check(signed);
            }
            tree.onMessage(from, read);
        }

        /** Returns whether a peer is a neighbor; if it takes this peer for one, it learns that it is none. */
        private boolean isNeighbor(PeerId peer) {
            if (view.isNeighbor(peer)) {
                return true;
            }
            group.count(Counter.MEMBERS_MESSAGES_UNAUTHORIZED, 1);
            view.rejectLink(peer);
            return false;
        }
    }

    private void deliver(SignedGroupMessage message) {
        if (!message.sender().peer().equals(endpoint.peerId())) {
            listeners.deliver(message);
        }
    }

    @Override
    public Set<PeerId> neighbors() {
        return neighbors;
    }

    @Override
    public Set<PeerId> members() {
        return members;
    }

    @Override
    public CompletableFuture<Void> whenConnected() {
        return closing.get() ? CompletableFuture.failedFuture(closedException()) : connected.copy();
    }

    @Override
    public AsyncCloseable addListener(Consumer<Set<PeerId>> listener) {
        requireOpen();
        return neighborListeners.add(listener);
    }

    @Override
    public void groupcast(ServiceAddress service, Message message) {
        requireOpen();
        Set<PeerId> receivers = neighbors;
        if (receivers.isEmpty()) {
            throw ErrorCode.UNREACHABLE.exception("group " + group.name()
                    + ": no other member is connected; wait for whenConnected() of the view, and check that another"
                    + " member has opened its view");
        }
        if (queue.isFull() || !links.isAnyWritable(receivers)) {
            throw ErrorCode.QUEUE_FULL.exception(
                    "group " + group.name() + ": messages to all members wait; wait for whenWritable() of the view");
        }
        queue.add(groupcastSigner.sign(service, message));
    }

    private void broadcast(SignedGroupMessage message) {
        if (!closing.get()) {
            tree.broadcast(message);
            group.count(Counter.GROUPCASTS_SENT, 1);
        }
    }

    @Override
    public CompletableFuture<Void> whenWritable() {
        Set<PeerId> receivers = neighbors;
        if (closing.get() || receivers.isEmpty()) {
            return whenConnected().thenCompose(done -> whenWritable());
        }
        if (queue.isFull()) {
            return queue.whenRoom().thenCompose(done -> whenWritable());
        }
        if (links.isAnyWritable(receivers)) {
            return CompletableFuture.completedFuture(null);
        }
        return links.whenAnyWritable(receivers)
                .handle((done, failure) -> failure)
                // A failure is that of a messenger which has closed, because its peer is no neighbor any more, or with
                // the endpoint.
                .thenCompose(failure -> failure == null || neighbors != receivers
                        ? whenWritable()
                        : CompletableFuture.failedFuture(failure));
    }

    private void requireOpen() {
        if (closing.get()) {
            throw closedException();
        }
    }

    private ParleyException closedException() {
        return ErrorCode.CLOSED.exception("view of group " + group.name() + ": closed");
    }

    @Override
    public AsyncCloseable listen(ServiceAddress service, BiConsumer<PeerId, Message> listener) {
        requireOpen();
        return listeners.add(service, listener);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
        if (closing.compareAndSet(false, true)) {
            connected.completeExceptionally(closedException());
            queue.close(closedException());
            listeners.close();
            neighborListeners.close();
            // The executor runs nothing after the peer has closed, and other peers may not accept what is sent to them.
            Scheduler.Timer timer = group.scheduler().schedule(endpoint.limits().closeTimeout(), this::finish);
            closed.whenComplete((done, failure) -> timer.cancel());
            serial.execute(this::leave);
        }
        return closed.copy();
    }

    private void leave() {
        try {
            close(connectionEvents);
            rounds.cancel();
            view.leave();
            tree.close();
            CompletableFuture.allOf(search.close(), links.close()).whenComplete((done, failure) -> finish());
        } catch (RuntimeException | Error e) { // an error too: the close would wait for the timeout
            finish();
            throw e;
        }
    }

    private void finish() {
        close(connectionEvents);
        close(service);
        closed.complete(null);
    }

    private static void close(@Nullable AsyncCloseable resource) {
        if (resource != null) {
            resource.closeAsync();
        }
    }

    @Override
    public CompletableFuture<Void> whenClosed() {
        return closed.copy();
    }

    @Override
    public boolean isClosing() {
        return closing.get();
    }

    @Override
    public void close() {
        Closeables.closeAndAwait(this, endpoint.limits().closeTimeout());
    }

    @Override
    public String toString() {
        return "MemberView of " + group.name();
    }
}
