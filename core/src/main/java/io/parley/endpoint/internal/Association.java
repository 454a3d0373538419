package io.parley.endpoint.internal;

import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.frame.Hello;
import io.parley.endpoint.internal.frame.WireStatus;
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
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * All that this endpoint has to do with one other peer: at most one live link, the dialing that leads to one, and the
 * messengers that need one.
 *
 * <p>When both peers dial at once, the connection dialed by the peer with the smaller id lives: that peer holds the
 * other's HELLO until its own dial has succeeded (then it rejects the other as a duplicate) or failed (then it accepts).
 * A peer whose duplicate is rejected in favour of a connection that it has lost says so when it dials again.
 */
final class Association {

    private final PeerId peer;
    private final PeerEndpoint endpoint;
    private final EndpointContext core;

    private final ReentrantLock lock = new ReentrantLock();
    private final Set<PeerMessenger> waiting = new LinkedHashSet<>();
    private final Set<PeerMessenger> messengers = new LinkedHashSet<>();
    private final MessengerCache shared;
    private volatile @Nullable Link active;
    private @Nullable Dialer dialing;
    private int accepting;
    private boolean lost;
    private long lostNanos;

    /** How many hold on to this association; kept by the endpoint, under its own lock. */
    private int users;

    Association(PeerId peer, PeerEndpoint endpoint, EndpointContext core) {
        this.peer = peer;
        this.endpoint = endpoint;
        this.core = core;
        this.shared = new MessengerCache(service -> endpoint.messenger(peer, service));
    }

    PeerId peer() {
        return peer;
    }

    Duration closeTimeout() {
        return core.limits().closeTimeout();
    }

    /** Runs it when closing something has taken too long, unless that is done. */
    void afterCloseTimeout(CompletableFuture<Void> done, Runnable task) {
        Future<?> scheduled = schedule(task, closeTimeout());
        done.whenComplete((ended, failure) -> scheduled.cancel(false));
    }

    private Future<?> schedule(Runnable task, Duration delay) {
        try {
            return core.timer().schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(null); // the endpoint has ended, and all of this with it
        }
    }

    void addUser() {
        users++;
    }

    boolean removeUser() {
        return --users == 0;
    }

    @Nullable
    Link activeLink() {
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

    /** A new messenger, which holds on to the association until it is finished. */
    PeerMessenger newMessenger(ServiceAddress service, List<String> codecs) {
        PeerMessenger[] self = new PeerMessenger[1];
        PeerMessenger messenger =
                new PeerMessenger(this, service, codecs, core.limits().queueBytes(), () -> forget(self[0]));
        self[0] = messenger;
        lock.lock();
        try {
            messengers.add(messenger);
        } finally {
            lock.unlock();
        }
        return messenger;
    }

    private void forget(PeerMessenger messenger) {
        lock.lock();
        try {
            messengers.remove(messenger);
            waiting.remove(messenger);
        } finally {
            lock.unlock();
        }
        shared.forget(messenger);
        endpoint.release(this);
    }

    /** Sends through the messenger that is kept for the service. */
    CompletableFuture<Void> send(ServiceAddress service, Message message) {
        return shared.send(service, message);
    }

    /** Closes the messengers kept for {@link #send} that have had nothing to do since the last call. */
    void closeIdleMessengers() {
        shared.closeIdle();
    }

    /** Closes those that have nothing to send, unless there is a link: or this association would be kept for them. */
    private void closeUnlinkedMessengers() {
        if (active == null) {
            shared.closeEmpty();
        }
    }

    /** The messenger needs a link: the live one, or the next. */
    void wake(PeerMessenger messenger) {
        Link link;
        lock.lock();
        try {
            link = active;
            if (link == null && messengers.contains(messenger)) {
                waiting.add(messenger);
                startDialing(null);
            }
        } finally {
            lock.unlock();
        }
        if (link != null) {
            link.wake(messenger);
        }
    }

    /** The live link, or the one that dialing leads to. */
    CompletableFuture<Link> connect() {
        lock.lock();
        try {
            Link link = active;
            return link != null
                    ? CompletableFuture.completedFuture(link)
                    : startDialing(null).result();
        } finally {
            lock.unlock();
        }
    }

    /** Goes on with a connection on which the other side has proven to be this peer, unless there is a link already. */
    CompletableFuture<Link> connectOver(Dialer.AuthenticatedConnection met) {
        Link link;
        lock.lock();
        try {
            link = active;
            if (link == null) {
                Dialer current = dialing;
                if (current == null) {
                    return startDialing(met).result();
                }
                current.offer(met);
                core.timer().execute(current::onOffer);
                return current.result();
            }
        } finally {
            lock.unlock();
        }
        met.connection().close();
        return CompletableFuture.completedFuture(link);
    }

    /** A new address of the peer is known. */
    void onAddressLearned() {
        Dialer current;
        lock.lock();
        try {
            current = dialing;
        } finally {
            lock.unlock();
        }
        if (current != null) {
            schedule(current::hurry, Duration.ZERO);
        }
    }

    private Dialer startDialing(Dialer.@Nullable AuthenticatedConnection met) {
        Dialer current = dialing;
        if (current == null) {
            boolean mayComeBack = lost && !endpoint.isClosing();
            long patience =
                    mayComeBack ? core.limits().reconnectTimeout().toNanos() - (System.nanoTime() - lostNanos) : 0;
            Dialer fresh = new Dialer(this, endpoint, core, patience);
            if (met != null) {
                fresh.offer(met);
            }
            core.timer().execute(fresh::start);
            endpoint.retain(this);
            fresh.result().whenComplete((link, failure) -> endpoint.release(this));
            dialing = fresh;
            current = fresh;
        }
        return current;
    }

    /** Dialing has failed for good; false when meanwhile a connection was offered to it. */
    boolean onDialingFailed(Dialer failed, ParleyException cause) {
        List<PeerMessenger> hopeless = List.of();
        lock.lock();
        try {
            if (failed.hasOffer()) {
                return false;
            }
            if (dialing == failed) {
                dialing = null;
                lost = false;
                hopeless = new ArrayList<>(waiting);
                waiting.clear();
            }
        } finally {
            lock.unlock();
        }
        hopeless.forEach(messenger -> messenger.fail(cause));
        failed.result().completeExceptionally(cause);
        closeUnlinkedMessengers();
        return true;
    }

    /** Both sides have agreed on the link: it is the one to use. On the link's executor. */
    void activate(Link link) {
        Link old;
        Dialer done;
        List<PeerMessenger> woken;
        lock.lock();
        try {
            old = active;
            if (old != null) {
                noteDisconnected();
            }
            active = link;
            noteConnected();
            done = dialing;
            dialing = null;
            lost = false;
            woken = new ArrayList<>(waiting);
            waiting.clear();
        } finally {
            lock.unlock();
        }
        core.presence().tell();
        if (done != null) {
            done.supersede(link);
        }
        if (old != null) {
            old.abort(ErrorCode.DUPLICATE_CONNECTION.exception(old + " is replaced by a newer connection"));
        }
        woken.forEach(link::wake);
    }

    /** Whether an incoming connection shall live. On that connection's executor. */
    void decide(AcceptorHandshake incoming) {
        WireStatus refusal = null;
        Dialer ahead = null;
        Hello hello = incoming.hello();
        lock.lock();
        try {
            Link link = active;
            if (endpoint.isClosing()) {
                refusal = WireStatus.of(ErrorCode.CLOSED, "this peer is shutting down");
            } else if (core.presence().isBehind()) {
                refusal = WireStatus.of(ErrorCode.BUSY, "this peer is busy with others that came and went");
            } else if (link != null) {
                boolean stale = hello.instance() != link.remote().instance()
                        || (hello.lost().isPresent() && hello.lost().getAsLong() == link.connectionId());
                refusal = stale ? null : WireStatus.duplicateOf(link.connectionId());
            } else if (dialing != null && dialing.isHelloSent() && core.self().compareTo(peer) < 0) {
                ahead = dialing;
            } else if (endpoint.isFull()) {
                refusal = WireStatus.of(ErrorCode.BUSY, "this peer has as many connections as it takes");
            }
            if (refusal == null && ahead == null) {
                accepting++;
            }
        } finally {
            lock.unlock();
        }
        if (ahead != null) {
            ahead.result().whenComplete((link, failure) -> incoming.run(() -> decide(incoming)));
        } else if (refusal != null) {
            incoming.reject(refusal);
        } else {
            try {
                incoming.accept();
            } finally {
                accepted();
            }
        }
    }

    private void accepted() {
        lock.lock();
        try {
            accepting--;
        } finally {
            lock.unlock();
        }
    }

    /** Asks whether the effort may say hello; if not, there is or will at once be a link that the other side dialed. */
    boolean claimHello(Dialer asking) {
        lock.lock();
        try {
            boolean free = dialing == asking && active == null && accepting == 0;
            if (free) {
                asking.helloSent();
            }
            return free;
        } finally {
            lock.unlock();
        }
    }

    /** The link takes no new messages. On its executor. */
    void onLinkRetired(Link link) {
        lock.lock();
        try {
            if (active != link) {
                return;
            }
            active = null;
            lost = true;
            lostNanos = System.nanoTime();
            noteDisconnected();
        } finally {
            lock.unlock();
        }
        core.presence().tell();
    }

    private void noteConnected() {
        if (!isSelf()) {
            core.presence().noteConnected(peer);
        }
    }

    private void noteDisconnected() {
        if (!isSelf()) {
            core.presence().noteDisconnected(peer);
        }
    }

    private boolean isSelf() {
        return peer.equals(core.self());
    }

    /** The link is gone. On its executor. */
    void onLinkClosed(Link link) {
        onLinkRetired(link);
        if (!shared.isEmpty()) {
            schedule(this::closeUnlinkedMessengers, core.limits().reconnectTimeout());
        }
        endpoint.release(this);
    }

    /** Sends what is queued, unless the peer has been lost and can't be reached: whether it comes back is not waited for. */
    CompletableFuture<Void> close() {
        List<PeerMessenger> open;
        Dialer current;
        lock.lock();
        try {
            open = List.copyOf(messengers);
            current = dialing;
        } finally {
            lock.unlock();
        }
        if (current != null) {
            schedule(current::endPatience, Duration.ZERO);
        }
        CompletableFuture<?>[] flushed =
                open.stream().map(PeerMessenger::closeAsync).toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(flushed);
    }

    /** Says goodbye on the live link, if there is one. */
    CompletableFuture<Void> retire() {
        Link link = active;
        if (link == null) {
            return CompletableFuture.completedFuture(null);
        }
        onLinkRetired(link);
        link.retire();
        return link.whenClosed();
    }

    /** Gives up dialing and fails what is still queued. */
    void abandon(ParleyException cause) {
        Dialer current;
        List<PeerMessenger> open;
        lock.lock();
        try {
            current = dialing;
            open = List.copyOf(messengers);
        } finally {
            lock.unlock();
        }
        if (current != null) {
            current.result().completeExceptionally(cause); // and so it takes no more offers
            onDialingFailed(current, cause);
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
