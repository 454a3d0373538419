package io.parley.endpoint.internal;

import io.parley.common.Scheduler;
import io.parley.endpoint.internal.context.EndpointContext;
import io.parley.id.PeerId;
import io.parley.transport.Connection;
import io.parley.transport.EndpointAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The dials of one dialer that are in progress. A dial without a result delays the next one for a short time only, because a network
 * that drops packets gives no result before the connect timeout. The first connection is the one that its owner gets. Confined to
 * the executor of the endpoint.
 */
final class DialRace {

    /** The delay between two dials, unless one fails before: the Connection Attempt Delay of RFC 8305, section 8. */
    static final Duration DELAY = Duration.ofMillis(250);

    /** The maximum number of dials at the same time. */
    static final int MAX_DIALS = 4;

    /** The dialer of a race. */
    interface Owner {

        /** Called when a dial has succeeded. The owner must {@link #cancel} the other ones. Takes ownership of the connection. */
        void onConnected(EndpointAddress address, Connection connection);

        /** Called when a dial has failed. The next one may start. */
        void onDialFailed(EndpointAddress address, Throwable cause);

        /** Called when the next dial may start, after {@link #awaitReady}. */
        void onReady();
    }

    private final EndpointContext context;
    private final PeerId peer;
    private final Owner owner;
    private final Map<EndpointAddress, CompletableFuture<Connection>> dials = new LinkedHashMap<>();
    private Scheduler.@Nullable Timer timer;

    /** The time at which the next dial may start. */
    private long readyNanos;

    /** @param peer the peer that must be at the addresses */
    DialRace(EndpointContext context, PeerId peer, Owner owner) {
        this.context = context;
        this.peer = peer;
        this.owner = owner;
    }

    private long nanoTime() {
        return context.scheduler().nanoTime();
    }

    /** Returns whether dials are in progress. */
    boolean isRunning() {
        return !dials.isEmpty();
    }

    /** Returns whether the next dial may start. */
    boolean isReady() {
        return dials.isEmpty() || (dials.size() < MAX_DIALS && readyNanos - nanoTime() <= 0);
    }

    /** Notifies the owner when the next dial may start, unless a dial succeeds or fails before. */
    void awaitReady() {
        if (timer != null || dials.size() >= MAX_DIALS) {
            return; // if there are too many dials, the next one starts when one of them fails
        }
        Duration delay = Duration.ofNanos(Math.max(0, readyNanos - nanoTime()));
        Scheduler.Timer[] self = new Scheduler.Timer[1];
        // Compares the timer, because its task may be on its way to the executor when the timer is cancelled.
        self[0] = context.schedule(delay, context.executor(), () -> {
            if (timer == self[0]) {
                timer = null;
                owner.onReady();
            }
        });
        timer = self[0];
    }

    private void cancelTimer() {
        Scheduler.Timer pending = timer;
        timer = null;
        if (pending != null) {
            pending.cancel();
        }
    }

    /** Dials an address that is not being dialed. */
    void dial(EndpointAddress address) {
        readyNanos = nanoTime() + DELAY.toNanos();
        CompletableFuture<Connection> dial = context.transports().dial(address, peer);
        dials.put(address, dial);
        dial.whenComplete((connection, failure) ->
                EndpointContext.execute(context.executor(), () -> onDialed(address, dial, connection, failure)));
    }

    private void onDialed(
            EndpointAddress address,
            CompletableFuture<Connection> dial,
            @Nullable Connection connection,
            @Nullable Throwable failure) {
        if (!dials.remove(address, dial)) {
            if (connection != null) {
                connection.close(); // too late: the dial was complete when it was cancelled
            }
        } else if (connection != null) {
            owner.onConnected(address, connection);
        } else if (failure != null) {
            cancelTimer();
            readyNanos = nanoTime();
            owner.onDialFailed(address, failure);
        }
    }

    /** Abandons all dials, and returns their addresses. */
    Set<EndpointAddress> cancel() {
        cancelTimer();
        Set<EndpointAddress> addresses = Set.copyOf(dials.keySet());
        List<CompletableFuture<Connection>> abandoned = new ArrayList<>(dials.values());
        dials.clear();
        abandoned.forEach(dial -> dial.cancel(false));
        return addresses;
    }
}
