package io.parley.endpoint.internal;

import io.parley.common.Scheduler;
import io.parley.common.internal.HostShares;
import io.parley.endpoint.MessengerOptions;
import io.parley.endpoint.ServiceAddress;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.endpoint.internal.messenger.PeerMessenger;
import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The associations of an endpoint, one per remote peer that is in use. Thread-safe. */
final class AssociationRegistry implements Association.Host {

    private final EndpointContext context;
    private final ConcurrentMap<PeerId, Association> associations = new ConcurrentHashMap<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private final HostShares retainedForSequences;

    AssociationRegistry(EndpointContext context) {
        this.context = context;
        this.retainedForSequences = new HostShares(context.limits().maxConnections());
    }

    @Override
    public Association acquire(PeerId peer) {
        return associations.compute(peer, (id, known) -> {
            Association association = known == null ? new Association(id, this, context) : known;
            association.addUser();
            return association;
        });
    }

    @Override
    public void retain(Association association) {
        associations.computeIfPresent(association.peer(), (id, known) -> {
            if (known == association) {
                known.addUser();
            }
            return known;
        });
    }

    @Override
    public void release(Association association) {
        boolean[] unused = new boolean[1];
        associations.computeIfPresent(association.peer(), (id, known) -> {
            unused[0] = known == association && known.removeUser();
            return unused[0] ? null : known;
        });
        if (unused[0]) {
            association.onUnused();
        }
    }

    @Override
    public boolean tryRetainForSequences(Association association, String remoteHost) {
        boolean acquired = retainedForSequences.tryAcquire(remoteHost, 1);
        if (acquired) {
            retain(association);
        }
        return acquired;
    }

    @Override
    public void releaseForSequences(Association association, String remoteHost) {
        retainedForSequences.release(remoteHost, 1);
        release(association);
    }

    @Override
    public boolean isClosing() {
        return closing.get();
    }

    @Override
    public PeerMessenger newMessenger(PeerId peer, ServiceAddress service, MessengerOptions options) {
        requireOpen();
        PeerMessenger messenger = acquire(peer).newMessenger(service, options);
        if (isClosing()) { // closing may have begun before the messenger was visible to it
            messenger.closeAsync();
            throw closedException();
        }
        return messenger;
    }

    /** Returns the association with a peer, or null if it is not in use. */
    @Nullable
    Association find(PeerId peer) {
        return associations.get(peer);
    }

    int size() {
        return associations.size();
    }

    boolean isConnected(PeerId peer) {
        Association association = associations.get(peer);
        return association != null && isConnected(association);
    }

    private boolean isConnected(Association association) {
        return association.activeLink() != null && !association.peer().equals(context.self());
    }

    Set<PeerId> connectedPeers() {
        Set<PeerId> connected = new HashSet<>();
        associations.forEach((peer, association) -> {
            if (isConnected(association)) {
                connected.add(peer);
            }
        });
        return connected;
    }

    /** Runs the action with the association of a peer, which stays in use until the returned future completes. */
    <T> CompletableFuture<T> withAssociation(PeerId peer, Function<Association, CompletableFuture<T>> action) {
        if (isClosing()) {
            return CompletableFuture.failedFuture(closedException());
        }
        Association association = acquire(peer);
        CompletableFuture<T> result;
        try {
            result = action.apply(association);
        } catch (ParleyException e) {
            result = CompletableFuture.failedFuture(e);
        } catch (RejectedExecutionException e) {
            result = CompletableFuture.failedFuture(closedException());
        } catch (RuntimeException | Error e) {
            release(association);
            throw e;
        }
        result.whenComplete((value, failure) -> release(association));
        return result;
    }

    void requireOpen() {
        if (isClosing()) {
            throw closedException();
        }
    }

    ParleyException closedException() {
        return ErrorCode.CLOSED.exception("endpoint of peer " + context.self() + " is closed");
    }

    /** Refuses new work from now on. Returns whether this call was the first one. */
    boolean startClosing() {
        return closing.compareAndSet(false, true);
    }

    /** Sends the queued messages, then closes the links in order. Each step takes at most half of the close timeout. */
    CompletableFuture<Void> closeInOrder() {
        Duration half = context.limits().closeTimeout().dividedBy(2);
        return onEach(Association::close, half).thenCompose(flushed -> onEach(Association::retire, half));
    }

    /** Completes when the action has completed on every association, or after the timeout. */
    private CompletableFuture<Void> onEach(Function<Association, CompletableFuture<Void>> action, Duration timeout) {
        CompletableFuture<Void> all = CompletableFuture.allOf(
                associations.values().stream().map(action).toArray(CompletableFuture<?>[]::new));
        if (!all.isDone()) {
            Scheduler.Timer timer = context.schedule(timeout, context.executor(), () -> all.complete(null));
            all.whenComplete((done, failure) -> timer.cancel());
        }
        return all;
    }

    /** Aborts all links and fails the remaining messages. */
    void abandonAll() {
        ParleyException cause = closedException();
        associations.values().forEach(association -> association.abandon(cause));
    }
}
