package io.parley.endpoint.internal;

import io.parley.common.internal.HostPrefix;
import io.parley.common.internal.WireStatus;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.inbound.InboundSequence;
import io.parley.endpoint.internal.inbound.InboundSequences;
import io.parley.endpoint.internal.inbound.SequenceRetention;
import io.parley.endpoint.internal.link.Link;
import io.parley.endpoint.internal.messenger.MessengerBinding;
import io.parley.endpoint.internal.messenger.MessengerCache;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.message.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * All state that this endpoint keeps for one remote peer: at most one active link, the dialer that connects one, and the
 * messengers that need one. Thread-safe.
 *
 * <p>If both peers dial at once, the connection dialed by the peer with the smaller id survives: that peer holds the HELLO
 * of the other one until its own was accepted (then it rejects the HELLO as a duplicate) or not (then it accepts it). A
 * peer whose duplicate is rejected in favor of a connection that it has lost reports the lost connection when it dials
 * again.
 *
 * <p>While the active link is relayed, a second dialer tries the direct addresses of the peer, at both peers. It reports the relayed link
 * as lost, so its connection replaces that link under the same rule. Channels are resumed, and listeners of connections see no change.
 */
public final class Association implements Link.Owner, MessengerBinding.Owner, SequenceRetention.Owner {

    /** The endpoint of an association. */
    interface Host {

        /** Returns the association with a peer. The caller must {@link #release} it. */
        Association acquire(PeerId peer);

        /** Adds one user to an association that is in use. */
        void retain(Association association);

        /**
         * Adds one user to an association whose inbound sequences a lost peer may resume. Returns false if too many associations
         * are kept for that.
         *
         * @param remoteHost the prefix of the address of the lost peer
         */
        boolean tryRetainForSequences(Association association, String remoteHost);

        /** Reverses {@link #tryRetainForSequences}. */
        void releaseForSequences(Association association, String remoteHost);

        /** Removes one user. An association without users is removed. */
        void release(Association association);

        boolean isClosing();

        /** @throws ParleyException {@link ErrorCode#CLOSED} if the endpoint is closing */
        PeerMessenger newMessenger(PeerId peer, ServiceAddress service, MessengerOptions options);
    }

    private final PeerId peer;
    private final Host host;
    private final EndpointContext context;

    private final ReentrantLock lock = new ReentrantLock();
    private final Set<PeerMessenger> waiting = new LinkedHashSet<>();
    private final Set<PeerMessenger> messengers = new LinkedHashSet<>();
    private final MessengerCache cache;
    private final InboundSequences inboundSequences;

    private final SequenceRetention retention;
    private volatile @Nullable Link active;
    private @Nullable Dialer dialer;

    /** Dials a direct connection while the active link is relayed. */
    private @Nullable Dialer directDialer;

    /** Whether something waits for the dialer, which otherwise awaits the end of a handshake only. */
    private boolean needed;

    private final ConnectionEventRecorder events;
    private int accepting;
    private boolean lost;
    private long lostNanos;

    /** The number of users of this association. Guarded by the lock of the host's table. */
    private int users;

    Association(PeerId peer, Host host, EndpointContext context) {
        this.peer = peer;
        this.host = host;
        this.context = context;
        this.events = new ConnectionEventRecorder(peer, context);
        this.inboundSequences = new InboundSequences(context.limits().maxChannels());
        this.retention = new SequenceRetention(this, inboundSequences, context, lock);
        this.cache = new MessengerCache((service, options) -> host.newMessenger(peer, service, options));
    }

    @Override
    public PeerId peer() {
        return peer;
    }

    /** Must be called by the host under the lock of its table. */
    void addUser() {
        users++;
    }

    /** Returns whether there are no more users. Must be called by the host under the lock of its table. */
    boolean removeUser() {
        return --users == 0;
    }

    @Nullable
    public Link activeLink() {
        return active;
    }

    int messengerCount() {
        lock.lock();
        try {
            return messengers.size();
        } finally {
            lock.unlock();
        }
    }

    /** Returns a new messenger. It uses the association until it is closed. */
    PeerMessenger newMessenger(ServiceAddress service, MessengerOptions options) {
        PeerMessenger messenger = new PeerMessenger(service, options, context, this);
        add(messenger);
        return messenger;
    }

    private void add(PeerMessenger messenger) {
        lock.lock();
        try {
            messengers.add(messenger);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Association addTo(PeerId next, PeerMessenger messenger) {
        if (next.equals(peer)) {
            return this;
        }
        Association other = host.acquire(next);
        other.add(messenger);
        if (host.isClosing()) { // closing may have begun before the messenger was visible to it
            other.remove(messenger);
            throw ErrorCode.CLOSED.exception("endpoint of peer " + context.self() + " is closed");
        }
        return other;
    }

    @Override
    public void remove(PeerMessenger messenger) {
        boolean removed;
        lock.lock();
        try {
            removed = messengers.remove(messenger);
            waiting.remove(messenger);
        } finally {
            lock.unlock();
        }
        if (removed) {
            cache.remove(messenger);
            host.release(this);
        }
    }

    /** Sends through the cached messenger of the service. */
    CompletableFuture<Void> send(ServiceAddress service, boolean secure, Message message) {
        return cache.send(service, secure, message);
    }

    @Override
    public void closeIdleMessengers() {
        cache.closeIdle();
    }

    /**
     * Closes cached messengers without queued messages if there is no link, because they would keep this association in
     * use.
     */
    private void closeUnlinkedMessengers() {
        if (active == null) {
            cache.closeEmpty();
        }
    }

    /** Passes the messenger to the active link, or to the next one. */
    @Override
    public void wake(PeerMessenger messenger) {
        Link link;
        lock.lock();
        try {
            link = active;
            if (link == null && messengers.contains(messenger)) {
                waiting.add(messenger);
                startDialer(null);
            }
        } finally {
            lock.unlock();
        }
        if (link != null) {
            link.wake(messenger);
        } else {
            messenger.binding().onUnlinked();
        }
    }

    @Override
    public void resume(PeerMessenger messenger) {
        Link link = active; // the next one finds the messenger
        if (link != null) {
            link.wake(messenger);
        }
    }

    /** Returns the active link, or the one that the dialer will connect. */
    CompletableFuture<Link> connect() {
        lock.lock();
        try {
            Link link = active;
            return link != null
                    ? CompletableFuture.completedFuture(link)
                    : startDialer(null).result();
        } finally {
            lock.unlock();
        }
    }

    /** Starts the handshake on a connection to this peer, unless there is a link. Takes ownership of the connection. */
    CompletableFuture<Link> connectOver(Dialer.AuthenticatedConnection authenticated) {
        Link link;
        lock.lock();
        try {
            link = active;
            if (link == null) {
                return startDialer(authenticated).result();
            }
        } finally {
            lock.unlock();
        }
        authenticated.connection().close();
        return CompletableFuture.completedFuture(link);
    }

    /** Makes the dialer try a new address immediately. */
    void onAddressAdded() {
        Dialer current;
        lock.lock();
        try {
            current = dialer != null ? dialer : directDialer;
            Link link = active;
            if (current == null && link != null) {
                startDirectDialer(link);
            }
        } finally {
            lock.unlock();
        }
        if (current != null) {
            EndpointContext.execute(context.executor(), current::retryNow);
        }
    }

    /** Tries to replace a relayed link by a direct one. The caller must hold the lock. */
    private void startDirectDialer(Link link) {
        if (link.isRelayed() && directDialer == null && !host.isClosing()) {
            Dialer added = new Dialer(this, host, context, Duration.ZERO, link);
            directDialer = added;
            start(added);
        }
    }

    /** Returns the dialer, which continues with the offered connection if there is one. The caller must hold the lock. */
    private Dialer startDialer(Dialer.@Nullable AuthenticatedConnection offered) {
        needed = true;
        Dialer present = dialer;
        Dialer current = present != null ? present : new Dialer(this, host, context, retryTime(), null);
        if (offered != null) {
            current.offer(offered);
        }
        if (present == null) {
            start(current);
            dialer = current;
        } else if (offered != null) {
            context.executor().execute(current::retryNow);
        }
        return current;
    }

    private void start(Dialer added) {
        context.executor().execute(added::start);
        host.retain(this);
        added.result().whenComplete((link, failure) -> host.release(this));
    }

    /** Returns the rest of the reconnect timeout if the peer was connected before, otherwise zero or less. */
    Duration retryTime() {
        lock.lock();
        try {
            return lost && !host.isClosing()
                    ? context.limits()
                            .reconnectTimeout()
                            .minusNanos(context.scheduler().nanoTime() - lostNanos)
                    : Duration.ZERO;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Fails the waiting messengers that have no link. Returns false, and does nothing, if a connection was offered to the dialer
     * meanwhile.
     */
    boolean onDialFailed(Dialer failed, ParleyException cause) {
        List<PeerMessenger> unsendable = List.of();
        boolean disconnected = false;
        lock.lock();
        try {
            if (failed.hasOffer()) {
                return false;
            }
            if (directDialer == failed) {
                directDialer = null;
            }
            if (dialer == failed) {
                dialer = null;
                lost = false;
                disconnected = events.endMove();
                unsendable = new ArrayList<>(waiting);
                waiting.clear();
            }
        } finally {
            lock.unlock();
        }
        if (disconnected) {
            context.connectionEvents().dispatch();
        }
        unsendable.forEach(messenger -> messenger.onUnreachable(this, cause));
        failed.result().completeExceptionally(cause);
        closeUnlinkedMessengers();
        return true;
    }

    @Override
    public void activate(Link link) {
        Link replaced;
        Dialer finished;
        Dialer finishedDirect;
        List<PeerMessenger> woken;
        List<InboundSequence> dropped;
        lock.lock();
        try {
            replaced = active;
            events.onActivated(replaced, link);
            dropped = inboundSequences.startInstance(link.remote().instance());
            active = link;
            finished = dialer;
            finishedDirect = directDialer;
            dialer = null;
            directDialer = null;
            lost = false;
            startDirectDialer(link);
            Set<PeerMessenger> resuming = new LinkedHashSet<>(waiting);
            messengers.stream()
                    .filter(messenger -> messenger.sequence().isResumable())
                    .forEach(resuming::add);
            woken = List.copyOf(resuming);
            waiting.clear();
        } finally {
            lock.unlock();
        }
        context.connectionEvents().dispatch();
        dropped.forEach(InboundSequence::reportLost);
        if (finished != null) {
            finished.supersede(link);
        }
        if (finishedDirect != null) {
            finishedDirect.supersede(link);
        }
        if (replaced != null) {
            replaced.abort(ErrorCode.DUPLICATE_CONNECTION.exception(replaced + ": replaced by a newer connection"));
        }
        woken.forEach(link::wake);
    }

    /** Accepts, rejects or delays an incoming connection. Must be called on the event loop of that connection. */
    void decide(AcceptorHandshake incoming) {
        WireStatus rejection = null;
        CompletableFuture<Void> ahead = null;
        Hello hello = incoming.hello();
        lock.lock();
        try {
            Link link = active;
            if (host.isClosing()) {
                rejection = WireStatus.of(ErrorCode.CLOSED, "the endpoint is closing");
            } else if (context.connectionEvents().isOverloaded()) {
                rejection = WireStatus.of(ErrorCode.BUSY, "the connection listeners of the endpoint are too slow");
            } else if (link != null) {
                boolean stale = hello.instance() != link.remote().instance()
                        || (hello.lost().isPresent() && hello.lost().getAsLong() == link.connectionId());
                rejection = stale ? null : WireStatus.duplicateOf(link.connectionId());
            }
            Dialer own = dialer != null ? dialer : directDialer;
            if (rejection == null && own != null && context.self().compareTo(peer) < 0) {
                ahead = own.sentHello();
            }
            if (rejection == null && ahead == null) {
                accepting++;
            }
        } finally {
            lock.unlock();
        }
        if (ahead != null) {
            ahead.thenRun(() -> incoming.execute(() -> decide(incoming)));
        } else if (rejection != null) {
            incoming.reject(rejection);
        } else {
            try {
                incoming.accept();
            } finally {
                onAccepted();
            }
        }
    }

    private void onAccepted() {
        lock.lock();
        try {
            accepting--;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Marks the HELLO of the dialer as sent and returns true. Returns false if there is, or is about to be, a link that the
     * remote peer dialed.
     */
    boolean tryMarkHelloSent(Dialer sender) {
        lock.lock();
        try {
            boolean free = (dialer == sender || directDialer == sender) && accepting == 0;
            if (free) {
                sender.markHelloSent();
            }
            return free;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Called when the HELLO of a dialer needs no further response: there was one, or its connection has failed. A dialer whose relayed
     * link was lost meanwhile goes on only if something needs a link now, because the remote peer may have ended that link in order.
     */
    void onHelloEnded(Dialer sender) {
        boolean disconnected;
        boolean unneeded;
        lock.lock();
        try {
            sender.markHelloEnded();
            disconnected = dialer == sender && events.endMove();
            unneeded = disconnected && !needed;
            if (unneeded) {
                dialer = null;
            }
        } finally {
            lock.unlock();
        }
        if (disconnected) {
            context.connectionEvents().dispatch();
        }
        if (unneeded) {
            sender.result().completeExceptionally(relayedLinkLost());
        }
    }

    private static ParleyException relayedLinkLost() {
        return ErrorCode.DISCONNECTED.exception("the relayed link was lost");
    }

    @Override
    public void onLinkRetired(Link link) {
        Dialer ended;
        boolean moving;
        lock.lock();
        try {
            if (active != link) {
                return;
            }
            active = null;
            lost = true;
            lostNanos = context.scheduler().nanoTime();
            ended = directDialer;
            directDialer = null;
            // The remote peer may have accepted the direct connection, and ended this link for it.
            moving = ended != null && ended.sentHello() != null;
            if (ended != null && moving) {
                dialer = ended;
                needed = false;
                ended.onReplacedLinkLost(retryTime());
            }
            events.onLost(moving);
        } finally {
            lock.unlock();
        }
        context.connectionEvents().dispatch();
        if (ended != null && !moving) {
            ended.result().completeExceptionally(relayedLinkLost());
        }
    }

    @Override
    public InboundSequences inboundSequences() {
        return inboundSequences;
    }

    @Override
    public boolean isClosing() {
        return host.isClosing();
    }

    @Override
    public boolean tryRetainForSequences(String remoteHost) {
        return host.tryRetainForSequences(this, remoteHost);
    }

    @Override
    public void releaseForSequences(String remoteHost) {
        host.releaseForSequences(this, remoteHost);
    }

    /** Called when this association has no more users, so that the remote peer cannot resume its channels. */
    void onUnused() {
        retention.end();
        inboundSequences.removeDetached();
    }

    @Override
    public void onLinkClosed(Link link) {
        onLinkRetired(link);
        retention.start(HostPrefix.of(link.remoteAddress().host()));
        if (!cache.isEmpty()) {
            context.schedule(context.limits().reconnectTimeout(), context.executor(), this::closeUnlinkedMessengers);
        }
        host.release(this);
    }

    /** Sends the queued messages. Does not wait for the return of a lost peer that is unreachable. */
    CompletableFuture<Void> close() {
        retention.end();
        List<PeerMessenger> open;
        Dialer current;
        Dialer direct;
        lock.lock();
        try {
            open = List.copyOf(messengers);
            current = dialer;
            direct = directDialer;
            directDialer = null;
        } finally {
            lock.unlock();
        }
        if (direct != null) {
            direct.result().completeExceptionally(ErrorCode.CLOSED.exception("the endpoint is closing"));
        }
        if (current != null) {
            EndpointContext.execute(context.executor(), current::stopRetrying);
        }
        return CompletableFuture.allOf(
                open.stream().map(PeerMessenger::closeAsync).toArray(CompletableFuture<?>[]::new));
    }

    /** Closes the active link in order, if there is one. */
    CompletableFuture<Void> retire() {
        Link link = active;
        if (link == null) {
            return CompletableFuture.completedFuture(null);
        }
        onLinkRetired(link);
        link.retire();
        return link.whenClosed();
    }

    /** Stops the dialer, fails the queued messages and aborts the link. */
    void abandon(ParleyException cause) {
        Dialer current;
        List<PeerMessenger> open;
        lock.lock();
        try {
            current = dialer;
            open = List.copyOf(messengers);
        } finally {
            lock.unlock();
        }
        if (current != null) {
            current.result().completeExceptionally(cause); // from now on the dialer accepts no offers
            onDialFailed(current, cause);
        }
        open.forEach(messenger -> {
            messenger.closeAsync();
            messenger.fail(cause);
            messenger.finish();
        });
        Link link = active;
        if (link != null) {
            link.abort(cause);
        }
    }
}
